"""Odd numbers, odd text and odd files: what comes of each, whatever reads it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import re
import signal
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from acp_wire.checking import Checkers
from acp_wire.decoding import Decoders
from acp_wire.pairing import Pairing
from acp_wire.reader import MAX_DEPTH
from acp_wire.type_rows import TypeTable
from acpgen.cli import validation
from acpgen.judge.fast_path import FastEngine
from acpgen.judge.inputs import Input
from acpgen.judge.message_verdict import ErrorCode
from acpgen.judge.single import validate
from acpgen.judge.stream import Stream
from acpgen.startup.options import Options
from acpgen.targets.checkers import compile_checkers, compile_decoders
from acpgen.types.type_table import type_table
from command_calls import call_acpgen
from waiting import HANGS
from whole_schema import whole_schema

ACP = whole_schema()
CHECKERS = compile_checkers(ACP)
DECODERS = compile_decoders(ACP, CHECKERS)
LIST = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}'
BAD = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5}}'
FINE = None


def call(id_: str = "1", params: str = "{}") -> bytes:
    return f'{{"jsonrpc":"2.0","id":{id_},"method":"session/list","params":{params}}}'.encode()


def usage(used: str) -> bytes:
    update = f'{{"sessionUpdate":"usage_update","used":{used},"size":9}}'
    params = f'{{"sessionId":"s","update":{update}}}'
    return f'{{"jsonrpc":"2.0","id":1,"method":"session/update","params":{params}}}'.encode()


def notified(used: str) -> bytes:
    return usage(used).replace(b'"id":1,', b"")


ODD: dict[str, tuple[bytes, ErrorCode | None]] = {
    "an id of 2^53 + 1": (call("9007199254740993"), FINE),
    "the largest id of 64 bits": (call("9223372036854775807"), FINE),
    "an id beyond 64 bits": (call("18446744073709551616"), FINE),
    "an id beyond 64 bits below zero": (call("-9223372036854775809"), FINE),
    "an id of 5,000 digits": (call("9" * 5000), FINE),
    "1.0 as an id": (call("1.0"), ErrorCode.INVALID_REQUEST),
    "1e0 as an id": (call("1e0"), ErrorCode.INVALID_REQUEST),
    "-0 as an id": (call("-0"), FINE),
    "-0.0 as an id": (call("-0.0"), ErrorCode.INVALID_REQUEST),
    "true as an id": (call("true"), ErrorCode.INVALID_REQUEST),
    "1e400": (call(params='{"x":1e400}'), ErrorCode.PARSE_ERROR),
    "-1e400": (call(params='{"x":-1e400}'), ErrorCode.PARSE_ERROR),
    "1e-400": (call(params='{"x":1e-400}'), FINE),
    "a big exponent that fits": (call(params='{"x":1e308}'), FINE),
    "NaN": (call(params='{"x":NaN}'), ErrorCode.PARSE_ERROR),
    "Infinity": (call(params='{"x":Infinity}'), ErrorCode.PARSE_ERROR),
    "a leading zero": (call("01"), ErrorCode.PARSE_ERROR),
    "invalid UTF-8 in a skipped member": (
        call(params='{"x":"@"}').replace(b"@", b"\xff"),
        ErrorCode.PARSE_ERROR,
    ),
    "an encoded surrogate in a skipped member": (
        call(params='{"x":"@"}').replace(b"@", b"\xed\xa0\x80"),
        ErrorCode.PARSE_ERROR,
    ),
    "an escaped lone surrogate": (call(params='{"x":"\\ud800"}'), ErrorCode.PARSE_ERROR),
    "an escaped pair": (call(params='{"x":"\\ud83d\\ude00"}'), FINE),
    "an escaped NUL": (call(params='{"x":"\\u0000"}'), FINE),
    "a NUL in a string": (call(params='{"x":"@"}').replace(b"@", b"\0"), ErrorCode.PARSE_ERROR),
    "NULs": (b"\0\0\0", ErrorCode.PARSE_ERROR),
    "a NUL at the end": (LIST + b"\0", ErrorCode.PARSE_ERROR),
    "a byte order mark": (b"\xef\xbb\xbf" + LIST, ErrorCode.PARSE_ERROR),
    "UTF-16": (LIST.decode().encode("utf-16"), ErrorCode.PARSE_ERROR),
    "UTF-16 without a mark": (LIST.decode().encode("utf-16-le"), ErrorCode.PARSE_ERROR),
    "as deep as allowed": (
        call(params='{"x":' + "[" * (MAX_DEPTH - 2) + "]" * (MAX_DEPTH - 2) + "}"),
        FINE,
    ),
    "one level too deep": (
        call(params='{"x":' + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + "}"),
        ErrorCode.PARSE_ERROR,
    ),
    "100,000 levels": (
        call(params='{"x":' + "[" * 100_000 + "]" * 100_000 + "}"),
        ErrorCode.PARSE_ERROR,
    ),
    "100,000 objects": (b'{"a":' * 100_000, ErrorCode.PARSE_ERROR),
    "a count of 1.0": (usage("1.0").replace(b"session/update", b"_x"), FINE),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("decodes", [False, True])
def test_an_odd_message_gets_one_verdict(name: str, *, decodes: bool) -> None:
    message, code = ODD[name]
    verdict = validate(message, protocol=ACP)
    assert verdict.code == code
    assert bool(verdict) is (code is FINE)
    owed = CHECKERS.check(message)
    assert (owed.valid, owed.code) == (code is FINE, code)
    assert DECODERS.accepts_bytes(message) is (code is FINE)
    line = Input(iter([(1, message)]), transcript=False)
    stream = Stream(line, FastEngine(Both(decodes=decodes)))
    assert [verdict.code for _, verdict in stream] == ([] if code is FINE else [code])
    assert stream.messages == 1


class Both:
    """Checkers, and decoders too if they are asked for."""

    def __init__(self, *, decodes: bool) -> None:
        self._decodes = decodes

    def checkers(self, _: int) -> Checkers | None:
        return CHECKERS

    def decoders(self, _: int) -> Decoders | None:
        return DECODERS if self._decodes else None

    def table(self) -> TypeTable:
        return type_table(ACP)


@pytest.mark.parametrize(
    ("used", "accepted"),
    [
        ("0", True),
        ("-0", True),
        ("18446744073709551615", True),
        ("18446744073709551616", True),
        ("1.0", False),
        ("1e2", False),
        ("-1", False),
        ("true", False),
        ("1e400", False),
    ],
)
def test_a_count_is_a_plain_integer(used: str, *, accepted: bool) -> None:
    assert validate(notified(used), protocol=ACP).accepted is accepted
    assert CHECKERS.check(notified(used)).valid is accepted
    assert DECODERS.accepts_bytes(notified(used)) is accepted


def test_a_member_given_twice_counts_by_its_last_value_and_is_reported() -> None:
    twice = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5,"cwd":"/"}}'
    verdict = validate(twice, protocol=ACP)
    assert verdict
    assert [fault.rule.value for fault in verdict.findings] == ["duplicate-member"]
    assert CHECKERS.check(twice)
    assert not CHECKERS.clean(twice)


def test_a_decoded_message_is_not_a_message() -> None:
    decoded = json.loads(LIST)
    with pytest.raises(TypeError, match="give bytes or str, not dict"):
        validate(decoded, protocol=ACP)
    with pytest.raises(TypeError, match="from its bytes, not from dict"):
        CHECKERS.check(decoded)


def run(*args: str | Path, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    """Call `acpgen validate`, in a process of its own if that needs variables."""
    if not env:
        status, printed, noted = call_acpgen("validate", *args, stdin=stdin)
        return subprocess.CompletedProcess(args, status, printed.encode(), noted.encode())
    return subprocess.run(
        [sys.executable, "-m", "acpgen", "validate", *args],
        input=stdin,
        capture_output=True,
        timeout=HANGS,
        env={**os.environ, **env},
        check=False,
    )


@pytest.mark.parametrize(
    "data",
    [
        LIST + b"\r\n\r\n" + BAD + b"\r\n",
        b"\n \t\n" + LIST + b"\n\n" + BAD,
        LIST + b"\n" + BAD,
        gzip.compress(LIST + b"\n" + BAD),
        gzip.compress(LIST) + gzip.compress(b"\n" + BAD + b"\n"),
        gzip.compress(gzip.compress(gzip.compress(LIST + b"\n" + BAD))),
    ],
    ids=["crlf", "blank-lines", "no-final-newline", "gzip", "two-gzip-members", "gzip-in-gzip"],
)
@pytest.mark.parametrize("stdin", [False, True])
def test_lines_however_they_end_and_are_packed(data: bytes, tmp_path: Path, *, stdin: bool) -> None:
    file = tmp_path / "messages"
    file.write_bytes(data)
    result = run(stdin=data) if stdin else run(file)
    assert result.stderr == b"2 messages: 1 accepted, 1 refused\n"
    assert result.stdout.count(b"\n") == 1
    assert result.returncode == 1


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda packed: packed[:-9], b"is cut off: the gzip or zstd in it has no end"),
        (lambda packed: packed[:-6] + b"\0\0" + packed[-4:], b"is broken gzip: CRC check failed"),
        (lambda packed: packed[:40] + b"\xff" * 20 + packed[60:], b"is broken gzip: "),
    ],
    ids=["truncated", "checksum", "garbage"],
)
def test_a_broken_gzip_is_not_reported(damage: object, reason: bytes, tmp_path: Path) -> None:
    file = tmp_path / "messages.ndjson.gz"
    assert callable(damage)
    file.write_bytes(damage(gzip.compress((LIST + b"\n") * 5 + os.urandom(64).hex().encode())))
    result = run(file)
    assert f"acpgen: {file}: ".encode() + reason in result.stderr
    assert b"Traceback" not in result.stderr
    assert result.returncode == 2


def _tar(text: bytes) -> bytes:
    archive = BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        member = tarfile.TarInfo("log.ndjson")
        member.size = len(text)
        tar.addfile(member, BytesIO(text))
    return archive.getvalue()


def _layers(number: int) -> bytes:
    packed = LIST
    for _ in range(number):
        packed = gzip.compress(packed)
    return packed


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (_layers(5), b"is packed more than 4 times, one in another; unpack it before"),
        (_tar(LIST), b"is a tar archive: unpack it, and give the files in it"),
        (b"PK\x03\x04" + LIST, b"is a zip archive: unpack it, and give the files in it"),
        (lzma.compress(LIST), b"is xz: unpack it with `xz -dc FILE | acpgen ...`"),
        (bz2.compress(LIST), b"is bzip2: unpack it with `bzip2 -dc FILE | acpgen ...`"),
        (b"\xd4\xc3\xb2\xa1" + LIST, b"is a capture of packets: save the stream that has the"),
    ],
    ids=["five-layers", "tar", "zip", "xz", "bzip2", "capture"],
)
def test_what_is_not_unpacked_is_named(data: bytes, reason: bytes) -> None:
    result = run(stdin=data)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.startswith(b"acpgen: <stdin>: " + reason)


@pytest.mark.parametrize("data", [b"", b"\n \r\n", gzip.compress(b"", mtime=0)], ids=repr)
def test_no_messages_give_no_verdict(data: bytes) -> None:
    result = run(stdin=data)
    assert result.stdout == b""
    assert result.stderr == b"acpgen: <stdin>: no messages, so there is nothing to judge\n"
    assert result.returncode == 2


def test_values_that_span_lines_are_read_one_after_the_other() -> None:
    pretty = json.dumps(json.loads(LIST), indent=2).encode()
    result = run(stdin=pretty + b"\n" + pretty + b"\n")
    assert result.stdout == b""
    assert result.stderr.splitlines() == [
        b"acpgen: <stdin>: read as values that span lines: 2 messages",
        b"2 messages: 2 accepted, 0 refused",
    ]
    assert result.returncode == 0


def test_one_line_of_a_transcript_may_span_lines() -> None:
    line = {"from": "agent", "message": json.loads(LIST)}
    result = run(stdin=json.dumps(line, indent=2).encode())
    assert b"error[wrong-side] -32601" in result.stdout
    assert result.returncode == 1


def test_each_file_is_a_recording_of_its_own(tmp_path: Path) -> None:
    first, second = tmp_path / "first.ndjson", tmp_path / "second.ndjson"
    first.write_bytes(LIST)
    second.write_bytes(b'{"jsonrpc":"2.0","id":1,"result":{}}')
    result = run(first, second)
    assert result.stdout == b""
    assert b"1 result not judged" in result.stderr
    assert result.returncode == 0


def test_too_many_waiting_requests_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "requests.ndjson"
    file.write_bytes(b"\n".join(call(str(number)) for number in range(5)))
    monkeypatch.setattr(Pairing.__init__, "__defaults__", (3,))
    assert validation.run(Options([str(file)])) == 0
    reported = capsys.readouterr().err.splitlines()
    assert reported[0] == (
        "acpgen: more than 3 requests waited for a response at once; the 2 oldest were forgotten, "
        "so their results are not judged"
    )


def test_a_log_in_utf_16_is_decoded() -> None:
    result = run(stdin=(LIST + b"\n" + BAD + b"\n").decode().encode("utf-16"))
    assert result.stdout.startswith(b"<stdin>:2: session/list: error[type] -32602 /params/cwd")
    assert b"read as messages, one a line in UTF-16: 2 messages" in result.stderr
    assert result.returncode == 1


MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "acpgen", "validate"], stdout=sys.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
"""Tells the peak of one process: among those of the tests there are compilers."""


def test_a_line_of_60_megabytes_is_answered_in_proportion() -> None:
    long = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"x":"' + b"a" * 60_000_000
    data = LIST + b"\n" + long + b'"}}\n' + BAD + b"\n"
    result = subprocess.run(
        [sys.executable, "-c", MEASURED], input=data, capture_output=True, check=False
    )
    assert result.stderr.endswith(b"\n3 messages: 2 accepted, 1 refused\n")
    assert int(result.stdout) < 600_000  # KiB: ten times the line
    assert result.returncode == 1


def test_an_interrupt_leaves_a_summary(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "acpgen", "validate", str(pipe)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        pipe.open("wb") as writer,
    ):
        # More than a pipe holds: when all is written, the first line has been judged.
        writer.write(BAD + b"\n" + (LIST + b"\n") * 5000)
        writer.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 2
    assert out.count(b"error[type]") == 1
    assert b"interrupted" in err
    assert re.search(rb"\d+ messages: \d+ accepted, 1 refused", err)
    assert b"Traceback" not in err
