"""Reports of parts are, put together, the report of one call."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

CASES = Path(__file__).parents[1] / "logs" / "cases"
V1 = {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}}
INFO = {"name": "n", "version": "1"}
BEGUN = {"protocolVersion": 2, "info": INFO, "capabilities": {"session": {}}}
LOST = [
    {
        "from": "client",
        "message": {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": BEGUN},
    },
    {"from": "agent", "message": {"jsonrpc": "2.0", "id": 0, "result": BEGUN}},
    {
        "from": "client",
        "message": {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/w"}},
    },
]
"""A request without an answer."""


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(APP, [str(word) for word in words])


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Logs with and without findings, of another version, without messages, and of no shape."""
    monkeypatch.chdir(tmp_path)
    for name in ("array-of-lines.json", "dir-msg.jsonl", "agent-only.ndjson"):
        (tmp_path / name).write_bytes((CASES / name).read_bytes())
    (tmp_path / "v1.ndjson").write_text(json.dumps(V1) + "\n")
    (tmp_path / "lost.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in LOST))
    (tmp_path / "empty.ndjson").write_text("")
    (tmp_path / "text.log").write_text("no messages\n")
    return tmp_path


def part(command: str, name: str, *options: str) -> Path:
    path = Path(f"{name}.{command}.report")
    path.write_text(run(command, name, "--format", "json", *options).stdout)
    return path


WHOLE = ["array-of-lines.json", "dir-msg.jsonl", "agent-only.ndjson"]
TRACED = ["array-of-lines.json", "dir-msg.jsonl", "lost.ndjson"]
SETS = [WHOLE, ["agent-only.ndjson", "v1.ndjson"], ["agent-only.ndjson", "empty.ndjson"]]
SETS += [["v1.ndjson", "empty.ndjson"], ["empty.ndjson"], ["text.log", "dir-msg.jsonl"]]


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize("names", SETS, ids=lambda names: " ".join(names))
def test_the_parts_are_as_one_call(names: list[str]) -> None:
    parts = [part("validate", name) for name in names]
    once = run("validate", *names, "--format", "json")
    merged = run("report", "merge", *parts, "--format", "json")
    assert (merged.exit_code, merged.stdout) == (once.exit_code, once.stdout)
    assert merged.stderr.splitlines()[-1:] == once.stderr.splitlines()[-1:]


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize("form", ["text", "ndjson", "github", "sarif", "junit"])
def test_every_format_is_as_of_one_call(form: str) -> None:
    parts = [part("validate", name) for name in WHOLE]
    once = run("validate", *WHOLE, "--format", form)
    merged = run("report", "merge", *parts, "--format", form)
    assert (merged.exit_code, merged.stdout) == (1, once.stdout)


@pytest.mark.usefixtures("logs")
def test_a_summary_and_reports_of_trace_and_folders() -> None:
    Path("parts").mkdir()
    for name in TRACED:
        part("trace", name).rename(f"parts/{name}.json")
    once = run("trace", *sorted(TRACED), "--summary", "--fail-on", "warning")
    merged = run("report", "merge", "parts", "--summary", "--fail-on", "warning")
    assert (merged.exit_code, merged.stdout) == (once.exit_code, once.stdout)
    assert re.search(r"\d  note ", once.stdout)


@pytest.mark.usefixtures("logs")
def test_merged_reports_of_trace_have_a_line_for_each_file() -> None:
    once = run("trace", *TRACED).stderr.splitlines()[-3:]
    merged = run("report", "merge", *[part("trace", name) for name in TRACED])
    assert merged.stderr.splitlines() == [re.sub(r" on \d+ connections?", "", x) for x in once]
    quiet = run("report", "merge", part("trace", TRACED[0]), "--quiet")
    assert (quiet.exit_code, quiet.stderr) == (0, "")


@pytest.mark.usefixtures("logs")
def test_merged_counts_do_not_claim_findings_that_they_lack() -> None:
    counts = [part("trace", name, "--summary") for name in TRACED]
    messages = [x.split(" on ")[0] for x in run("trace", *TRACED).stderr.splitlines()[-3:]]
    assert run("report", "merge", *counts).stderr.splitlines() == messages


@pytest.mark.usefixtures("logs")
def test_a_part_that_reached_the_limit_is_a_finding() -> None:
    merged = run("report", "merge", part("validate", "dir-msg.jsonl", "--max-errors", "1"))
    assert merged.exit_code == 1
    assert "has 1 error up to here, the limit" in merged.stderr


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize(
    ("pointer", "value", "reason"),
    [
        (["format"], "acpgen.report/2", "is not a report of --format json at /format"),
        (["findings", 0, "severity"], "fatal", "at /findings/0/severity"),
        (["counts", "errors"], None, "at /counts/errors"),
    ],
)
def test_what_is_not_a_report_is_2(pointer: list[str | int], value: Any, reason: str) -> None:
    good = part("validate", "dir-msg.jsonl")
    document = json.loads(good.read_text())
    inner = document
    for token in pointer[:-1]:
        inner = inner[token]
    inner[pointer[-1]] = value
    Path("bad.json").write_text(json.dumps(document))
    merged = run("report", "merge", "bad.json")
    assert merged.exit_code == 2
    assert merged.stderr.startswith("acpgen: bad.json: ")
    assert reason in merged.stderr


@pytest.mark.usefixtures("logs")
def test_a_report_that_is_cut_off_is_2() -> None:
    good = part("validate", "dir-msg.jsonl")
    good.write_text(good.read_text()[:-20])
    merged = run("report", "merge", good)
    assert (merged.exit_code, merged.stdout) == (2, "")
    assert "is not JSON" in merged.stderr


@pytest.mark.usefixtures("logs")
def test_reports_of_two_commands_do_not_merge() -> None:
    name = "agent-only.ndjson"
    merged = run("report", "merge", part("validate", name), part("trace", name))
    assert merged.exit_code == 2
    assert "is a report of trace, and those before are of validate" in merged.stderr
