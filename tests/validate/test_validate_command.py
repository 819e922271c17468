"""`acpgen validate` as a program: where it reads, where it prints, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from waiting import HANGS

SESSION = Path(__file__).parents[1] / "interop" / "session.ndjson"
FAULTS = SESSION.with_name("faults.ndjson")
GOOD = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
BAD = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5}}\n'
SAYS = "session/list: error[type] -32602 /params/cwd: must be a string or null, not an integer"


def run(
    *args: str | bytes | Path, stdin: bytes = b"", **env: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "acpgen", "validate", *args],
        input=stdin,
        capture_output=True,
        timeout=HANGS,
        env={**os.environ, **env},
        check=False,
    )


@pytest.mark.parametrize("args", [(), ("-",)])
def test_standard_input(args: tuple[str, ...]) -> None:
    result = run(*args, stdin=GOOD + BAD)
    assert result.stdout.decode() == f"<stdin>:2: {SAYS}\n"
    assert result.stderr == b"2 messages: 1 accepted, 1 refused\n"
    assert result.returncode == 1


def test_several_files_in_their_order(tmp_path: Path) -> None:
    first, second = tmp_path / "b.ndjson", tmp_path / "a.ndjson"
    first.write_bytes(BAD)
    second.write_bytes(GOOD + BAD)
    result = run(first, second)
    assert result.stdout.decode() == f"{first}:1: {SAYS}\n{second}:2: {SAYS}\n"
    assert result.stderr == b"3 messages: 1 accepted, 2 refused\n"


def test_what_cannot_be_read_does_not_keep_the_rest_from_being_judged(tmp_path: Path) -> None:
    bad = tmp_path / "bad.ndjson"
    bad.write_bytes(BAD)
    (tmp_path / "empty").mkdir()
    result = run(tmp_path / "none.ndjson", tmp_path / "empty", bad)
    assert result.stdout.decode() == f"{bad}:1: {SAYS}\n"
    assert result.stderr.decode().splitlines() == [
        f"acpgen: {tmp_path}/none.ndjson: No such file or directory",
        f"acpgen: {tmp_path}/empty: is a folder without files",
        "1 message: 0 accepted, 1 refused",
    ]
    assert result.returncode == 2


def test_a_broken_schema_tells_nothing(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"$defs": {"A": {"type": "text"}}}')
    result = run("--schema", schema, stdin=GOOD)
    assert result.stdout == b""
    first, last = result.stderr.decode().splitlines()
    assert first.startswith(f"{schema}:1: error[meta-schema] /$defs/A/type: ")
    assert last == f"acpgen: {schema}: is not a schema to judge by"
    assert result.returncode == 2


def test_a_missing_schema_tells_nothing(tmp_path: Path) -> None:
    result = run("--schema", tmp_path / "none", stdin=GOOD)
    assert result.stdout == b""
    assert result.stderr.decode() == f"acpgen: {tmp_path}/none: No such file or directory\n"
    assert result.returncode == 2


def test_a_schema_with_a_pattern_that_acpgen_has_not_judges_nothing(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    params = {
        "x-method": "a/b",
        "x-side": "agent",
        "type": "object",
        "properties": {"p": {"type": "string", "pattern": "\\p{Lu}"}},
    }
    schema.write_text(json.dumps({"$defs": {"ABRequest": params}}))
    message = b'{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"p":"x"}}'
    result = run("--schema", schema, stdin=message)
    assert result.stdout == b""
    assert b"unusable-pattern" in result.stderr
    assert result.returncode == 2


def test_a_transcript_says_itself_who_sends() -> None:
    result = run("--from", "client", SESSION)
    assert result.stdout == b""
    assert b"is a transcript, which names its senders; leave out --from" in result.stderr
    assert result.returncode == 2


def test_the_recorded_session_of_the_official_peer_is_accepted() -> None:
    result = run(SESSION)
    count = SESSION.read_bytes().count(b"\n")
    assert result.stdout == b""
    assert result.stderr.decode() == f"{count} messages: {count} accepted, 0 refused\n"
    assert result.returncode == 0


def test_the_faults_that_the_official_peer_answered_are_found() -> None:
    result = run("--format", "json", FAULTS)
    found = json.loads(result.stdout)["findings"]
    assert [(row["line"], row["code"], row["pointer"]) for row in found] == [
        (17, -32602, "/params/title"),
        (19, -32602, "/params/idempotencyKey"),
    ]
    assert result.returncode == 1


def test_json_is_one_document_with_exact_names() -> None:
    message = b'{"jsonrpc":"2.0","method":"x\\u001b","a\\nb":1,"a\\nb":2,"c\\u0000":{"d":1,"d":1}}'
    result = run("--format", "json", stdin=GOOD + message + b"\n" + BAD)
    found = json.loads(result.stdout)["findings"]
    assert [(row["line"], row["rule"], row["pointer"], row["method"]) for row in found] == [
        (2, "unknown-method", "/method", "x\x1b"),
        (2, "duplicate-member", "/a\nb", "x\x1b"),
        (2, "duplicate-member", "/c\0/d", "x\x1b"),
        (3, "type", "/params/cwd", "session/list"),
    ]


def test_json_without_findings() -> None:
    result = run("--format", "json", stdin=GOOD)
    document = json.loads(result.stdout)
    assert (document["findings"], document["complete"]) == ([], True)
    assert result.returncode == 0


def test_github_annotations_stay_on_their_line() -> None:
    message = b'{"jsonrpc":"2.0","id":1,"method":"x\\n::warning::y","params":{}}'
    result = run("--format", "github", stdin=message)
    assert result.stdout.decode() == (
        "::error file=<stdin>,line=1,title=unknown-method::"
        "x\\n::warning::y -32601 /method: is not a method of the protocol\n"
    )


def test_names_that_no_encoding_fits(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.json"
    Path(os.fsdecode(name)).write_bytes(BAD.replace(b"session/list", "会話".encode()))
    result = run(name, PYTHONIOENCODING="latin-1")
    assert b"/caf\\ufffd.json:1: \\u4f1a\\u8a71: error[unknown-method]" in result.stdout
    assert result.returncode == 1


def test_long_names_are_cut() -> None:
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x" * 100_000, "params": {}})
    result = run(stdin=message.encode())
    assert len(result.stdout) < 1000


def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    many = tmp_path / "many.ndjson"
    many.write_bytes(BAD * 5000)
    command = [sys.executable, "-m", "acpgen", "validate", str(many)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert SAYS.encode() in process.stdout.readline()
        process.stdout.close()
        reported = process.stderr.read()
    assert reported == b""
    assert process.returncode != 0


@pytest.mark.parametrize(("size", "shown"), [(4_100_000, True), (1000, False)])
def test_progress_shows_on_a_terminal_when_it_takes_long(
    size: int, shown: bool, tmp_path: Path
) -> None:
    long = tmp_path / "long.ndjson"
    long.write_bytes((b" " * 20_000 + GOOD) * (size // 20_000) + BAD)
    primary, secondary = pty.openpty()
    command = [sys.executable, "-m", "acpgen", "validate", str(long)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=secondary) as process:
        os.close(secondary)
        assert process.stdout is not None
        reported = b""
        while chunk := _read(primary):
            reported += chunk
        assert SAYS.encode() in process.stdout.read()
    os.close(primary)
    assert (b"judging" in reported) is shown
    assert b"1 refused" in reported


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_what_the_command_imports() -> None:
    code = """
import sys
from acpgen.cli.validate import validate
from acpgen.judge.transcript import Transcript
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"pydantic", "jinja2", "datamodel_code_generator", "jsonschema"}))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
