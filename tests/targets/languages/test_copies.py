"""A repository of an SDK holds a copy of generated files and has it checked."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from acpgen.cli.app import typer_app

APP = typer_app()

ROOT = Path(__file__).parents[3]
ARGUMENTS = ["--target", "rust", "--target", "go", "--out", "third_party/acp"]


@pytest.fixture
def hook() -> dict[str, str]:
    """The members of the only hook, each of which stands on a line."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    assert text.count("- id: ") == 1
    return dict(re.findall(r"^[ -] (\w+): (.*)$", text, re.MULTILINE))


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(APP, words)
    return result.exit_code, result.stdout


def test_the_hook_checks_a_copy_that_says_what_it_was_made_of(
    hook: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(hook["entry"])
    check = (*words, *ARGUMENTS)
    assert program == "acpgen"
    assert run(*check)[0] == 1
    assert run("generate", *ARGUMENTS)[0] == 0
    manifest = json.loads((tmp_path / "third_party/acp/manifest.json").read_text("utf-8"))
    assert manifest["inputs"]["schema"].startswith("sha256:")
    assert {name: [*files] for name, files in manifest["outputs"].items()} == {
        "go": ["go/v2/retry/retry_gen.go"],
        "rust": ["rust/v2/retry.rs"],
    }
    assert run(*check) == (0, "")
    table = tmp_path / "third_party/acp/rust/v2/retry.rs"
    table.write_text(table.read_text("utf-8").replace("AsIs", "NotAtAll"), "utf-8")
    status, said = run(*check)
    assert status == 1
    assert "third_party/acp/rust/v2/retry.rs: error[drift-changed]" in said
    assert "third_party/acp/go" not in said


def test_the_hook_installs_what_generating_needs(hook: dict[str, str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert hook["additional_dependencies"] == '[".[generate]"]'
    assert "generate" in project["optional-dependencies"]
    assert (hook["id"], hook["language"]) == ("acpgen-check", "python")
    assert (hook["always_run"], hook["pass_filenames"]) == ("true", "false")
