"""What docs/ci.md shows works as it is pasted: its blocks are run beside a clone of this commit."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped] # it has no types
from packaging.requirements import Requirement

from command_calls import call_acpgen

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")


@pytest.fixture(scope="module")
def pasted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of someone who has a clone, and pasted all blocks into a shell in `project`."""
    home = tmp_path_factory.mktemp("home")
    clone = ["git", "clone", "--quiet", ROOT.as_uri(), str(home / "acpgen")]
    subprocess.run(clone, check=True, capture_output=True)
    (home / "project").mkdir()
    blocks: list[str] = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    subprocess.run(
        ["bash", "-euc", "".join(blocks)],
        cwd=home / "project",
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        check=True,
        capture_output=True,
    )
    return home


def written(home: Path, name: str) -> Any:
    """A file that the blocks write."""
    return yaml.safe_load((home / "project" / name).read_text("utf-8"))


def configured() -> dict[str, list[str]]:
    """The hooks of the page, each with its arguments."""
    (block,) = re.findall(r"^repos:.*?(?=^END)", PAGE, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"- id: (\S+)(?:\n +args: \[(.*)\])?", block)
    return {id_: args.split(", ") if args else [] for id_, args in rows}


def declared(id_: str, member: str) -> str | None:
    """A member of a hook as this repository declares it."""
    (part,) = (p for p in HOOKS.split("- id: ")[1:] if p.startswith(f"{id_}\n"))
    found = re.search(rf"^  {member}: (.*)$", part, re.MULTILINE)
    return found and found[1]


def call(id_: str, folder: Path) -> list[str]:
    """What pre-commit calls: the entry, the arguments, and the files that the hook is for."""
    files: list[str] = []
    if declared(id_, "pass_filenames") != "false":
        pattern = declared(id_, "files") or ""
        names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
        files = [name for name in names if re.search(pattern, name)]
        assert files
    return [*shlex.split(declared(id_, "entry") or ""), *configured()[id_], *files]


