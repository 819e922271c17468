"""The file of declared differences: what it may hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpgen.model import Pointer
from acpgen.upstream import DeclaredError, Status, read_declared
from acpgen.upstream.declared import UpstreamDifference, value_of

ENTRY = """
[[declared]]
rule = "different"
definition = "A"
pointer = "/type"
theirs = "nothing"
ours = '{"a": 1, "b": 2}'
reason = "r"
"""
VALUES = ENTRY[ENTRY.index("theirs") : ENTRY.index("reason")]


def read(folder: Path, text: str | bytes) -> object:
    file = folder / "upstream.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_declared(file)


def difference(pointer: str, theirs: str, ours: str) -> UpstreamDifference:
    return UpstreamDifference(Pointer(pointer), theirs, ours)


SAME = difference("/type", "nothing", value_of({"b": 2, "a": 1}))


def test_an_entry_holds_for_its_values_in_whatever_spelling(tmp_path: Path) -> None:
    (tmp_path / "u.toml").write_text(f'[keywords]\na = "x"\n[ours]\nx-b = "y"\n{ENTRY}')
    declared = read_declared(tmp_path / "u.toml")
    assert (declared.keywords, declared.ours) == ({"a": "x"}, {"x-b": "y"})
    assert declared.find(Status.DIFFERENT, "A", SAME) is not None
    others = [
        difference("/type/0", SAME.theirs, SAME.ours),
        difference("/types", SAME.theirs, SAME.ours),
        difference("", SAME.theirs, SAME.ours),
        difference("/type", value_of("nothing"), SAME.ours),
        difference("/type", SAME.theirs, value_of({"a": 1})),
    ]
    assert [declared.find(Status.DIFFERENT, "A", other) for other in others] == [None] * 5
    assert declared.find(Status.DIFFERENT, "B", SAME) is None
    assert declared.find(Status.OURS_ONLY, "A") is None


def test_an_entry_for_a_whole_definition_holds_for_all_that_differs(tmp_path: Path) -> None:
    text = ENTRY.replace(VALUES, "").replace("/type", "")
    (tmp_path / "u.toml").write_text(text)
    declared = read_declared(tmp_path / "u.toml")
    assert declared.find(Status.DIFFERENT, "A", SAME) is not None


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
        (ENTRY.replace(VALUES, ""), "`theirs` and `ours` are what each"),
        (ENTRY.replace('theirs = "nothing"\n', ""), "`theirs` and `ours` are what each"),
        (ENTRY.replace("/type", ""), "else it has neither"),
        (ENTRY.replace("nothing", "none"), "`theirs` is neither JSON nor `nothing`"),
        ("ours = 1\n", "must hold"),
        (ENTRY.replace('"different"', '"ours-only"'), "`different` needs a pointer"),
        (ENTRY.replace('reason = "r"\n', ""), "needs a definition and a reason"),
        (ENTRY.replace('"r"', '" "'), "needs a definition and a reason"),
        (ENTRY.replace('definition = "A"\n', ""), "needs a definition and a reason"),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, text: str | bytes, complaint: str) -> None:
    with pytest.raises(DeclaredError, match=complaint):
        read(tmp_path, text)
