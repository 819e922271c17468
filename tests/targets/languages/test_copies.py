"""A repository of an SDK holds a copy of generated files and has it checked."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_calls import APP
from proofs import a_few

ROOT = Path(__file__).parents[3]
ARGUMENTS = ["--target", "rust", "--target", "go", "--out", "third_party/acp"]


GO = [
    "go/v2/CHANGELOG.md",
    "go/v2/LICENSE",
    "go/v2/README.md",
    "go/v2/go.mod",
    "go/v2/retry/retry_gen.go",
    *(
        f"go/v2/schema/{name}_gen.go"
        for name in ("faults", "methods", "plans", "reader", "text", "types")
    ),
]
RUST = [
    "rust/CHANGELOG.md",
    "rust/Cargo.toml",
    "rust/LICENSE",
    "rust/README.md",
    "rust/v2/lib.rs",
    "rust/v2/retry.rs",
    "rust/v2/retry_serde.rs",
]
TEXT = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
HOOKS = {
    members["id"]: members
    for members in (
        dict(re.findall(r"^(?:- |  )(\w+): (.*)$", f"- id: {part}", re.MULTILINE))
        for part in TEXT.split("- id: ")[1:]
    )
}


@pytest.mark.parametrize("name", HOOKS)
def test_each_hook_calls_a_command(name: str) -> None:
    program, *words = shlex.split(HOOKS[name]["entry"])
    status, printed = run(*(word for word in words if word != "--check"), "--help")
    assert (program, status) == ("acpgen", 0)
    assert all(word in printed for word in words)


@pytest.fixture
def hook() -> dict[str, str]:
    """The members of the hook for copies."""
    return HOOKS["acpgen-check"]


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
    outputs = {name: [*files] for name, files in manifest["outputs"].items()}
    assert outputs == {"go": GO, "rust": RUST}
    assert run(*check) == (0, "")
    table = tmp_path / "third_party/acp/rust/v2/retry.rs"
    table.write_text(table.read_text("utf-8").replace("AsIs", "NotAtAll"), "utf-8")
    status, reported = run(*check)
    assert status == 1
    assert "third_party/acp/rust/v2/retry.rs: error[drift-changed]" in reported
    assert "third_party/acp/go" not in reported


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a schema and a copy that was made of it."""
    folder = tmp_path_factory.mktemp("kept")
    shutil.copytree(ROOT / "tests/golden/schema/v9", folder / "v9")
    with contextlib.chdir(folder):
        assert run("generate", "--schema", "v9", *ARGUMENTS)[0] == 0
    return folder


@pytest.fixture
def later(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in a revision of the schema that a copy was made before."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "v9" / "kettle.json"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


CHECK = ["generate", "--check", "--schema", "v9", *ARGUMENTS]


@pytest.mark.parametrize("full", a_few(([], ["--full"]), [[]], "generates everything again"))
def test_a_revision_that_leaves_the_copy_as_it_is_is_not_a_finding(
    later: Path, full: list[str]
) -> None:
    edit(later, '"description": "', '"description": "Reworded. ')
    result = CliRunner().invoke(APP, [*CHECK, *full])
    assert (result.exit_code, result.stdout) == (0, "")
    renew = "acpgen generate --schema v9 --out third_party/acp --target go --target rust"
    assert result.stderr == (
        "third_party/acp: as generated\n"
        "third_party/acp/manifest.json: was written with other inputs (schema) that give the "
        f"same files; to renew it: {renew}\n"
    )
    assert run(*shlex.split(renew)[1:])[0] == 0
    assert CliRunner().invoke(APP, CHECK).stderr == "third_party/acp: as generated\n"


def test_no_format_has_a_finding_of_it(later: Path) -> None:
    edit(later, '"description": "', '"description": "Reworded. ')
    status, reported = run(*CHECK, "--format", "json")
    assert (status, json.loads(reported)["findings"]) == (0, [])


def test_a_revision_that_changes_the_copy_is_a_finding(later: Path) -> None:
    edit(later, '"x-resend": "', '"x-resend": "Reworded. ')
    status, reported = run(*CHECK, "--format", "json")
    files = [Path(finding["file"]).name for finding in json.loads(reported)["findings"]]
    assert (status, files) == (1, ["retry_gen.go", "manifest.json", "retry.rs"])


def test_a_manifest_that_was_edited_is_a_finding(later: Path) -> None:
    manifest = Path("third_party/acp/manifest.json")
    edit(manifest, '"rust/v9/retry.rs": "sha256:', '"rust/v9/retry.rs": "sha256:0')
    edit(later, '"description": "', '"description": "Reworded. ')
    assert run(*CHECK)[0] == 1
    manifest.unlink()
    assert run(*CHECK)[0] == 1


def test_the_hook_installs_what_generating_needs(hook: dict[str, str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert hook["additional_dependencies"] == '[".[generate]"]'
    assert "generate" in project["optional-dependencies"]
    assert (hook["id"], hook["language"]) == ("acpgen-check", "python")
    assert (hook["always_run"], hook["pass_filenames"]) == ("true", "false")
