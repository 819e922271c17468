"""Generated trees on disk: what differs, what is stale, and replacing the old by the new at once.

Only files that say near their top that acpgen wrote them are ever changed or removed.
"""

from __future__ import annotations

import ctypes
import difflib
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acpgen.emit.header import owns


class ForeignFileError(ValueError):
    """A path that acpgen would write holds a file that it did not write."""


class Change(StrEnum):
    """How a file on disk differs from the generated one."""

    CHANGED = "changed"
    MISSING = "missing"
    SURPLUS = "surplus"


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not as generated. `diff` is unified, from the disk to the generated."""

    path: str
    change: Change
    diff: str = ""


def compare(
    folder: Path, tree: Mapping[str, str], claims: Callable[[str], bool]
) -> list[Difference]:
    """What differs between a folder and the tree that should be there, by path.

    `claims` tells the paths that only this tree may fill: a file of acpgen's own there that the
    tree lacks is surplus.
    """
    differences = [
        Difference(path, Change.MISSING) if text is None else _changed(path, text, wanted)
        for path, wanted in tree.items()
        if (text := _read(folder / path)) != wanted
    ]
    surplus = (p for p in owned(folder) if claims(p) and p not in tree)
    differences.extend(Difference(path, Change.SURPLUS) for path in surplus)
    return sorted(differences, key=lambda d: d.path)


def owned(folder: Path) -> Iterator[str]:
    """The paths of the files below a folder that acpgen wrote."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
        if _owns_file(path):
            yield path.relative_to(folder).as_posix()


def write(folder: Path, tree: Mapping[str, str], stale: frozenset[str]) -> None:
    """Put a tree into a folder and take stale files out of it, in one step.

    The new state is prepared beside the folder and swapped in, so that a reader, or whoever looks
    after a crash, sees the whole old tree or the whole new one. Files that are neither in the tree
    nor stale are kept, as they are.

    Raises:
        ForeignFileError: a path of the tree holds a file that acpgen did not write.
        OSError: the file system refuses.
    """
    if folder.exists() and not folder.is_dir():
        raise ForeignFileError(f"{folder} is no folder; choose another --out")
    for path in tree:
        text = _read(folder / path)
        if text and not owns(text):
            raise ForeignFileError(
                f"{folder / path} was not written by acpgen; move it or choose another --out"
            )
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    _recover(folder)
    stage = Path(tempfile.mkdtemp(prefix=_stage_prefix(folder), dir=folder.parent))
    try:
        _prepare(stage, folder, tree, stale)
        _swap(stage, folder)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _owns_file(path: Path) -> bool:
    with path.open("rb") as file:
        return owns(file.read(1024).decode("utf-8", errors="replace"))


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return None


def _changed(path: str, text: str, wanted: str) -> Difference:
    lines = difflib.unified_diff(
        text.splitlines(keepends=True),
        wanted.splitlines(keepends=True),
        f"{path} (on disk)",
        f"{path} (generated)",
        n=1,
    )
    return Difference(path, Change.CHANGED, "".join(lines))


def _stage_prefix(folder: Path) -> str:
    return f".{folder.name}.stage-{os.getpid()}-"


def _recover(folder: Path) -> None:
    """Clear what a killed run left: a stage, or the old tree of a swap that was cut in two."""
    prefix = f".{folder.name}.stage-"
    for leftover in [p for p in folder.parent.iterdir() if p.name.startswith(prefix)]:
        pid = leftover.name.removeprefix(prefix).split("-")[0]
        if pid.isdecimal() and not _alive(int(pid)):
            shutil.rmtree(leftover, ignore_errors=True)
    backup = _backup(folder)
    if backup.exists():
        if folder.exists():
            shutil.rmtree(backup)
        else:
            backup.rename(folder)


def _backup(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _prepare(stage: Path, folder: Path, tree: Mapping[str, str], stale: frozenset[str]) -> None:
    """Fill the stage with the next state: unchanged files are links to the old ones."""
    if folder.is_dir():
        stage.chmod(folder.stat().st_mode)
        shutil.copytree(
            folder,
            stage,
            symlinks=True,
            dirs_exist_ok=True,
            copy_function=_link,
            ignore=lambda parent, names: _dropped(folder, Path(parent), names, tree, stale),
        )
        _remove_emptied(stage, folder, stale)
    else:
        stage.chmod(0o755)
    for path, text in tree.items():
        target = stage / path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode("utf-8"))


def _dropped(
    folder: Path, parent: Path, names: list[str], tree: Mapping[str, str], stale: frozenset[str]
) -> set[str]:
    def drops(name: str) -> bool:
        path = (parent / name).relative_to(folder).as_posix()
        return path in stale or (path in tree and _read(folder / path) != tree[path])

    return {name for name in names if drops(name)}


def _link(source: str, destination: str) -> str:
    try:
        os.link(source, destination)
    except OSError:
        shutil.copy2(source, destination)
    return destination


def _remove_emptied(stage: Path, folder: Path, stale: frozenset[str]) -> None:
    """Remove the folders that held nothing but stale files."""
    parents = {parent for path in stale for parent in (folder / path).relative_to(folder).parents}
    for parent in sorted(parents, key=lambda p: len(p.parts), reverse=True):
        place = stage / parent
        if parent.parts and place.is_dir() and not any(place.iterdir()):
            place.rmdir()


def _swap(stage: Path, folder: Path) -> None:
    """Make the stage the folder; afterwards the stage holds what the folder held, or is gone."""
    if not folder.exists():
        stage.rename(folder)
        return
    try:
        _exchange(stage, folder)
    except OSError as error:
        if error.errno not in {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}:
            raise
        backup = _backup(folder)
        folder.rename(backup)
        stage.rename(folder)
        shutil.rmtree(backup)


_RENAME_EXCHANGE, _RENAME_SWAP, _AT_FDCWD = 2, 2, -100


def _exchange(one: Path, other: Path) -> None:
    """Exchange two folders in one atomic step, where the system can.

    Raises:
        OSError: with ENOSYS where it can't.
    """
    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        result = library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        result = library.renamex_np(*names, _RENAME_SWAP)
    else:
        raise OSError(errno.ENOSYS, "no atomic exchange here")
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))
