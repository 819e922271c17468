"""Versions that are compared: paths, and revisions in git."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from acpgen.diff import diff
from acpgen.diff.schema_versions import GitError, locate
from acpgen.load import load
from small_schema import patched, schema

VERSION = {"x-protocol-version": 2}
FIRST = patched(schema({}), VERSION)
SECOND = patched(schema({"Address": {"maxLength": 9}}), VERSION)


def git(*arguments: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    done = subprocess.run(
        ["git", *identity, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two versions of a schema, the older tagged `first`."""
    folder = tmp_path / "repository"
    (folder / "schema" / "v2").mkdir(parents=True)
    monkeypatch.chdir(folder)
    file = folder / "schema" / "v2" / "parcels.json"
    git("init", "--quiet")
    for tag, document in (
        ("first", FIRST),
        ("second", SECOND),
    ):
        file.write_text(json.dumps(document), "utf-8")
        (folder / "schema" / "v2" / "README.md").write_text("Not a schema.", "utf-8")
        git("add", ".")
        git("commit", "--quiet", "--message", tag)
        git("tag", tag)
    return folder


def test_a_path_is_itself(tmp_path: Path) -> None:
    source = locate("schema/v2", tmp_path)
    assert (source.path, source.label) == (Path("schema/v2"), "schema/v2")


def test_a_revision_holds_the_default_folder(repository: Path, tmp_path: Path) -> None:
    source = locate("git:first", tmp_path / "scratch")
    assert sorted(path.name for path in source.path.iterdir()) == ["parcels.json"]
    (change,) = diff(load(source.path), load(repository / "schema" / "v2"))
    assert change.rule.id == "limit-tightened"


def test_a_copy_is_called_by_its_revision(repository: Path, tmp_path: Path) -> None:
    source = locate("git:first", tmp_path / "scratch")
    file = str(source.path / "parcels.json")
    assert source.label == "git:first:schema/v2"
    assert source.named(file) == "git:first:schema/v2/parcels.json"
    assert source.named(str(source.path)) == source.label
    assert source.named(str(repository)) == str(repository)


@pytest.mark.parametrize("folder", [".", "schema", "schema/v2"])
def test_a_revision_may_name_a_file_from_the_top(
    folder: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / folder)
    source = locate("git:HEAD~1:schema/v2/parcels.json", tmp_path / "scratch")
    assert json.loads(source.path.read_text("utf-8")) == FIRST


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        (".", "./schema/v2"),
        ("schema", "./v2"),
        ("schema/v2", "."),
        ("schema/v2", "./"),
        ("schema/v2", "../v2"),
    ],
)
def test_a_path_may_start_at_the_current_folder(
    folder: str, path: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / folder)
    source = locate(f"git:first:{path}", tmp_path / "scratch")
    assert source.label == "git:first:schema/v2"
    assert json.loads((source.path / "parcels.json").read_text("utf-8")) == FIRST


@pytest.mark.usefixtures("repository")
def test_a_path_that_leads_out_of_the_repository(tmp_path: Path) -> None:
    with pytest.raises(GitError, match=r"^\.\./other: leads out of the repository$"):
        locate("git:first:../other", tmp_path / "scratch")


@pytest.mark.parametrize("revision", ["third", "--all", "", "first -- ."])
def test_a_revision_that_is_none(revision: str, repository: Path, tmp_path: Path) -> None:
    with pytest.raises(GitError, match=rf"{revision}: is not a revision of .*{repository.name}: "):
        locate(f"git:{revision}", tmp_path / "scratch")


def test_a_revision_without_a_schema(repository: Path, tmp_path: Path) -> None:
    assert repository.is_dir()
    with pytest.raises(GitError, match=r"^git:first: has no schema at docs; name its path, as in"):
        locate("git:first:docs", tmp_path / "scratch")


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitError, match=r"^git: needs a repository around this folder: "):
        locate("git:first", tmp_path / "scratch")


def test_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match=r"^git is not installed"):
        locate("git:first", tmp_path / "scratch")
