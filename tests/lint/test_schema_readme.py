"""What schema/README.md shows works, and it leaves nothing out."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from acpgen import resources
from acpgen.lint import lint
from acpgen.lint.accepted import read_accepted
from acpgen.load import load
from acpgen.model import Kind, RetryClass, Stability
from acpgen.targets.bundles import bundles

README = (resources.DIALECT.parent / "README.md").read_text("utf-8")


def block(language: str) -> str:
    """The last block in a language."""
    *_, found = re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    return str(found)


def cells(column: str) -> set[str]:
    """The code spans in the first column of the table whose head starts with that word."""
    table = README.partition(f"| {column} |")[2].partition("\n\n")[0]
    return {code for row in table.splitlines() for code in re.findall("`(.*?)`", row.split("|")[1])}


def annotations_of(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (key for key in schema if key.startswith("x-"))
        for child in schema.values():
            yield from annotations_of(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from annotations_of(child)


def test_the_method_it_shows_takes_one_edit_of_one_file(tmp_path: Path) -> None:
    folder = shutil.copytree(resources.SCHEMA, tmp_path / "v2")
    file = folder / "session_list.json"
    schema = json.loads(file.read_text("utf-8"))
    schema["$defs"] |= json.loads(block("json"))
    file.write_text(json.dumps(schema), "utf-8")
    protocol = load(folder)
    assert lint(protocol, read_accepted(resources.ACCEPTED)) == []
    method = protocol.method("session/pin", Kind.REQUEST)
    assert method is not None
    assert (method.retry, method.stability) == (RetryClass.IDEMPOTENT, Stability.STABLE)
    assert all('"session/pin"' in text for text in bundles(protocol).values())


def test_the_acceptance_it_shows_is_one_of_ours() -> None:
    ours = tomllib.loads(resources.ACCEPTED.read_text("utf-8"))["accepted"]
    assert all(entry in ours for entry in tomllib.loads(block("toml"))["accepted"])


def test_it_names_every_annotation() -> None:
    dialect = json.loads(resources.DIALECT.read_text("utf-8"))
    assert cells("Annotation") == {*annotations_of(dialect), "examples"}


def test_it_names_every_file() -> None:
    assert cells("File") - {"session/update", "_meta"} == {
        path.name for path in resources.SCHEMA.glob("*.json")
    }


def test_it_names_every_retry_class() -> None:
    assert cells("Class") == set(RetryClass)
