"""`acpgen trace` as people and CI call it."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from acpgen import resources
from acpgen.cli.trace import trace
from acpgen.trace import RULES
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


@pytest.mark.parametrize("content", ["5\n", "{}\n", "nothing"])
def test_what_has_no_messages_is_2(workplace: Path, content: str) -> None:
    (workplace / "messages.ndjson").write_text(content)
    result = run("messages.ndjson")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "acpgen: messages.ndjson: no line is a message; line 1 is the first: "
    )


def test_a_broken_line_is_2_although_another_file_has_findings(workplace: Path) -> None:
    broken = place(workplace, CLEAN, "broken.ndjson")
    with (workplace / broken).open("a") as stream:
        stream.write('{"from":"client","mess')
    result = run(broken, place(workplace, ERROR))
    assert (result.exit_code, result.stdout) == (2, expected(ERROR))
    assert result.stderr.startswith("acpgen: broken.ndjson:9: is cut off, so it is not judged\n")
    assert "broken.ndjson: 8 messages on 1 connection, no findings" in result.stderr


def test_a_broken_line_before_others_is_2(workplace: Path) -> None:
    broken = place(workplace, CLEAN, "broken.ndjson")
    with (workplace / broken).open("a") as stream:
        stream.write('{"from":"client","mess\n{"from":"client","message":{}}\n')
    result = run(broken, place(workplace, ERROR))
    assert (result.exit_code, result.stdout) == (2, expected(ERROR))
    assert "acpgen: broken.ndjson:9: is not JSON, so it is not judged\n" in result.stderr
    assert "broken.ndjson: 9 messages on 1 connection, no findings" in result.stderr


def test_messages_on_one_line_have_numbers(workplace: Path) -> None:
    lines = (ERROR / "transcript.ndjson").read_text().splitlines()
    (workplace / "array.json").write_text(f"[{','.join(lines)}]")
    spread = run(place(workplace, ERROR), "--format", "json")
    found = run("array.json", "--format", "json")
    rows = [json.loads(each.stdout)["findings"] for each in (spread, found)]
    assert rows[0]
    assert {row["line"] for row in rows[1]} == {1}
    assert [row["line"] for row in rows[0]] == [row["number"] for row in rows[1]]
    texts = [row["message"].replace("on line 5", "in message 5") for row in rows[0]]
    assert texts == [row["message"] for row in rows[1]]
    assert "in message 5" in texts[0]


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
    assert result.stderr.endswith("acpgen: broken.json: is not a schema to judge by\n")


def test_a_schema_that_is_missing_is_2(workplace: Path) -> None:
    result = run(place(workplace, CLEAN), "--schema", "nowhere.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nowhere.json" in result.stderr


def test_a_document_says_what_could_not_be_read(workplace: Path) -> None:
    result = run("missing.ndjson", place(workplace, ERROR), "--format", "json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["complete"], found["command"]) == (2, False, "trace")
    assert found["problems"] == [
        {
            "file": "missing.ndjson",
            "line": None,
            "kind": "unread",
            "message": "No such file or directory",
        }
    ]
    assert found["counts"]["messages"] == 8
    assert found["counts"]["refused"] is None


def test_findings_name_the_connection(workplace: Path) -> None:
    found = json.loads(run(place(workplace, WARNING), "--format", "json").stdout)["findings"]
    lines = (workplace / "transcript.ndjson").read_text().splitlines()
    named = [json.loads(lines[row["line"] - 1])["connection"] for row in found]
    assert named
    assert [row["connection"] for row in found] == named


def test_keys_are_shown_to_who_asks(workplace: Path) -> None:
    transcript = place(workplace, ERROR)
    sent = (workplace / transcript).read_text().partition('"idempotencyKey":')[2]
    key = sent.split('"')[1]
    assert key not in run(transcript).stdout
    assert f'the key "{key}" with another prompt' in run(transcript, "--show-keys").stdout


@pytest.mark.parametrize(
    ("case", "status"), [(ERROR, 1), (WARNING, 1), (NOTE, 0), (CLEAN, 0)], ids=lambda x: str(x)[-9:]
)
def test_warnings_can_be_failed_on(workplace: Path, case: Path, status: int) -> None:
    result = run(place(workplace, case), "--fail-on", "warning")
    assert (result.exit_code, result.stdout) == (status, run("transcript.ndjson").stdout)


def test_a_summary_counts_rules(workplace: Path) -> None:
    result = run(place(workplace, ERROR), "--summary", "--quiet")
    assert (result.stdout, result.stderr) == ("       1  error      key-reused\n", "")


def test_it_stops_after_as_many_errors_as_asked_for(workplace: Path) -> None:
    files = [place(workplace, ERROR, name) for name in ("a.ndjson", "b.ndjson")]
    result = run(*files, "--max-errors", "1")
    assert (result.exit_code, len(result.stdout.splitlines())) == (1, 1)
    assert result.stderr.startswith(
        "acpgen: a.ndjson: has 1 error up to here, the limit; the rest is left out\n"
    )


def test_what_is_left_out_after_the_limit_is_counted_nowhere(workplace: Path) -> None:
    name = place(workplace, ERROR)
    *begun, reused, answer = (workplace / name).read_text("utf-8").splitlines()
    later = [line.replace('"id":8', f'"id":{n}') for n in (8, 9, 10) for line in (reused, answer)]
    (workplace / name).write_text("\n".join([*begun, *later]) + "\n", "utf-8")
    assert run(name).stderr.endswith(": 12 messages on 1 connection, 3 findings\n")
    reported = run(name, "--max-errors", "2")
    assert len(reported.stdout.splitlines()) == 2
    assert reported.stderr.splitlines() == [
        f"acpgen: {name}: has 2 errors up to here, the limit; the rest is left out",
        f"{name}: 12 messages on 1 connection, 2 findings",
    ]
    report = json.loads(run(name, "--max-errors", "2", "--format", "json").stdout)
    assert len(report["findings"]) == report["counts"]["errors"] == 2


def test_gzip_is_read(workplace: Path) -> None:
    packed = gzip.compress((ERROR / "transcript.ndjson").read_bytes())
    (workplace / "a.gz").write_bytes(packed)
    (workplace / "cut.gz").write_bytes(packed[:-20])
    assert run("a.gz").exit_code == 1
    result = run("cut.gz")
    assert result.exit_code == 2
    cut = "cut.gz: is cut off: the gzip or zstd in it has no end; what came before was read"
    assert f"acpgen: {cut}\n" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_no_messages_give_no_verdict(arguments: list[str]) -> None:
    result = run(*arguments, stdin=b"\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "acpgen: <stdin>: no messages, so there is nothing to judge\n"


IDLE = f"{sum(rule.needs_keys for rule in RULES.values())} of {len(RULES)} rules can't be applied"


def without_keys(workplace: Path) -> str:
    """A schema whose methods have neither classes nor keys, as those before them were."""
    bundle = json.loads((resources.ROOT / "generated/schema/acp-v2.schema.json").read_text("utf-8"))
    for definition in bundle["$defs"].values():
        for word in ("x-retry-class", "x-resend", "x-undoes", "x-docs", "x-errors", "x-carries"):
            definition.pop(word, None)
        definition.get("properties", {}).pop("idempotencyKey", None)
    (workplace / "old.json").write_text(json.dumps(bundle))
    return "old.json"


@pytest.mark.parametrize("quiet", [[], ["--quiet"]], ids=["reported", "quiet"])
def test_rules_that_a_schema_leaves_idle_are_reported(workplace: Path, quiet: list[str]) -> None:
    result = run(place(workplace, ERROR), "--schema", without_keys(workplace), *quiet)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines()[0] == (
        f"acpgen: old.json: states no method that takes a key, so {IDLE}: those about prompts and "
        "their keys"
    )


def test_rules_that_the_version_of_a_recording_leaves_idle_are_reported(workplace: Path) -> None:
    transcript = place(workplace, CLEAN)
    text = (workplace / transcript).read_text()
    (workplace / transcript).write_text(text.replace('"protocolVersion":2', '"protocolVersion":1'))
    result = run(transcript, "--quiet")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "acpgen: transcript.ndjson: settles on version 1 of the protocol, and the schema is of "
        f"version 2; with version 1, {IDLE}: those about prompts and their keys\n"
    )
