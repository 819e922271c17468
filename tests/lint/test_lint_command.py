"""`acpgen lint`, `rules` and `explain` as people and CI call them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen import resources
from acpgen.cli.report import relative
from acpgen.cli.rules import heading, ids
from acpgen.cli.trace_pages import trace_page
from acpgen.rulebook import everything
from command_calls import APP

CASES = Path(__file__).parent / "cases"
STALE = CASES / "stale-acceptance"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(APP, [str(argument) for argument in arguments])


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def place(workplace: Path, case: Path, name: str = "schema") -> Path:
    """Put the schema of a case into the current folder."""
    (workplace / name).mkdir()
    return Path(shutil.copy(case / "main.json", workplace / name / "main.json")).parent


def test_a_clean_schema_is_0(workplace: Path) -> None:
    folder = place(workplace, CASES / "missing-prose" / "ok-all")
    result = run("lint", folder)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "schema: no findings\n"


def test_findings_are_1_and_name_the_file_from_here(workplace: Path) -> None:
    folder = place(workplace, CASES / "missing-prose" / "bad-member")
    result = run("lint", folder.resolve())
    assert result.exit_code == 1
    assert result.stdout == (
        "schema/main.json:11: warning[missing-prose] /$defs/SaveRequest/properties/pet: "
        "needs a description\n"
    )
    assert result.stderr == "schema: 1 finding\n"


def test_a_file_elsewhere_keeps_its_whole_path(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place(workplace, CASES / "missing-prose" / "bad-member")
    (workplace / "elsewhere").mkdir()
    monkeypatch.chdir(workplace / "elsewhere")
    assert run("lint", folder).stdout.startswith(f"{folder / 'main.json'}:11: ")


def test_what_stops_the_loader_is_a_finding_too(workplace: Path) -> None:
    (workplace / "broken.json").write_text('{"$defs": {"A": {"type": "string", "minLenght": 1}}}')
    result = run("lint", "broken.json")
    assert result.exit_code == 1
    assert result.stdout.startswith("broken.json:1: error[dialect] /$defs/A/minLenght: ")


def test_one_file_of_a_folder_is_not_a_schema() -> None:
    result = run("lint", resources.SCHEMA / "plan.json")
    assert result.exit_code == 1
    folder = relative(resources.SCHEMA)
    hint = f"ids.json is not read with a single file; name the folder {folder} instead"
    assert hint in result.stdout


def test_a_release_that_refers_to_a_file_is_not_a_release(workplace: Path) -> None:
    member = {"a": {"$ref": "b.json#/$defs/B"}}
    definitions = {"A": {"type": "object", "properties": member}}
    (workplace / "a.json").write_text(json.dumps({"$defs": definitions}))
    assert "there is no file b.json; a release holds all that it refers to" in (
        run("lint", "a.json").stdout
    )


def test_a_missing_class_leads_to_its_explanation(workplace: Path) -> None:
    method = {"x-method": "save", "x-side": "agent", "x-resend": "Again.", "type": "object"}
    (workplace / "a.json").write_text(json.dumps({"$defs": {"SaveRequest": method}}))
    result = run("lint", "a.json")
    assert "error[dialect] /$defs/SaveRequest: " in result.stdout
    assert "`acpgen explain missing-retry-class` has more" in result.stdout


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("path", ["missing", "missing.json"])
def test_a_path_that_is_not_there_is_2(path: str) -> None:
    result = run("lint", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert path in result.stderr


def test_json_is_one_document(workplace: Path) -> None:
    folder = place(workplace, CASES / "missing-retry-class" / "bad-request")
    (finding,) = json.loads(run("lint", folder, "--format", "json").stdout)["findings"]
    assert (finding["rule"], finding["method"]) == ("missing-retry-class", "save")
    assert (finding["file"], finding["line"]) == ("schema/main.json", 4)


def test_github_gets_annotations(workplace: Path) -> None:
    folder = place(workplace, CASES / "missing-retry-class" / "bad-request")
    result = run("lint", folder, "--format", "github")
    assert result.stdout.startswith(
        "::error file=schema/main.json,line=4,title=missing-retry-class"
    )


def test_the_acceptances_beside_a_schema_count(workplace: Path) -> None:
    folder = place(workplace, STALE / "ok-accepted")
    assert run("lint", folder).exit_code == 1
    shutil.copy(STALE / "ok-accepted" / "accepted.toml", workplace)
    assert run("lint", folder).exit_code == 0


def test_the_acceptances_of_another_schema_dont(workplace: Path) -> None:
    (workplace / "other").mkdir()
    folder = place(workplace / "other", STALE / "ok-accepted")
    shutil.copy(STALE / "ok-accepted" / "accepted.toml", workplace)
    assert run("lint", folder).exit_code == 1


def test_acceptances_can_be_named(workplace: Path) -> None:
    folder = place(workplace, STALE / "ok-accepted")
    accepted = STALE / "ok-accepted" / "accepted.toml"
    assert run("lint", folder, "--accepted", accepted).exit_code == 0


@pytest.mark.parametrize("text", [None, "accepted = 1\n"])
def test_acceptances_that_cant_be_read_are_2(workplace: Path, text: str | None) -> None:
    folder = place(workplace, STALE / "ok-accepted")
    if text is not None:
        (workplace / "mine.toml").write_text(text)
    result = run("lint", folder, "--accepted", "mine.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "mine.toml" in result.stderr


@pytest.mark.usefixtures("workplace")
def test_without_a_path_it_is_the_schema_of_this_package() -> None:
    found = run("lint")
    assert found.stdout == run("lint", resources.SCHEMA).stdout
    assert str(resources.SCHEMA) in found.stderr


def test_rules_lists_everything_in_groups_by_command() -> None:
    result = run("rules")
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert [(row[0], row[2]) for row in rows] == [
        (one.id, one.group.command) for one in everything()
    ]
    commands = ["lint", "validate", "trace", "diff", "generate", "docs", "upstream", "conform"]
    assert list(dict.fromkeys(row[2] for row in rows)) == commands


def documentation(rule: str) -> str:
    pages = [f"{heading(one)}\n\n{one.page}" for one in everything() if one.id == rule]
    if (trace := trace_page(rule)) is not None:
        pages.append(trace)
    return "\n\n\n".join(pages) + "\n"


def test_explain_prints_the_documentation() -> None:
    printed = {rule: run("explain", rule) for rule in ids()}
    assert {rule for rule, result in printed.items() if result.exit_code != 0} == set()
    assert {
        rule for rule, result in printed.items() if result.stdout != documentation(rule)
    } == set()


def test_explain_tells_namesakes_of_two_commands_apart() -> None:
    heads = [line for line in run("explain", "not-json").stdout.splitlines() if "acpgen" in line]
    assert heads[0] == "not-json (error of acpgen lint)"
    assert "not-json (error of acpgen validate)" in heads


@pytest.mark.parametrize(
    ("rule", "hint"),
    [("missing-retry-clas", "did you mean missing-retry-class?"), ("xyz", "`acpgen rules`")],
)
def test_explain_knows_what_was_meant(rule: str, hint: str) -> None:
    result = run("explain", rule)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"no rule is called {rule}" in result.stderr
    assert hint in result.stderr


def test_the_folder_above_a_schema_leads_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(resources.SCHEMA, tmp_path / "schema" / "v2")
    (tmp_path / "schema" / "other.json").write_text("[]")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(APP, ["lint", "schema"])
    assert result.exit_code == 1
    assert result.stderr.endswith("acpgen: schema: holds schema/v2; name that one?\n")
