"""Where the version of a protocol is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acpgen.load.source import read


def write(file: Path, version: int | None = None) -> Path:
    file.parent.mkdir(exist_ok=True)
    stated = {} if version is None else {"x-protocol-version": version}
    file.write_text(json.dumps({**stated, "$defs": {}}), "utf-8")
    return file


@pytest.mark.parametrize(
    ("folder", "version"), [("v7", 7), ("v0", 0), ("mine", None), ("v2x", None)]
)
def test_a_folder_is_called_by_the_version(
    tmp_path: Path, folder: str, version: int | None
) -> None:
    file = write(tmp_path / folder / "main.json")
    assert read(file.parent).version == version
    assert read(file).version == version


def test_any_file_may_state_it_and_counts_more_than_the_folder(tmp_path: Path) -> None:
    write(tmp_path / "v7" / "a.json")
    assert read(write(tmp_path / "v7" / "b.json", 3).parent).version == 3
    assert read(tmp_path / "v7" / "a.json").version == 7
