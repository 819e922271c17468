"""Folders, patterns, and several files at once, with the result of one process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from acpgen.cli.progress import Bar
from acpgen.cli.worker_pool import FileCounts, WorkerPool
from acpgen.logs import expanded
from acpgen.report import Tally
from command_calls import APP
from proofs import a_few

LIST = '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}'
CASES = Path(__file__).parents[1] / "logs" / "cases"
HIDDEN = Bar(0, hidden=True)


def run(folder: Path, *words: str) -> tuple[int, bytes, bytes]:
    call = [sys.executable, "-m", "acpgen", *words]
    done = subprocess.run(call, cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with logs that have findings, and one that is not a log."""
    monkeypatch.chdir(tmp_path)
    inner = tmp_path / "inner" / "deep"
    inner.mkdir(parents=True)
    for place, name in enumerate(("dir-msg.jsonl", "names.log", "array-of-lines.json", "one.har")):
        target = inner if place % 2 else tmp_path
        (target / name).write_bytes((CASES / name).read_bytes())
    (tmp_path / "readme").write_text("no messages\n")
    (tmp_path / ".hidden").write_text("{}")
    (tmp_path / "tap.ndjson.secret").write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["inner"], ["inner/deep/names.log", "inner/deep/one.har"]),
        (["*.json*"], ["array-of-lines.json", "dir-msg.jsonl"]),
        (["**/*.log"], ["inner/deep/names.log"]),
        (["readme", "read*", "-"], ["readme", "-"]),
        (["none*", "none"], ["none*", "none"]),
        (["i[n]ner"], ["inner/deep/names.log", "inner/deep/one.har"]),
        (["a*", "."], ["array-of-lines.json", "dir-msg.jsonl", "readme", "inner/deep/names.log"]),
    ],
)
@pytest.mark.usefixtures("logs")
def test_folders_and_patterns_are_files(words: list[str], files: list[str]) -> None:
    assert list(expanded(words))[: len(files)] == files


@pytest.mark.usefixtures("logs")
def test_a_file_whose_name_looks_like_a_pattern_is_itself() -> None:
    Path("a[1].json").write_text("")
    assert expanded(["a[1].json"]) == ("a[1].json",)


@pytest.mark.parametrize(
    "words",
    a_few(
        [
            ["validate"],
            ["validate", "--format", "json"],
            ["validate", "--format", "junit", "--strict"],
            ["validate", "--summary", "-q"],
            ["validate", "--max-errors", "3"],
            ["trace"],
            ["trace", "--format", "sarif", "--max-errors", "1"],
        ],
        [["validate", "--max-errors", "3"]],
        "starts processes for each",
    ),
    ids=" ".join,
)
def test_several_processes_have_the_result_of_one(logs: Path, words: list[str]) -> None:
    once = run(logs, *words, ".")
    assert run(logs, *words, ".", "--jobs", "2") == once
    assert len(once[1]) + len(once[2]) > 50


class Fragile:
    """Work that ends its process at one of the files."""

    def __init__(self, fatal: str) -> None:
        self._fatal = fatal

    def __call__(self, file: str, write: Callable[[str], object], bar: Bar) -> FileCounts:
        if file == self._fatal:
            os._exit(9)
        write("")
        bar.advance(5)
        return FileCounts(Tally("validate"), summary=file)


def test_a_file_whose_process_ended_is_left_to_this_one() -> None:
    files = ["a", "b", None, "c"]
    with WorkerPool(1, partial(Fragile, "b"), HIDDEN) as pool:
        found = [each and each.counts.summary for each in pool.outcomes(files)]
    assert found == ["a", None, None, "c"]


@pytest.mark.parametrize("word", ["", "/*"])
def test_what_the_kit_writes_beside_a_transcript_is_left_out(word: str, tmp_path: Path) -> None:
    for name in ("a.ndjson", "a.steps.json", "a.stderr", "b.steps.json"):
        (tmp_path / name).write_text("{}")
    found = [Path(file).name for file in expanded([f"{tmp_path}{word}"])]
    assert found == ["a.ndjson", "b.steps.json"]


@pytest.mark.parametrize("ending", [".stderr", ".steps.json"])
def test_a_pattern_may_name_what_the_kit_writes(ending: str, tmp_path: Path) -> None:
    for name in ("a.ndjson", "a.steps.json", "a.stderr"):
        (tmp_path / name).write_text("{}")
    assert expanded([f"{tmp_path}/*{ending}"]) == (f"{tmp_path}/a{ending}",)


def test_a_log_beside_a_transcript_without_steps_is_no_output_of_the_kit(tmp_path: Path) -> None:
    for name in ("a.ndjson", "a.stderr"):
        (tmp_path / name).write_text("{}")
    assert len(expanded([str(tmp_path)])) == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("word", [".", "*"])
def test_what_may_never_end_is_left_out(
    word: str, jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("a.ndjson")
    Path("b.ndjson").symlink_to("missing")
    Path("c.ndjson").write_text(f"{LIST}\n", "utf-8")
    result = CliRunner().invoke(APP, ["validate", word, "--jobs", jobs])
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 message: 1 accepted, 0 refused\n"


@pytest.mark.parametrize("command", ["validate", "validate --follow", "trace", "view", "convert"])
def test_no_secret_of_the_tap_is_read_or_shown(command: str, tmp_path: Path) -> None:
    secret = "b188cc1b4cd1b1c6adb64ba3a33d3597"
    log, beside = tmp_path / "a.ndjson", tmp_path / "a.ndjson.secret"
    log.write_text(f"{LIST}\n", "utf-8")
    beside.write_text(f"{secret}\n", "utf-8")
    assert expanded([str(log), str(beside)]) == (str(log),)
    assert expanded([f"{tmp_path}/*"]) == (str(log),)
    result = CliRunner().invoke(APP, [*command.split(), str(beside)])
    assert result.exit_code == 2
    assert secret not in result.output
    assert "acpgen tap keeps secrets in files" in result.output


@pytest.mark.parametrize("command", ["validate", "trace"])
def test_pages_of_view_in_a_folder_are_no_logs(command: str, tmp_path: Path) -> None:
    message = '-> {"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
    (tmp_path / "a.log").write_text(message)
    (tmp_path / "notes.html").write_text(f"<pre>\n{message}</pre>\n")
    runner = CliRunner()
    assert runner.invoke(APP, ["view", str(tmp_path / "a.log"), "-o", str(tmp_path)]).exit_code == 0
    assert (tmp_path / "a.html").exists()
    for word in (str(tmp_path), f"{tmp_path}/*"):
        result = runner.invoke(APP, [command, word])
        assert "a.html" not in result.output
        assert "notes.html" in result.output
        assert result.exit_code == 0
