"""`acpgen generate` as people and CI call it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen import resources
from acpgen.cli import app
from acpgen.emit.header import HEADER

GOLDEN = Path(__file__).parents[1] / "golden" / "schema" / "v9"
OPTIONS = ("--schema", "v9", "--out", "out", "--target", "retry")
MEND = "to mend: acpgen generate --schema v9 --out out --target retry\n"
METHODS = Path("out/json/methods.json")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["generate", *arguments])


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GOLDEN, "v9")
    assert run(*OPTIONS).exit_code == 0


@pytest.mark.parametrize("full", [[], ["--full"]])
def test_clean_is_0(full: list[str]) -> None:
    result = run(*OPTIONS, "--check", *full)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "out: as generated\n")


def test_missing_and_surplus_are_1() -> None:
    METHODS.rename("out/json/old.json")
    result = run(*OPTIONS, "--check")
    assert (result.exit_code, result.stderr) == (1, MEND)
    assert result.stdout == (
        "out/json/methods.json: error[drift-missing]: is missing\n"
        "out/json/old.json: error[drift-surplus]: "
        "was generated once and follows from nothing any more\n"
    )


def test_changed_is_1_and_shows_the_diff() -> None:
    lines = METHODS.read_text().splitlines(keepends=True)
    METHODS.write_text("".join(lines) + "odd\n")
    result = run(*OPTIONS, "--check")
    assert (result.exit_code, result.stderr) == (1, MEND)
    assert result.stdout == (
        "out/json/methods.json: error[drift-changed]: is not as generated\n"
        "--- json/methods.json (on disk)\n+++ json/methods.json (generated)\n"
        f"@@ -{len(lines)},2 +{len(lines)} @@\n {lines[-1]}-odd\n"
    )


def test_other_formats() -> None:
    METHODS.unlink()
    result = run(*OPTIONS, "--check", "--format", "json")
    assert (result.exit_code, result.stderr) == (1, MEND)
    assert [f["rule"] for f in json.loads(result.stdout)["findings"]] == ["drift-missing"]
    result = run(*OPTIONS, "--check", "--format", "github")
    assert (result.exit_code, result.stderr) == (1, MEND)
    assert result.stdout == ("::error file=out/json/methods.json,title=drift-missing::is missing\n")


def test_an_unknown_target_is_2() -> None:
    result = run("--target", "tea")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("acpgen: no target is called tea; there are bundles, ")


def test_a_foreign_file_in_the_way_is_2() -> None:
    METHODS.write_text("by hand\n")
    result = run(*OPTIONS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "was not written by acpgen" in result.stderr
    assert METHODS.read_text() == "by hand\n"
    assert HEADER not in METHODS.read_text()


def test_a_missing_schema_is_2_and_a_broken_one_1() -> None:
    result = run("--schema", "none", "--out", "out")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    Path("v9/tea.json").write_text("{")
    result = run(*OPTIONS)
    assert (result.exit_code, result.stderr) == (1, "")
    assert "v9/tea.json:1: error[not-json]: is not JSON" in result.stdout


def test_a_broken_template_is_2() -> None:
    shutil.copytree(resources.TEMPLATES, "templates")
    Path("templates/retry/retry.py.jinja").write_text("{% if %}")
    result = run(*OPTIONS, "--templates", "templates")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("acpgen: ")
