"""Where the version of a protocol comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acpgen.load.schema_text import SchemaError, read


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


def test_any_file_may_state_it(tmp_path: Path) -> None:
    write(tmp_path / "mine" / "a.json")
    assert read(write(tmp_path / "mine" / "b.json", 3).parent).version == 3
    assert read(tmp_path / "mine" / "a.json").version is None
    assert read(write(tmp_path / "v3" / "b.json", 3).parent).version == 3


def test_a_folder_called_by_another_version_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "v7" / "a.json")
    stating = write(tmp_path / "v7" / "b.json", 3)
    for path in (stating, stating.parent):
        with pytest.raises(SchemaError) as caught:
            read(path)
        (finding,) = caught.value.findings
        assert (finding.rule, finding.file, finding.line, finding.pointer, finding.message) == (
            "protocol-version",
            str(stating),
            1,
            "/x-protocol-version",
            "is another version than that of the folder, which is called v7; "
            "correct it, or rename the folder",
        )
    assert read(stating.with_name("a.json")).version == 7
