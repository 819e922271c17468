"""Files whose names begin with a dot are no part of a schema, nor of what is made from it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from acpgen import resources
from acpgen.diff.schema_versions import locate
from acpgen.emit import manifest, templates
from acpgen.load import SchemaError, load
from acpgen.startup import shipped
from command_calls import APP


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """A schema that an editor is at: with a lock that leads nowhere, and a draft."""
    folder = tmp_path / "v2"
    shutil.copytree(resources.SCHEMA, folder)
    shutil.copy(resources.ACCEPTED, tmp_path)
    shutil.copytree(resources.SCHEMA.parent / "released", tmp_path / "released")
    (folder / ".#prompt.json").symlink_to("somebody@somewhere.1234")
    (folder / ".prompt.json").write_text("{")
    return folder


def test_it_loads(schema: Path) -> None:
    assert load(schema).types.keys() == load(resources.SCHEMA).types.keys()


def test_it_has_the_same_digests(schema: Path) -> None:
    digests = [manifest.inputs(s, resources.TEMPLATES) for s in (schema, resources.SCHEMA)]
    assert digests[0] == digests[1]
    assert shipped.digest(str(schema)) == digests[0]["schema"]


def test_it_is_linted_and_compared(schema: Path) -> None:
    for arguments in (["lint", str(schema)], ["diff", str(resources.SCHEMA), str(schema)]):
        result = CliRunner().invoke(APP, arguments)
        assert (result.exit_code, result.stdout) == (0, "")


def test_a_folder_of_nothing_else_is_empty(schema: Path) -> None:
    for path in schema.iterdir():
        if not path.name.startswith("."):
            path.unlink()
    with pytest.raises(SchemaError) as caught:
        load(schema)
    assert [finding.rule for finding in caught.value.findings] == ["empty-schema"]


def test_a_hidden_file_may_be_named(schema: Path) -> None:
    with pytest.raises(SchemaError) as caught:
        load(schema / ".prompt.json")
    assert [finding.rule for finding in caught.value.findings] == ["not-json"]


def test_a_revision_is_read_without_them(schema: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(schema.parent)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    for arguments in (["init", "-q"], ["add", "--all"], ["commit", "-qm", "x"]):
        subprocess.run(["git", *arguments], check=True)
    copy = locate("git:HEAD:v2", schema.parent / "copy").path
    assert not [path for path in copy.iterdir() if path.name.startswith(".")]
    assert load(copy).methods


def test_a_lock_is_not_a_template(tmp_path: Path) -> None:
    own = tmp_path / "templates"
    own.mkdir()
    (own / ".#page.md.jinja").symlink_to("somebody@somewhere.1234")
    assert templates.files(own) == templates.files(resources.TEMPLATES)
    templates.Templates(own)
