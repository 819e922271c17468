"""`acpgen convert`: what it reads, and where it refuses to write."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

LIST = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
CASES = Path(__file__).parents[1] / "logs" / "cases"
PAGE = (
    '# Page\n\n```json\n{"jsonrpc": "2.0", "method": "session/list", "params": {}, "id": 1}\n```\n'
)


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(APP, [str(word) for word in words])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "logs" / "a.log"
    path.parent.mkdir()
    path.write_bytes((CASES / "names.log").read_bytes())
    return path


def itself(log: Path) -> Path:
    return log


def symlink(log: Path) -> Path:
    other = log.with_name("symlink.log")
    other.symlink_to(log)
    return other


def hard_link(log: Path) -> Path:
    other = log.with_name("hard.log")
    os.link(log, other)
    return other


@pytest.mark.parametrize("other", [itself, symlink, hard_link])
def test_the_log_is_not_written_over(log: Path, other: Callable[[Path], Path]) -> None:
    before = log.read_bytes()
    output = other(log)
    result = run("convert", log, "-o", output)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"acpgen: {output}: is the log to convert, and the transcript would replace it\n"
    )
    assert log.read_bytes() == before


def test_the_log_on_standard_input_is_not_written_over(log: Path) -> None:
    before = log.read_bytes()
    call = [sys.executable, "-m", "acpgen", "convert", "-", "-o", str(log)]
    with log.open("rb") as stream:
        done = subprocess.run(call, stdin=stream, capture_output=True, check=False)
    assert (done.returncode, log.read_bytes()) == (2, before)
    assert b"is the log to convert" in done.stderr


def test_another_file_is_written_over(log: Path) -> None:
    output = log.with_name("old.ndjson")
    output.write_text("old")
    assert run("convert", log, "-o", output).exit_code == 0
    assert output.read_text().startswith('{"from":')


def test_an_output_that_cannot_be_written_is_named(log: Path) -> None:
    result = run("convert", log, "-o", log.parent)
    assert (result.exit_code, result.stderr) == (2, f"acpgen: {log.parent}: Is a directory\n")


def test_a_folder_with_one_log_is_that_log(log: Path) -> None:
    assert run("convert", log.parent, "-q").stdout == run("convert", log, "-q").stdout


def test_a_folder_with_two_logs_is_refused(log: Path) -> None:
    hard_link(log)
    result = run("convert", log.parent)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"acpgen: {log.parent}: is 2 files, and convert takes one: call it for each\n"
    )


@pytest.mark.parametrize("command", ["trace", "view", "convert"])
def test_a_page_is_read_by_its_name(command: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    out = ["-o", str(tmp_path / "page.html")] if command == "view" else []
    result = run(command, page, *out)
    assert result.exit_code == 0
    assert "1 message" in result.stderr
    assert "other output" not in result.stderr


def test_two_pages_need_a_folder(log: Path) -> None:
    result = run("view", log, hard_link(log), "-o", log.parent / "pages")
    assert result.exit_code == 2
    assert "is one page for 2 files: name a folder that exists, or leave it out" in result.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"Starting\n", "no line is a message; line 1 is the first: 'Starting'"),
        (gzip.compress(b"x" * 50)[:-12], "is cut off: the gzip or zstd in it has no end"),
    ],
    ids=["no-messages", "cut"],
)
def test_a_transcript_is_kept_where_there_is_none_for_it(
    text: bytes, reason: str, tmp_path: Path
) -> None:
    log, output = tmp_path / "a.log", tmp_path / "transcript.ndjson"
    log.write_bytes(text)
    output.write_text("before\n", "utf-8")
    result = run("convert", log, "-o", output)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"acpgen: {log}: {reason}")
    assert output.read_text("utf-8") == "before\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log", "transcript.ndjson"]


def test_what_comes_before_a_cut_is_written(tmp_path: Path) -> None:
    log, output = tmp_path / "a.log.gz", tmp_path / "transcript.ndjson"
    lines = b"".join(b"-> " + LIST.replace(b'"id":1', b'"id":%d' % n) for n in range(5_000))
    log.write_bytes(gzip.compress(lines)[:-20])
    result = run("convert", log, "-o", output)
    assert result.exit_code == 2
    assert "is cut off: the gzip or zstd in it has no end" in result.stderr
    assert f"{len(output.read_bytes().splitlines())} messages written" in result.stderr
    assert len(output.read_bytes().splitlines()) > 2_500


def test_a_link_stays_one_and_keeps_its_mode(log: Path, tmp_path: Path) -> None:
    output, link = tmp_path / "transcript.ndjson", tmp_path / "link"
    output.write_text("before\n", "utf-8")
    output.chmod(0o640)
    link.symlink_to(output)
    assert run("convert", log, "-o", link).exit_code == 0
    assert link.is_symlink()
    assert output.stat().st_mode & 0o777 == 0o640
    assert output.read_bytes().startswith(b'{"from": "client"')


@pytest.mark.parametrize("command", ["validate", "trace", "convert", "view"])
def test_a_line_beyond_the_limit_is_named(command: str, tmp_path: Path) -> None:
    log = tmp_path / "a.ndjson"
    log.write_bytes(b"-> " + LIST + b"x" * 2000 + b"\n-> " + LIST)
    out = ["-o", str(tmp_path / "page.html")] if command == "view" else []
    result = run(command, log, "--max-line", "1000", *out)
    assert result.exit_code == (0 if command == "view" else 2)
    words = ":2: is longer than 1000 bytes" if command != "view" else "line 2 is longer than 1000"
    assert words in result.stderr
    assert "--max-line" in result.stderr
    assert "2 messages" in result.stderr
