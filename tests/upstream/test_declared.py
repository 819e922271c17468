"""The file of declared differences: what it may hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpgen.upstream import DeclaredError, Status, read_declared

ENTRY = '[[declared]]\nrule = "different"\ndefinition = "A"\npointer = "/type"\nreason = "r"\n'


def read(folder: Path, text: str | bytes) -> object:
    file = folder / "upstream.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_declared(file)


def test_an_entry_covers_its_place_and_what_lies_in_it(tmp_path: Path) -> None:
    (tmp_path / "u.toml").write_text(f'[keywords]\nx-a = "ours"\n\n{ENTRY}')
    declared = read_declared(tmp_path / "u.toml")
    assert declared.keywords == {"x-a": "ours"}
    for pointer, covered in {"/type": True, "/type/0": True, "/types": False, "": False}.items():
        assert (declared.find(Status.DIFFERENT, "A", pointer) is not None) is covered
    assert declared.find(Status.DIFFERENT, "B", "/type") is None
    assert declared.find(Status.OURS_ONLY, "A") is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[", "is not TOML"),
        (b"\xff", "is not TOML"),
        ("more = 1\n", "must hold"),
        ("keywords = 1\n", "must hold"),
        ("declared = 1\n", "must hold"),
        (ENTRY + "line = 1\n", "an entry has the strings"),
        (ENTRY + 'note = "x"\n', "an entry has the strings"),
        (ENTRY.replace('"different"', '"equal"'), "the entry for A needs a rule"),
        (ENTRY.replace('pointer = "/type"\n', ""), "`different` needs a pointer"),
        (ENTRY.replace('"different"', '"ours-only"'), "`different` needs a pointer"),
        (ENTRY.replace('reason = "r"\n', ""), "needs a definition and a reason"),
        (ENTRY.replace('"r"', '" "'), "needs a definition and a reason"),
        (ENTRY.replace('definition = "A"\n', ""), "needs a definition and a reason"),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, text: str | bytes, complaint: str) -> None:
    with pytest.raises(DeclaredError, match=complaint):
        read(tmp_path, text)
