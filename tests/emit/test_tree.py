"""Generated trees on disk: comparing, writing, and what survives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from acpgen.emit.header import HEADER
from acpgen.emit.tree import (
    Difference,
    DriftKind,
    FolderError,
    ForeignFileError,
    compare,
    locked,
    owned,
    write,
)
from proofs import amount, scaled

OURS = f"# {HEADER}\n"


def everything(_: str) -> bool:
    return True


def snapshot(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()
    }


def test_write_then_compare_is_clean(tmp_path: Path) -> None:
    tree = {"a.py": OURS, "deep/er/b.py": OURS + "x = 1\n"}
    write(tmp_path / "out", tree, frozenset())
    assert snapshot(tmp_path / "out") == tree
    assert compare(tmp_path / "out", tree, everything) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_compare_names_changed_missing_and_surplus(tmp_path: Path) -> None:
    write(tmp_path / "out", {"a.py": OURS + "x\n", "old.py": OURS}, frozenset())
    differences = compare(tmp_path / "out", {"a.py": OURS + "y\n", "new.py": OURS}, everything)
    assert [(d.path, d.change) for d in differences] == [
        ("a.py", DriftKind.CHANGED),
        ("new.py", DriftKind.MISSING),
        ("old.py", DriftKind.SURPLUS),
    ]
    assert "-x\n+y\n" in differences[0].diff


def test_surplus_is_looked_for_only_where_claimed(tmp_path: Path) -> None:
    write(tmp_path / "out", {"mine/old.py": OURS, "other/old.py": OURS}, frozenset())
    assert compare(tmp_path / "out", {}, lambda path: path.startswith("mine/")) == [
        Difference("mine/old.py", DriftKind.SURPLUS)
    ]


def test_what_is_gone_before_it_is_read_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "out", {"a.py": OURS}, frozenset())
    (tmp_path / "out" / "a.pyc.1").write_text(OURS)
    opened = Path.open

    def late(path: Path, mode: str) -> object:
        if path.name == "a.pyc.1":
            path.unlink()
        return opened(path, mode)

    monkeypatch.setattr(Path, "open", late)
    assert [*owned(tmp_path / "out")] == ["a.py"]


def test_write_spares_neighbours_and_unchanged_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, {"a.py": OURS, "b.py": OURS, "stale/c.py": OURS}, frozenset())
    (out / "notes.md").write_text("by hand\n")
    (out / "link").symlink_to("notes.md")
    (out / "empty").mkdir()
    before = (out / "a.py").stat()
    write(out, {"b.py": OURS + "new\n"}, frozenset({"stale/c.py"}))
    assert snapshot(out) == {
        "a.py": OURS,
        "b.py": OURS + "new\n",
        "notes.md": "by hand\n",
        "link": "by hand\n",
    }
    assert (out / "link").is_symlink()
    assert (out / "empty").is_dir()
    assert not (out / "stale").exists()
    assert (out / "a.py").stat().st_mtime_ns == before.st_mtime_ns


def test_write_refuses_a_file_of_somebody_else(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.py").write_text("by hand\n")
    with pytest.raises(ForeignFileError, match=r"a\.py was not written by acpgen"):
        write(out, {"a.py": OURS, "b.py": OURS}, frozenset())
    assert snapshot(out) == {"a.py": "by hand\n"}


def test_bytes_that_are_no_text_are_somebody_elses(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.py").write_bytes(b"\xff\xfe")
    assert compare(out, {"a.py": OURS}, everything) == [Difference("a.py", DriftKind.FOREIGN)]
    with pytest.raises(ForeignFileError):
        write(out, {"a.py": OURS}, frozenset())
    assert (out / "a.py").read_bytes() == b"\xff\xfe"


def put_folder(place: Path) -> None:
    place.mkdir(parents=True)


def put_file_above(place: Path) -> None:
    place.parent.write_text(OURS)


def put_link_above(place: Path) -> None:
    (place.parents[2] / "elsewhere").mkdir()
    place.parent.symlink_to(place.parents[2] / "elsewhere")


def put_file_without_header(place: Path) -> None:
    place.parent.mkdir()
    place.write_text("by hand\n")


@pytest.mark.parametrize(
    "put", [put_folder, put_file_above, put_link_above, put_file_without_header]
)
def test_what_is_in_the_way_is_foreign_and_spared(
    tmp_path: Path, put: Callable[[Path], None]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    put(out / "deep" / "a.py")
    before = snapshot(tmp_path)
    tree = {"deep/a.py": OURS, "b.py": OURS}
    assert compare(out, tree, lambda _: False) == [
        Difference("b.py", DriftKind.MISSING),
        Difference("deep/a.py", DriftKind.FOREIGN),
    ]
    with pytest.raises(ForeignFileError, match=r"deep/a\.py was not written by acpgen"):
        write(out, tree, frozenset())
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "path",
    ["../a.py", "/etc/a.py", "deep/../../a.py", "./a.py", "deep//a.py", "", "..\\a.py", "c:a"],
)
def test_no_path_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    out = tmp_path / "deep" / "out"
    out.mkdir(parents=True)
    with pytest.raises(FolderError, match="leads out of the folder"):
        compare(out, {path: OURS}, everything)
    with pytest.raises(FolderError, match="leads out of the folder"):
        write(out, {path: OURS}, frozenset())
    with pytest.raises(FolderError, match="leads out of the folder"):
        write(out, {}, frozenset({path}))
    assert snapshot(tmp_path) == {}


@pytest.mark.parametrize("here", [".", "deep"])
def test_the_current_folder_can_be_in_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    out = tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    monkeypatch.chdir(out / here)
    write(out, {"a.py": OURS}, frozenset())
    assert Path.cwd() == out / here
    assert snapshot(out) == {"a.py": OURS}


def test_write_refuses_a_folder_that_is_a_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("precious\n")
    with pytest.raises(FolderError, match="is not a folder"):
        write(out, {"a.py": OURS}, frozenset())
    assert out.read_text() == "precious\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_siblings_of_the_folder_are_never_touched(tmp_path: Path) -> None:
    for name in (".out.old", ".out.stage-1-x"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.md").write_text("by hand\n")
    before = snapshot(tmp_path)
    write(tmp_path / "out", {"a.py": OURS}, frozenset())
    write(tmp_path / "out", {"b.py": OURS}, frozenset({"a.py"}))
    assert snapshot(tmp_path) == {**before, "out/b.py": OURS}


def test_foreign_files_keep_their_inodes_and_times(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, {"deep/a.py": OURS}, frozenset())
    (out / "deep" / "notes.txt").write_text("by hand\n")
    os.utime(out / "deep" / "notes.txt", (1, 1))
    places = (out, out / "deep", out / "deep" / "notes.txt")
    before = [(p.stat().st_ino, p.stat().st_mode) for p in places]
    write(out, {"deep/a.py": OURS + "x\n", "deep/b.py": OURS}, frozenset())
    assert [(p.stat().st_ino, p.stat().st_mode) for p in places] == before
    assert (out / "deep" / "notes.txt").stat().st_mtime == 1


def test_a_file_that_turns_foreign_meanwhile_is_spared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    write(out, {"a.py": OURS, "b.py": OURS, "m.json": OURS}, frozenset())
    replace = Path.replace

    def late(draft: Path, target: Path) -> Path:
        (out / "b.py").write_text("by hand\n")
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", late)
    tree = dict.fromkeys(("a.py", "b.py", "m.json"), OURS + "new\n")
    with pytest.raises(ForeignFileError, match=r"b\.py"):
        write(out, tree, frozenset(), last="m.json")
    monkeypatch.undo()
    assert snapshot(out) == {"a.py": OURS + "new\n", "b.py": "by hand\n", "m.json": OURS}


def test_a_mount_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    write(out, {"deep/er/a.py": OURS}, frozenset())
    monkeypatch.setattr(os.path, "ismount", lambda place: Path(place) == out / "deep")
    with pytest.raises(FolderError, match="deep is a mount"):
        write(out, {"b.py": OURS, "deep/er/a.py": OURS + "x\n"}, frozenset())
    assert snapshot(out) == {"deep/er/a.py": OURS}


def test_the_last_file_is_written_after_the_surplus_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    write(out, {"a.json": OURS, "b.py": OURS, "old.py": OURS}, frozenset())
    replace, order = Path.replace, list[tuple[str, bool]]()

    def noted(draft: Path, target: Path) -> Path:
        order.append((target.name, (out / "old.py").exists()))
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", noted)
    tree = {"a.json": OURS + "x\n", "b.py": OURS + "x\n"}
    write(out, tree, frozenset({"old.py"}), last="a.json")
    assert order == [("b.py", True), ("a.json", False)]


def test_drafts_of_a_killed_run_are_removed_and_other_files_there_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / ".acpgen-drafts").mkdir(parents=True)
    (out / ".acpgen-drafts" / "0").write_text(OURS)
    write(out, {"a.py": OURS}, frozenset())
    assert sorted(p.name for p in out.iterdir()) == ["a.py"]
    (out / ".acpgen-drafts").mkdir()
    (out / ".acpgen-drafts" / "notes.md").write_text("by hand\n")
    write(out, {"b.py": OURS}, frozenset())
    assert snapshot(out) == {"a.py": OURS, "b.py": OURS, ".acpgen-drafts/notes.md": "by hand\n"}


def test_a_link_to_the_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    write(tmp_path / "out", {"a.py": OURS}, frozenset())
    assert (tmp_path / "out").is_symlink()
    assert snapshot(tmp_path / "real") == {"a.py": OURS}


WRITER = """
import itertools, sys
from pathlib import Path
from acpgen.emit.header import HEADER
from acpgen.emit.tree import locked, write
for n in itertools.count(int(sys.argv[2])):
    tree = {f"{i}.py": f"# {HEADER}\\n{n}\\n" for i in range(40)}
    with locked(Path(sys.argv[1])):
        write(Path(sys.argv[1]), tree, frozenset(), last="9.py")
    print(n, flush=True)
"""


@scaled("kills many runs")
def test_the_next_run_completes_a_killed_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for round_ in range(0, 8, amount(3, 1)):
        children = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(out), str(start)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for start in (1, 1000)
        ]
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        time.sleep(0.003 * round_)
        for child in children:
            child.send_signal(signal.SIGKILL)
        for child in children:
            child.communicate()
        files = snapshot(out).items()
        whole = {p: text for p, text in files if not p.startswith(".acpgen-drafts/")}
        assert whole.keys() == {f"{i}.py" for i in range(40)}
        numbers = {int(text.splitlines()[1]) for text in whole.values()}
        assert len(numbers) <= 2, "the old tree and the new one; only a draft may be half written"
        with locked(out):
            write(out, {f"{i}.py": f"{OURS}{round_}\n" for i in range(40)}, frozenset())
        assert snapshot(out) == {f"{i}.py": f"{OURS}{round_}\n" for i in range(40)}
