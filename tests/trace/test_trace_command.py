"""`acpgen trace` as people and CI call it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from acpgen.cli.trace import trace
from case_folders import expected
from transcripts import CASES

ERROR = CASES / "key-reused" / "bad-other-words"
WARNING = CASES / "keyless-resend" / "bad-new-connection"
NOTE = CASES / "unanswered-request" / "bad-prompt-not-sent-again"
CLEAN = CASES / "key-reused" / "ok-new-key"

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(trace)


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def place(workplace: Path, case: Path, name: str = "transcript.ndjson") -> str:
    """Put the transcript of a case into the current folder."""
    shutil.copy(case / "transcript.ndjson", workplace / name)
    return name


def test_a_clean_recording_is_0(workplace: Path) -> None:
    result = run(place(workplace, CLEAN))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "transcript.ndjson: 8 messages on 1 connection, no findings\n"


def test_an_error_is_1(workplace: Path) -> None:
    result = run(place(workplace, ERROR))
    assert (result.exit_code, result.stdout) == (1, expected(ERROR))
    assert result.stderr == "transcript.ndjson: 8 messages on 1 connection, 1 finding\n"


@pytest.mark.parametrize("case", [WARNING, NOTE], ids=["warning", "note"])
def test_warnings_and_notes_are_0(workplace: Path, case: Path) -> None:
    result = run(place(workplace, case))
    assert (result.exit_code, result.stdout) == (0, expected(case))


def test_each_file_is_a_recording_of_its_own(workplace: Path) -> None:
    result = run(place(workplace, CLEAN, "a.ndjson"), place(workplace, ERROR, "b.ndjson"))
    assert result.exit_code == 1
    assert result.stdout.startswith("b.ndjson:7: ")
    assert len(result.stderr.splitlines()) == 2


def test_a_dash_is_standard_input() -> None:
    result = run("-", stdin=(ERROR / "transcript.ndjson").read_bytes())
    assert result.exit_code == 1
    assert result.stdout == expected(ERROR).replace("transcript.ndjson", "<stdin>")


@pytest.mark.usefixtures("workplace")
def test_a_file_that_is_not_there_is_2() -> None:
    result = run("missing.ndjson")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "acpgen: missing.ndjson: No such file or directory\n"


@pytest.mark.parametrize(
    "content", ["", "\n", "5\n", "{}\n", '{"jsonrpc":"2.0","method":"_x"}\n', "nothing"]
)
def test_what_is_no_transcript_is_2(workplace: Path, content: str) -> None:
    (workplace / "messages.ndjson").write_text(content)
    result = run("messages.ndjson")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        'acpgen: messages.ndjson:1: is no transcript: its lines need "from" and "message"\n'
    )


def test_a_broken_line_is_2_although_another_file_has_findings(workplace: Path) -> None:
    broken = place(workplace, CLEAN, "broken.ndjson")
    with (workplace / broken).open("a") as stream:
        stream.write('{"from":"client","mess')
    result = run(broken, place(workplace, ERROR))
    assert (result.exit_code, result.stdout) == (2, expected(ERROR))
    assert result.stderr.startswith("acpgen: broken.ndjson:9: is not JSON: ")


def test_json_is_one_document(workplace: Path) -> None:
    first, second = place(workplace, ERROR, "a.ndjson"), place(workplace, WARNING, "b.ndjson")
    found = json.loads(run(first, second, "--format", "json").stdout)["findings"]
    assert [(f["file"], f["line"], f["rule"]) for f in found] == [
        ("a.ndjson", 7, "key-reused"),
        ("b.ndjson", 11, "keyless-resend"),
    ]


def test_github_gets_annotations(workplace: Path) -> None:
    result = run(place(workplace, ERROR), "--format", "github")
    assert result.stdout.startswith("::error file=transcript.ndjson,line=7,title=key-reused::")


def test_a_schema_that_is_none_is_2(workplace: Path) -> None:
    (workplace / "broken.json").write_text("{")
    result = run(place(workplace, CLEAN), "--schema", "broken.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("acpgen: broken.json: is no schema to judge by\n")


def test_a_schema_that_is_missing_is_2(workplace: Path) -> None:
    result = run(place(workplace, CLEAN), "--schema", "nowhere.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nowhere.json" in result.stderr
