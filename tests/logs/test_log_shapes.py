"""One small session in each shape of cases/: the same two faults are found in all of them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP
from proofs import a_few

CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.iterdir())
READ_AS: dict[str, str] = tomllib.loads((CASES.parent / "read_as.toml").read_text("utf-8"))
FAULTS = ["/params/title", "/params/idempotencyKey"]
OTHER_FAULTS = {
    "agent-only.ndjson": [],
    "both-ends.jsonl": [FAULTS[0], FAULTS[0], FAULTS[1], FAULTS[1]],
    "two-connections.jsonl": [FAULTS[0], FAULTS[0], FAULTS[1], FAULTS[1]],
    "two-loki-streams.jsonl": FAULTS * 2,
    "two-spans.jsonl": FAULTS * 2,
}
MESSAGES = {"agent-only.ndjson": 4, "client-only.ndjson": 4, "two.har": 12}
MESSAGES |= dict.fromkeys(
    ("both-ends.jsonl", "two-connections.jsonl", "two-loki-streams.jsonl", "two-spans.jsonl"), 16
)


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(APP, [str(argument) for argument in arguments], input=stdin)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_two_faults_are_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASES)
    result = run("validate", path.name, "--format", "json")
    report = json.loads(result.stdout)
    assert [each["pointer"] for each in report["findings"]] == OTHER_FAULTS.get(path.name, FAULTS)
    assert report["counts"]["messages"] == MESSAGES.get(path.name, 8)
    reported = [line for line in result.stderr.splitlines() if "read as" in line]
    assert reported == (
        [f"acpgen: {path.name}: {READ_AS[path.name]}"] if path.name in READ_AS else []
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_converted_log_has_the_same_faults(path: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.ndjson"
    converted = run("convert", path, "-o", transcript)
    assert converted.exit_code == 0, converted.output
    lines = [json.loads(line) for line in transcript.read_bytes().splitlines()]
    assert len(lines) == MESSAGES.get(path.name, 8)
    if path.name not in ("agent-only.ndjson", "client-only.ndjson"):
        names = ["client" if "method" in line["message"] else "agent" for line in lines]
        assert [line["from"] for line in lines] == names
    judged = json.loads(run("validate", transcript, "--format", "json").stdout)
    found = [each["pointer"] for each in judged["findings"] if each["severity"] == "error"]
    assert found == OTHER_FAULTS.get(path.name, FAULTS)


@pytest.mark.parametrize(
    "path",
    a_few(FILES, [CASES / "dir-msg.jsonl", CASES / "one.har"], "reads every shape once more"),
    ids=lambda path: path.name,
)
def test_a_log_is_traced(path: Path) -> None:
    result = run("trace", path)
    assert result.exit_code == 0, result.output
    assert f"{MESSAGES.get(path.name, 8)} messages on" in result.stderr


def test_every_shape_has_its_words() -> None:
    assert READ_AS.keys() <= {path.name for path in FILES}
