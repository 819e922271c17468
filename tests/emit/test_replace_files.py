"""Files that are replaced whole, and none before all are written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from acpgen.emit.tree import replace_files


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_texts_are_written_as_they_are(tmp_path: Path) -> None:
    replace_files({tmp_path / "a": "x\r\n\u00fc\n", tmp_path / "b": ""})
    assert (tmp_path / "a").read_bytes() == b"x\r\n\xc3\xbc\n"
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "a"
    file.touch()
    file.chmod(mode)
    replace_files({file: "new"})
    assert (file.read_text(), mode_of(file)) == ("new", mode)


def test_a_new_file_has_the_mode_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    replace_files({tmp_path / "b": ""})
    assert mode_of(tmp_path / "a") == mode_of(tmp_path / "b")


def test_a_link_is_replaced_and_not_what_it_leads_to(tmp_path: Path) -> None:
    other, link = tmp_path / "other", tmp_path / "link"
    other.write_text("kept")
    link.symlink_to(other)
    replace_files({link: "new"})
    assert (other.read_text(), link.read_text(), link.is_symlink()) == ("kept", "new", False)


def test_a_name_that_is_taken_is_not_a_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.write_text("kept")
    (tmp_path / ".known.tmp").symlink_to(other)
    monkeypatch.setattr("acpgen.emit.tree.secrets.token_hex", lambda _: "known")
    with pytest.raises(FileExistsError):
        replace_files({tmp_path / "a": "new"})
    assert other.read_text() == "kept"


def test_where_one_cant_be_written_all_stay(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("old")
    with pytest.raises(FileNotFoundError):
        replace_files({file: "new", tmp_path / "none" / "b": "new"})
    assert (names(tmp_path), file.read_text()) == (["a"], "old")