def run(words: list[str], folder: Path) -> tuple[int, str]:
    assert words[0] == "acpgen"
    with contextlib.chdir(folder):
        status, printed, noted = call_acpgen(*words[1:])
    return status, printed + noted


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a copy, a schema, messages, a page with a region and one without."""
    folder = tmp_path_factory.mktemp("repository")
    (keep,) = re.findall(r"```console\n\$ (acpgen generate .*)\n```", PAGE)
    assert run(shlex.split(keep), folder)[0] == 0
    shutil.copytree(ROOT / "schema" / "v2", folder / "schema" / "v2")
    shutil.copy(ROOT / "schema" / "accepted.toml", folder / "schema")
    shutil.copy(ROOT / "tests" / "interop" / "session.ndjson", folder / "recorded.ndjson")
    page = "<!-- acpgen:begin retry-classes -->\n<!-- acpgen:end retry-classes -->\n"
    (folder / "classes.md").write_text(page, "utf-8")
    assert run(["acpgen", "docs", "inject", "classes.md"], folder)[0] == 0
    (folder / "README.md").write_text("# No region\n", "utf-8")
    return folder


def test_every_hook_is_shown() -> None:
    assert [*configured()] == re.findall(r"^- id: (\S+)", HOOKS, re.MULTILINE)
    assert re.findall(r"^\| `(acpgen-\w+)`", PAGE, re.MULTILINE) == [*configured()]


@pytest.mark.parametrize("id_", configured())
def test_a_hook_passes(id_: str, repository: Path) -> None:
    status, printed = run(call(id_, repository), repository)
    assert status == 0, printed


@pytest.mark.parametrize(
    ("id_", "file", "old", "new"),
    [
        ("acpgen-check", "third_party/acp/rust/v2/retry.rs", "AsIs", "NotAtAll"),
        ("acpgen-lint", "schema/v2/prompt.json", '"x-retry-class": "keyed",', ""),
        ("acpgen-validate", "recorded.ndjson", '"jsonrpc":"2.0"', '"jsonrpc":"1.0"'),
        ("acpgen-docs", "classes.md", "Keyed", "Unkeyed"),
    ],
)
def test_a_hook_bites(
    id_: str, file: str, old: str, new: str, repository: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(repository, tmp_path / "copy"))
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), "utf-8")
    assert run(call(id_, folder), folder)[0] == 1


def steps() -> list[str]:
    return re.findall(r"^ +- run: (.*)$", PAGE, re.MULTILINE)


def commit_of(clone: Path) -> str:
    command = ["git", "-C", str(clone), "rev-parse", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.prove("clones this repository")
def test_the_hooks_are_those_of_a_commit_that_exists(pasted: Path) -> None:
    (repository,) = written(pasted, ".pre-commit-config.yaml")["repos"]
    assert (repository["repo"], repository["rev"]) == (ROOT.as_uri(), commit_of(pasted / "acpgen"))
    assert [hook["id"] for hook in repository["hooks"]] == [*configured()]


@pytest.mark.prove("clones this repository")
def test_the_workflow_installs_a_commit_that_exists(pasted: Path) -> None:
    commit = commit_of(pasted / "acpgen")
    workflow = written(pasted, ".github/workflows/acp.yml")["jobs"]["check"]["steps"]
    runs = [step["run"] for step in workflow if "run" in step]
    install, *others = map(shlex.split, runs)
    assert install[:2] == ["pip", "install"]
    requirement = Requirement(install[2])
    assert (requirement.name, requirement.extras) == ("acpgen", {"generate"})
    assert requirement.url == f"git+{ROOT.as_uri()}@{commit}"  # tests/test_packaging.py installs it
    assert [shlex.join(words) for words in others] == steps()[1:]


@pytest.mark.parametrize(
    "origin",
    ["git@host.test:o/acpgen.git", "ssh://git@host.test/o/acpgen", "https://host.test/o/acpgen"],
)
def test_an_address_for_ssh_becomes_one_over_https(origin: str, tmp_path: Path) -> None:
    block = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)[0]
    clone = tmp_path / "acpgen"
    clone.mkdir()
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", str(clone)]
    for words in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["remote", "add", "origin", origin],
    ):
        subprocess.run([*git, *words], check=True)
    run = subprocess.run(
        ["bash", "-euc", f'{block}echo "$URL $REPOSITORY"'],
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        check=True,
        capture_output=True,
        text=True,
    )
    url, repository = run.stdout.split()
    assert (url.removesuffix(".git"), repository) == ("https://host.test/o/acpgen", "o/acpgen")


@pytest.mark.prove("clones this repository")
def test_the_actions_are_those_of_a_commit_that_exists(pasted: Path) -> None:
    commit, owner = commit_of(pasted / "acpgen"), "/".join(ROOT.parts[-2:])
    *_, action = written(pasted, ".github/workflows/acp.yml")["jobs"]["check"]["steps"]
    assert action["uses"] == f"{owner}@{commit}"
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    assert action["with"].keys() == inputs.keys() - {"url"}  # the other way to name an agent
    job = written(pasted, ".github/workflows/conform.yml")["jobs"]["acp"]
    assert job["uses"] == f"{owner}/.github/workflows/acp.yml@{commit}"
    assert (job["with"]["repository"], job["with"]["ref"]) == (owner, commit)
    called = yaml.safe_load((ROOT / ".github/workflows/acp.yml").read_text("utf-8"))
    assert job["with"].keys() <= called[True]["workflow_call"]["inputs"].keys()  # `on` is true


@pytest.mark.parametrize(
    "url",
    ["https://github.com/o/acpgen.git", "git@github.com:o/acpgen.git", "ssh://git@h/o/acpgen"],
)
def test_the_name_of_a_repository_is_in_its_address(url: str) -> None:
    (line,) = re.findall(r"^REPOSITORY=.*$", PAGE, re.MULTILINE)
    done = subprocess.run(
        ["bash", "-euc", f"URL={url}\n{line}\necho $REPOSITORY"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "o/acpgen\n"


@pytest.mark.parametrize("step", steps()[1:])
def test_a_step_of_the_workflow_passes(step: str, repository: Path) -> None:
    status, printed = run(shlex.split(step), repository)
    assert status == 0, printed


@pytest.mark.parametrize("page", ["README.md", ".pre-commit-hooks.yaml", "docs", "runtime"])
def test_no_page_names_a_revision_that_may_not_exist(page: str) -> None:
    path = ROOT / page
    files = sorted(path.rglob("*.md")) if path.is_dir() else [path]
    revisions = re.compile(r"(?:git\+[^\s\"]*@|rev: |uses: [^a\s][^\s]*@)(?!\$REVISION\b)\S+")
    assert {file.name: revisions.findall(file.read_text("utf-8")) for file in files} == {
        file.name: [] for file in files
    }
