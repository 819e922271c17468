"""Generated trees on disk: comparing, writing, and what survives."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from acpgen.emit import tree as tree_module
from acpgen.emit.header import HEADER
from acpgen.emit.tree import (
    Change,
    Difference,
    FolderError,
    ForeignFileError,
    compare,
    owned,
    write,
)

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
        ("a.py", Change.CHANGED),
        ("new.py", Change.MISSING),
        ("old.py", Change.SURPLUS),
    ]
    assert "-x\n+y\n" in differences[0].diff


def test_surplus_is_looked_for_only_where_claimed(tmp_path: Path) -> None:
    write(tmp_path / "out", {"mine/old.py": OURS, "other/old.py": OURS}, frozenset())
    assert compare(tmp_path / "out", {}, lambda path: path.startswith("mine/")) == [
        Difference("mine/old.py", Change.SURPLUS)
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
    assert compare(out, {"a.py": OURS}, everything) == [Difference("a.py", Change.FOREIGN)]
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
        Difference("b.py", Change.MISSING),
        Difference("deep/a.py", Change.FOREIGN),
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
def test_the_current_folder_is_not_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    out = tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    monkeypatch.chdir(out / here)
    with pytest.raises(FolderError, match=f"call acpgen from {tmp_path}"):
        write(out, {"a.py": OURS}, frozenset())
    assert Path.cwd() == out / here
    assert snapshot(out) == {}


def test_write_refuses_a_folder_that_is_a_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("precious\n")
    with pytest.raises(FolderError, match="is no folder"):
        write(out, {"a.py": OURS}, frozenset())
    assert out.read_text() == "precious\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def unsupported(*_: Path) -> None:
    raise OSError(errno.ENOSYS, "no atomic exchange here")


def test_write_without_an_atomic_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_module, "_exchange", unsupported)
    out = tmp_path / "out"
    write(out, {"a.py": OURS}, frozenset())
    write(out, {"a.py": OURS + "new\n"}, frozenset())
    assert snapshot(out) == {"a.py": OURS + "new\n"}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize("atomic", [True, False])
def test_what_others_write_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, atomic: bool
) -> None:
    out = tmp_path / "out"
    write(out, {"a.py": OURS, "old.py": OURS}, frozenset())
    (out / "notes.txt").write_text("first\n")
    os.utime(out / "notes.txt", (1, 1))
    swap = tree_module._swap  # noqa: SLF001 - somebody writes between the steps of one call

    def late(stage: Path, folder: Path) -> None:
        (folder / "deep").mkdir()
        (folder / "deep" / "late.txt").write_text("late\n")
        (folder / "fresh.txt").write_text("second\n")
        (folder / "fresh.txt").replace(folder / "notes.txt")
        swap(stage, folder)

    monkeypatch.setattr(tree_module, "_swap", late)
    if not atomic:
        monkeypatch.setattr(tree_module, "_exchange", unsupported)
    write(out, {"a.py": OURS + "x\n"}, frozenset({"old.py"}))
    assert snapshot(out) == {
        "a.py": OURS + "x\n",
        "deep/late.txt": "late\n",
        "notes.txt": "second\n",
    }
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_a_swap_cut_in_two_is_mended_by_the_next_run(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, {"a.py": OURS}, frozenset())
    (out / "notes.md").write_text("by hand\n")
    out.rename(tmp_path / ".out.old")
    write(out, {"b.py": OURS}, frozenset())
    assert snapshot(out) == {"a.py": OURS, "b.py": OURS, "notes.md": "by hand\n"}


def test_leftovers_of_a_dead_process_go_and_those_of_a_live_one_stay(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    dead = tmp_path / f".out.stage-{child.pid}-x"
    alive = tmp_path / f".out.stage-{os.getppid()}-x"
    dead.mkdir()
    alive.mkdir()
    write(tmp_path / "out", {"a.py": OURS}, frozenset())
    assert not dead.exists()
    assert alive.exists()


def test_a_leftover_beside_a_folder_with_a_dash_is_cleared(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    dead = tmp_path / f".my-out.stage-{child.pid}-x"
    dead.mkdir()
    write(tmp_path / "my-out", {"a.py": OURS}, frozenset())
    assert not dead.exists()


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
from acpgen.emit.tree import write
for n in itertools.count(1):
    tree = {f"{i}.py": f"# {HEADER}\\n{n}\\n" for i in range(40)}
    write(Path(sys.argv[1]), tree, frozenset())
    print(n, flush=True)
"""


def test_a_killed_writer_leaves_a_whole_tree(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for round_ in range(8):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(out)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(0.003 * round_)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        numbers = {text.splitlines()[1] for text in snapshot(out).values()}
        assert len(snapshot(out)) == 40
        assert len(numbers) == 1
