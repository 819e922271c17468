"""The report that a command prints for programs when it can give no verdict."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from acpgen import resources
from command_calls import APP

SCHEMA = json.loads((resources.ROOT / "schema/report.schema.json").read_text("utf-8"))
CALLS = [
    ["lint", "none"],
    ["lint", str(resources.SCHEMA), "--accepted", "none"],
    ["generate", "--schema", "none"],
    ["generate", "--target", "none", "--check"],
    ["generate", "--templates", "none"],
    ["diff", "none", "none"],
    ["diff", "git:none"],
    ["upstream", "compare", "none"],
    ["methods", "none"],
    ["methods", "--schema", "none"],
    ["docs", "inject", "none.md", "neither.md"],
]
REPORTING = [call for call in CALLS if call[0] not in {"diff", "methods"}]
"""Those of commands that have all formats."""


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(arguments: list[str], form: str) -> Result:
    return CliRunner().invoke(APP, [*arguments, "--format", form])


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_json_is_a_report_that_is_not_complete(arguments: list[str]) -> None:
    result = run(arguments, "json")
    document = json.loads(result.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert (result.exit_code, document["command"]) == (2, arguments[0])
    assert (document["complete"], document["findings"]) == (False, [])
    reported = [line.removeprefix("acpgen: ") for line in result.stderr.splitlines()]
    assert len(document["problems"]) == len(reported)
    for problem, line in zip(document["problems"], reported, strict=True):
        assert line in (problem["message"], f"{problem['file']}: {problem['message']}")


def test_the_place_is_not_reported_twice() -> None:
    (problem,) = json.loads(run(["lint", "none"], "json").stdout)["problems"]
    assert problem == {
        "file": "none",
        "line": None,
        "message": "No such file or directory",
        "kind": "unread",
    }


def test_the_place_is_that_of_the_page_and_its_line() -> None:
    Path("bad.md").write_text("Text.\n<!-- acpgen:begin nothing -->\n", "utf-8")
    found = json.loads(run(["docs", "inject", "bad.md", "none.md"], "json").stdout)["problems"]
    assert [(problem["file"], problem["line"]) for problem in found] == [
        ("bad.md", 2),
        ("none.md", None),
    ]


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_text_says_it_on_stderr_only(arguments: list[str]) -> None:
    result = CliRunner().invoke(APP, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr


@pytest.mark.parametrize("arguments", REPORTING, ids=" ".join)
def test_other_formats_say_it_too(arguments: list[str]) -> None:
    (ran,) = json.loads(run(arguments, "sarif").stdout)["runs"]
    assert [i["executionSuccessful"] for i in ran["invocations"]] == [False]
    suites = ET.fromstring(run(arguments, "junit").stdout)
    assert {suite.get("errors") for suite in suites} == {"1"}
    assert run(arguments, "github").stdout.startswith("::error file=")


def test_what_is_written_is_a_report_without_findings() -> None:
    arguments = ["generate", "--target", "bundles", "--out", "out"]
    for _ in range(2):
        result = run(arguments, "json")
        document = json.loads(result.stdout)
        assert (result.exit_code, document["complete"], document["findings"]) == (0, True, [])
    assert CliRunner().invoke(APP, arguments).stdout == ""


def test_what_cant_be_written_is_one_report() -> None:
    Path("out").write_text("")
    result = run(["generate", "--target", "bundles", "--out", "out"], "json")
    (problem,) = json.loads(result.stdout)["problems"]
    assert (result.exit_code, problem["message"]) == (
        2,
        "out is not a folder; choose another --out",
    )
