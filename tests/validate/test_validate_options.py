"""The options of `acpgen validate` that shape its report, and following a log that grows."""

from __future__ import annotations

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import unavailable
from acpgen.startup import options as arguments
from command_calls import call_acpgen
from proofs import a_few
from waiting import HANGS

GOOD = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
BAD = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5}}\n'
TWICE_BAD = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":5,"mcpServers":5}}\n'
RECOVERED = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
    b'{"sessionUpdate":"available_commands_update","availableCommands":[5]}}}\n'
)

MISPLACED = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"idempotencyKey":"a"}}\n'
OPTIONAL = b'{"jsonrpc":"2.0","method":"$/else","params":{}}\n'
SAYS = "session/list: error[type] -32602 /params/cwd: must be a string or null, not an integer"


def command(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "acpgen", "validate", *map(str, args)]


def run(*args: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    status, printed, noted = call_acpgen("validate", *args, stdin=stdin)
    return subprocess.CompletedProcess(args, status, printed, noted)


def document(*args: str | Path, stdin: bytes = b"") -> dict[str, Any]:
    found = json.loads(run("--format", "json", *args, stdin=stdin).stdout)
    assert isinstance(found, dict)
    return found


def test_a_file_that_cannot_be_read_makes_the_document_incomplete(tmp_path: Path) -> None:
    bad = tmp_path / "bad.ndjson"
    bad.write_bytes(BAD + GOOD)
    found = document(tmp_path / "none", bad)
    assert found["complete"] is False
    assert found["problems"] == [
        {
            "file": f"{tmp_path}/none",
            "line": None,
            "kind": "unread",
            "message": "No such file or directory",
        }
    ]
    assert found["inputs"] == [
        {"file": f"{tmp_path}/none", "messages": 0},
        {"file": str(bad), "messages": 2},
    ]
    assert found["counts"] == {
        "messages": 2,
        "accepted": 1,
        "refused": 1,
        "unjudged": 0,
        "other_version": 0,
        "errors": 1,
        "recovered": 0,
        "warnings": 0,
        "notes": 0,
    }


def test_a_broken_schema_makes_a_document_that_says_so(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text("{")
    found = document("--schema", schema, stdin=GOOD)
    assert (found["complete"], found["findings"]) == (False, [])
    (problem,) = found["problems"]
    assert (problem["file"], problem["line"]) == (str(schema), None)
    assert problem["message"] == "is not a schema to judge by"


@pytest.mark.parametrize("form", ["github", "sarif", "junit"])
def test_the_other_formats_say_what_cannot_be_read(tmp_path: Path, form: str) -> None:
    result = run("--format", form, tmp_path / "none")
    assert "No such file or directory" in result.stdout
    assert result.returncode == 2


def test_a_connection_is_named_as_in_the_transcript() -> None:
    line = json.dumps({"from": "client", "connection": "b", "message": json.loads(BAD)})
    (row,) = document(stdin=line.encode())["findings"]
    assert (row["connection"], row["method"], row["code"]) == ("b", "session/list", -32602)


def test_strict_refuses_what_receivers_recover_from() -> None:
    lenient, strict = run(stdin=RECOVERED), run("--strict", stdin=RECOVERED)
    assert (lenient.returncode, strict.returncode) == (0, 1)
    assert "recovered[type]" in lenient.stdout
    assert "error[type]" in strict.stdout
    assert strict.stderr == "1 message: 0 accepted, 1 refused\n"


def test_the_summary_explains_recovered_values() -> None:
    assert run(stdin=RECOVERED).stderr == (
        "1 message: 1 accepted, 0 refused; 1 value recovered: receivers use the default or skip "
        "the item, and --strict refuses the message\n"
    )


@pytest.mark.parametrize(
    ("message", "status"),
    [(GOOD, 0), (BAD, 1), (RECOVERED, 1), (MISPLACED, 1), (OPTIONAL, 0)],
    ids=["clean", "error", "recovered", "warning", "note"],
)
def test_warnings_can_be_failed_on(message: bytes, status: int) -> None:
    plain, result = run(stdin=message), run("--fail-on", "warning", stdin=message)
    assert plain.returncode == (message == BAD)
    assert (result.returncode, result.stdout) == (status, plain.stdout)
    assert run("--fail-on", "error", stdin=message).returncode == plain.returncode


@pytest.mark.parametrize(("limit", "lines"), [(1, 1), (2, 2), (3, 3)])
def test_it_stops_after_as_many_errors_as_asked_for(limit: int, lines: int) -> None:
    result = run("--max-errors", str(limit), stdin=BAD + TWICE_BAD + BAD)
    assert len(result.stdout.splitlines()) == lines
    assert result.returncode == 1
    assert "up to here, the limit; the rest is left out" in result.stderr


def test_it_does_not_read_on_after_the_limit() -> None:
    found = document("--max-errors", "1", stdin=BAD + GOOD * 10)
    assert found["inputs"] == [{"file": "<stdin>", "messages": 1}]
    assert found["complete"] is False


def test_quiet_leaves_out_the_summary_and_nothing_else(tmp_path: Path) -> None:
    result = run("--quiet", stdin=BAD)
    assert (result.stdout, result.stderr) == (f"<stdin>:1: {SAYS}\n", "")
    assert "No such file" in run("-q", tmp_path / "none").stderr


def test_a_summary_counts_rules() -> None:
    result = run("--summary", stdin=BAD + GOOD + TWICE_BAD + RECOVERED)
    assert result.stdout == "       3  error      type\n       1  recovered  type\n"
    assert result.returncode == 1
    found = document("--summary", stdin=BAD + RECOVERED)
    assert (found["findings"], len(found["rules"])) == ([], 2)


@pytest.mark.parametrize(
    "form", a_few(("ndjson", "github", "sarif", "junit"), {"junit"}, "starts one more command")
)
@pytest.mark.parametrize("by_typer", [(), ("--from=client",)])
def test_a_form_without_numbers_has_no_summary(form: str, by_typer: Sequence[str]) -> None:
    result = run("--summary", "--format", form, *by_typer, stdin=BAD)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"--format {form} has none" in result.stderr
    assert "text and json have" in result.stderr


def test_nor_has_it_one_of_a_trace() -> None:
    line = b'{"from": "client", "message": %s}\n' % BAD.strip()
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", "trace", "--summary", "--format", "junit"],
        input=line,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"acpgen: --summary has no form of junit; text and json have one\n"


def test_sarif_explains_its_rules() -> None:
    (rule,) = json.loads(run("--format", "sarif", stdin=BAD).stdout)["runs"][0]["tool"]["driver"][
        "rules"
    ]
    assert rule["shortDescription"]["text"] == "A value is of the JSON type that its member has."


def test_junit_is_well_formed() -> None:
    result = run("--format", "junit", stdin=BAD + GOOD)
    assert ET.fromstring(result.stdout.encode())[0].get("failures") == "1"


def test_a_terminal_gets_a_sheet_in_colour() -> None:
    primary, secondary = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        command("-"), stdin=subprocess.PIPE, stdout=secondary, env=environment
    ) as process:
        os.close(secondary)
        assert process.stdin is not None
        process.stdin.write(BAD)
        process.stdin.close()
        shown = b""
        while chunk := _read(primary):
            shown += chunk
    os.close(primary)
    assert b"\x1b[1m<stdin>\x1b[0m\r\n     1  \x1b[31merror\x1b[0m      session/list" in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@contextmanager
def running(*args: str | Path, stdin: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """The command while it waits for more input."""
    with subprocess.Popen(
        command(*args), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def caught_up(process: subprocess.Popen[bytes]) -> None:
    """Wait until it sleeps: it has judged all that is there, and waits for more."""
    stat = Path(f"/proc/{process.pid}/stat")
    while process.poll() is None and stat.read_text().rpartition(")")[2].split()[0] != "S":
        time.sleep(0.01)


def ended(process: subprocess.Popen[bytes], by: signal.Signals) -> tuple[int, str, str]:
    """The exit status after a signal, and what was still reported."""
    assert process.stdout is not None
    assert process.stderr is not None
    process.send_signal(by)
    out, err = process.stdout.read(), process.stderr.read()
    return process.wait(timeout=HANGS), out.decode(), err.decode()


def test_ndjson_says_at_once_what_it_finds() -> None:
    with running("--format", "ndjson", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for number in (1, 2):
            process.stdin.write(BAD)
            process.stdin.flush()
            assert json.loads(line_of(process))["line"] == number


def test_ndjson_has_a_line_that_is_not_json_at_once() -> None:
    """It has an end, so the log is not cut off in it."""
    with running("--format", "ndjson", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(GOOD + b'{"jsonrpc":"2.0","id":1,nul}\n')
        process.stdin.flush()
        found = json.loads(line_of(process))
        assert (found["line"], found["rule"]) == (2, "not-json")


@pytest.mark.parametrize("prefix", [b"", b"-> "], ids=["bare", "prefixed"])
def test_ndjson_has_a_broken_line_as_soon_as_a_longer_one_comes(prefix: bytes) -> None:
    """Before that, it may be one of those that the log cuts at one length."""
    with running("--format", "ndjson", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        opening = {"protocolVersion": 2, "info": {"name": "a", "version": "1"}}
        texts = [
            json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening}),
            '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"' + "x" * 99,
            GOOD.decode().replace("{}", '{"cursor":"%s"}' % ("x" * 199)).rstrip(),
        ]
        process.stdin.writelines(prefix + text.encode() + b"\n" for text in texts)
        process.stdin.flush()
        found = json.loads(line_of(process))
        assert (found["line"], found["rule"]) == (2, "not-json")


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_log_is_followed_until_somebody_interrupts(tmp_path: Path, by: signal.Signals) -> None:
    log = tmp_path / "log.ndjson"
    log.write_bytes(GOOD + BAD)
    with running("--follow", log) as process:
        assert line_of(process) == f"{log}:2: {SAYS}\n"
        with log.open("ab") as stream:
            stream.write(GOOD + BAD + GOOD[:9])
        assert line_of(process) == f"{log}:4: {SAYS}\n"
        log.rename(tmp_path / "log.1")
        log.write_bytes(BAD)
        assert line_of(process).startswith(f"{log}:5: error[not-json]")
        assert line_of(process) == f"{log}:1: {SAYS}\n"
        status, out, err = ended(process, by)
    assert (status, out) == (1, "")
    assert err == (
        f"acpgen: {log}: was moved away; going on with the file that has its name now\n"
        "6 messages: 2 accepted, 4 refused\n"
    )


def test_a_clean_log_that_was_followed_is_0(tmp_path: Path) -> None:
    log = tmp_path / "log.ndjson"
    log.write_bytes(GOOD + RECOVERED)
    with running("-f", "--format", "json", log) as process:
        start = "".join(line_of(process) for _ in range(4))
        status, out, err = ended(process, signal.SIGINT)
    found = json.loads(start + out)
    assert (status, found["complete"]) == (0, True)
    assert err.startswith("2 messages: 2 accepted, 0 refused; ")


def test_a_message_that_the_log_cuts_is_reported_at_the_end(tmp_path: Path) -> None:
    log = tmp_path / "log.ndjson"
    log.write_bytes(GOOD + b'{"jsonrpc":"2.0","id":9,"result":"..."}\n' + BAD)
    with running("--follow", log) as process:
        assert line_of(process) == f"{log}:3: {SAYS}\n"
        status, _, err = ended(process, signal.SIGINT)
    assert status == 2
    assert f"acpgen: {log}:2: is cut by the log" in err


def test_an_unfinished_line_is_not_judged(tmp_path: Path) -> None:
    log = tmp_path / "log.ndjson"
    log.write_bytes(BAD + GOOD.rstrip())
    with running("--follow", log) as process:
        line_of(process)
        caught_up(process)
        status, _, err = ended(process, signal.SIGINT)
    assert status == 1
    assert err == (
        f"acpgen: {log}: the last line is not complete, so it is not judged\n"
        "1 message: 0 accepted, 1 refused\n"
    )


def test_a_name_moves_no_cursor(tmp_path: Path) -> None:
    log = tmp_path / "a\x1b[2J\nlog"
    log.write_bytes(BAD + GOOD.rstrip())
    with running("--follow", log) as process:
        reported = line_of(process)
        caught_up(process)
        status, _, err = ended(process, signal.SIGINT)
    assert status == 1
    assert reported == f"{tmp_path}/a\\x1b[2J\\nlog:1: {SAYS}\n"
    assert "\x1b" not in err
    assert f"acpgen: {tmp_path}/a\\x1b[2J\\nlog: the last line is not complete" in err


def test_gzip_is_not_followed(tmp_path: Path) -> None:
    log = tmp_path / "log.gz"
    log.write_bytes(gzip.compress(GOOD))
    result = run("--follow", log)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        f"acpgen: {log}: is gzip, which does not grow by lines: leave out --follow, which reads "
        "plain text\n"
    )


def test_a_log_that_is_not_there_is_2(tmp_path: Path) -> None:
    result = run("--follow", tmp_path / "none")
    assert (result.returncode, result.stdout) == (2, "")
    assert "No such file or directory" in result.stderr


@pytest.mark.parametrize("files", [(), ("-",), ("a", "b")])
def test_there_is_one_file_to_follow(files: Sequence[str]) -> None:
    result = run("--follow", *files)
    assert result.returncode == 2
    assert "there must be one FILE to follow" in result.stderr
    assert ("leave out --follow" in " ".join(result.stderr.split())) is (len(files) < 2)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_full_disk_is_2_and_no_fault_of_acpgen(form: str) -> None:
    if not Path("/dev/full").exists():
        unavailable.skip("this system does not have /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("--format", form), input=BAD, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"acpgen: can't go on: standard output: No space left on device\n"


def test_an_interruption_is_2_and_the_document_says_so() -> None:
    with running("--format", "json", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(BAD * 60)  # more than it buffers, less than a pipe holds
        process.stdin.flush()
        start = "".join(line_of(process) for _ in range(20))
        caught_up(process)
        status, out, err = ended(process, signal.SIGINT)
    found = json.loads(start + out)
    assert (status, found["complete"]) == (2, False)
    assert [problem["file"] for problem in found["problems"]] == ["<stdin>"]
    assert "60 messages: 0 accepted, 60 refused" in err


@pytest.mark.parametrize(
    "wrong", [["--max-errors", "0"], ["--max-errors", "x"], ["--max-errors=-1"], ["--strict=yes"]]
)
def test_values_that_make_no_sense_are_2(wrong: list[str]) -> None:
    assert arguments.parse([*wrong, "f"]) is None
    assert run(*wrong, stdin=GOOD).returncode == 2
