"""Commands note when the checkout around the current folder has another schema."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from acpgen import resources
from acpgen.startup import method_list
from acpgen.startup.checkout import other_schema
from command_calls import APP

OTHER = str(Path("..", "schema", "v2"))
NOTES = [
    (["lint"], f"acpgen lint {OTHER}"),
    (["generate", "--out", "out", "--target", "openrpc"], f"--schema {OTHER}"),
    (["methods"], f"--schema {OTHER}"),
    (["diff"], f"acpgen diff OLD {OTHER}"),
    (["watch", "--templates", "none"], f"--schema {OTHER}"),
    (["release", "not-a-version"], f"--schema {OTHER}"),
    (["validate", "none"], f"--schema {OTHER}"),
    (["trace", "none"], f"--schema {OTHER}"),
    (["view", "none"], f"--schema {OTHER}"),
    (["upstream", "compare", "none"], f"--schema {OTHER}"),
    (["upstream", "overlay", "none"], f"--schema {OTHER}"),
    (["docs", "inject", "none"], f"--schema {OTHER}"),
    (["docs", "regions"], f"--schema {OTHER}"),
]
CALLS = [call for call, _ in NOTES]


@pytest.fixture
def _checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout that acpgen was not installed from; the current folder is below it."""
    shutil.copytree(resources.SCHEMA, tmp_path / "schema" / "v2")
    shutil.copy(resources.DIALECT, tmp_path / "schema")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")


@pytest.mark.usefixtures("_checkout")
@pytest.mark.parametrize(
    ("call", "advice"), NOTES, ids=lambda value: "-".join(value) if isinstance(value, list) else ""
)
def test_the_schema_that_came_with_acpgen_is_noted(call: list[str], advice: str) -> None:
    printed = CliRunner().invoke(APP, call).stderr
    assert printed.startswith("acpgen: using the schema that came with acpgen; this checkout has ")
    assert printed.splitlines()[0].endswith(f"to use it, write {advice}")


@pytest.mark.usefixtures("_checkout")
def test_generate_names_the_schema_that_it_used() -> None:
    call = ["generate", "--out", "out", "--target", "openrpc"]
    assert (
        CliRunner().invoke(APP, call).stderr.endswith(", from the schema that came with acpgen\n")
    )
    checked = CliRunner().invoke(APP, [*call, "--check"])
    assert "out: as generated, from the schema that came with acpgen\n" in checked.stderr


def test_an_installed_acpgen_names_its_schema_and_the_folder_it_wrote_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(resources, "comes_installed", lambda: True)
    printed = CliRunner().invoke(APP, ["generate", "--out", "out", "--target", "openrpc"]).stderr
    assert printed.startswith(f"{tmp_path / 'out'}: wrote ")
    assert printed.endswith(", from the schema that came with acpgen\n")


@pytest.mark.usefixtures("_checkout")
def test_a_schema_that_is_named_is_not_noted() -> None:
    assert CliRunner().invoke(APP, ["methods", "--schema", OTHER]).stderr == ""
    assert CliRunner().invoke(APP, ["lint", OTHER]).stderr.startswith(f"{OTHER}: ")


@pytest.mark.usefixtures("_checkout")
def test_one_note_is_printed_for_several_files_and_processes() -> None:
    Path("a.ndjson").write_text("{}\n")
    Path("b.ndjson").write_text("{}\n")
    for call in (["validate", "-j2"], ["trace", "-j2"], ["view"]):
        printed = CliRunner().invoke(APP, [*call, "a.ndjson", "b.ndjson"]).stderr
        assert printed.count("using the schema that came with acpgen") == 1


def test_every_command_with_a_default_schema_is_among_them() -> None:
    """A new command that takes `--schema` belongs into the calls above, or into `elsewhere`."""
    elsewhere = {"tap"}  # which notes it where it judges, with --check
    called = {" ".join(call[:2]) if call[0] in {"upstream", "docs"} else call[0] for call in CALLS}
    found = set(with_schema("", typer.main.get_command(APP)))
    assert found == called - {"lint", "diff"} | elsewhere


def with_schema(name: str, command: Any) -> Iterator[str]:  # Click's, or the copy in Typer
    """The names of the commands that have an option `--schema`."""
    if any("--schema" in each.opts for each in command.params):
        yield name
    for child, found in getattr(command, "commands", {}).items():
        yield from with_schema(f"{name} {child}".strip(), found)


@pytest.mark.usefixtures("_checkout")
def test_the_fast_list_of_methods_is_left_to_the_command_that_notes() -> None:
    assert not method_list.prints([])


def test_the_own_checkout_is_not_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(resources.SCHEMA)
    assert other_schema() is None


def test_no_checkout_is_not_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert other_schema() is None
