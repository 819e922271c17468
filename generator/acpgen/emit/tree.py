"""Generated trees on disk: what differs, what is stale, and replacing the old by the new at once.

Of a tree, only files that say near their top that acpgen wrote them are ever changed or removed.
"""

from __future__ import annotations

import ctypes
import difflib
import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acpgen.emit.header import owns


class ForeignFileError(ValueError):
    """A path that acpgen would write holds something that it did not write."""


class FolderError(ValueError):
    """A folder that can't be replaced by a tree, or a tree that reaches out of its folder."""


class Change(StrEnum):
    """How a file on disk differs from the generated one.

    FOREIGN is one whose place holds what acpgen did not write, and so won't replace.
    """

    CHANGED = "changed"
    MISSING = "missing"
    SURPLUS = "surplus"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not as generated, with its text on the disk and the generated one.

    Both texts are empty unless it is CHANGED.
    """

    path: str
    change: Change
    found: str = ""
    wanted: str = ""

    @property
    def in_line_ends_only(self) -> bool:
        """Whether the text is the generated one with CRLF at the ends of its lines, or some."""
        return self.change is Change.CHANGED and _with_lf(self.found) == self.wanted

    @property
    def diff(self) -> str:
        """The unified diff from the disk to the generated, without what differs in line ends."""
        lines = difflib.unified_diff(
            _with_lf(self.found).splitlines(keepends=True),
            self.wanted.splitlines(keepends=True),
            f"{self.path} (on disk)",
            f"{self.path} (generated)",
            n=1,
        )
        return "".join(lines)


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def compare(
    folder: Path, tree: Mapping[str, str], claims: Callable[[str], bool]
) -> list[Difference]:
    """What differs between a folder and the tree that should be there, by path.

    `claims` tells the paths that only this tree may fill: a file of acpgen's own there that the
    tree lacks is surplus.

    Raises:
        FolderError: a path of the tree leads out of the folder.
        OSError: a file can't be read.
    """
    _require_inside(tree)
    differences = [
        difference
        for path, wanted in tree.items()
        if (difference := _difference(folder, path, wanted)) is not None
    ]
    surplus = (p for p in owned(folder) if claims(p) and p not in tree)
    differences.extend(Difference(path, Change.SURPLUS) for path in surplus)
    return sorted(differences, key=lambda d: d.path)


def require_folder(folder: Path) -> None:
    """Refuse a path to write below that holds something else than a folder.

    Raises:
        FolderError: it does.
    """
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder} is no folder; choose another --out")


def owned(folder: Path) -> Iterator[str]:
    """The paths of the files below a folder that acpgen wrote."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
        if _owns_file(path):
            yield path.relative_to(folder).as_posix()


def write(folder: Path, tree: Mapping[str, str], stale: frozenset[str]) -> None:
    """Put a tree into a folder and take stale files out of it, in one step.

    The new state is prepared beside the folder and swapped in, so that a reader, or whoever looks
    after a crash, sees the whole old tree or the whole new one. Files that are neither in the tree
    nor stale are kept, as they are, those among them that somebody writes meanwhile.

    Raises:
        ForeignFileError: a path of the tree holds something that acpgen did not write.
        FolderError: the folder is none, or the current folder lies in it, which would be gone; a
            path of the tree leads out of it.
        OSError: the file system refuses.
    """
    _require_inside({*tree, *stale})
    _require_replaceable(folder)
    for path, wanted in tree.items():
        difference = _difference(folder, path, wanted)
        if difference is not None and difference.change is Change.FOREIGN:
            raise ForeignFileError(
                f"{folder / path} was not written by acpgen, or has lost its header; "
                "move it away or choose another --out"
            )
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    _recover(folder)
    stage = Path(tempfile.mkdtemp(prefix=_stage_prefix(folder), dir=folder.parent))
    try:
        _prepare(stage, folder, tree, stale)
        _swap(stage, folder)
        _carry_over(stage, folder, {*tree, *stale})
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def replace_files(texts: Mapping[Path, str]) -> None:
    """Put texts into files as UTF-8, each as a whole, and none before all are on the disk.

    A file keeps its mode; a link is replaced itself. Drafts are files of their own beside, under
    names that nobody can have taken before.

    Raises:
        OSError: the file system refuses.
    """
    drafts: dict[Path, Path] = {}
    try:
        for path, text in texts.items():
            drafts[path] = path.with_name(f".{secrets.token_hex(8)}.tmp")
            _write_new(drafts[path], text, like=path)
        for path, draft in drafts.items():
            draft.replace(path)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def _write_new(path: Path, text: str, *, like: Path) -> None:
    """Write a file that isn't there yet, with the mode of another one if that is there."""
    mode = stat.S_IMODE(like.stat().st_mode) if like.exists() else None

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    with open(path, "xb", opener=opened) as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        path.chmod(mode)


def _owns_file(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return owns(file.read(1024).decode("utf-8", errors="replace"))
    except FileNotFoundError:  # Python writes what it compiles under a name that is gone at once
        return False


def _require_inside(paths: Iterable[str]) -> None:
    """Refuse paths that are absolute, step upwards, or mean something else on other systems."""
    for path in paths:
        parts = path.split("/")
        if not parts[0] or {"", ".", ".."} & set(parts) or set(path) & set("\\:\0"):
            raise FolderError(f"{path!r} leads out of the folder that is generated")


def _require_replaceable(folder: Path) -> None:
    require_folder(folder)
    here, whole = Path.cwd(), folder.resolve()
    if here.is_relative_to(whole):
        raise FolderError(
            f"{whole} is replaced as a whole, and the current folder would be gone with it; "
            f"call acpgen from {whole.parent}"
        )


def _difference(folder: Path, path: str, wanted: str) -> Difference | None:
    """How the file at a path differs from the text that is wanted there, None if it doesn't."""
    place = folder / path
    if place.is_dir() or any(map(_is_no_folder, _parents(folder, path))):
        return Difference(path, Change.FOREIGN)
    found = _read(place)
    if found is None:
        return Difference(path, Change.MISSING)
    if found == wanted.encode("utf-8"):
        return None
    text = found.decode("utf-8", errors="replace")
    if text and not owns(text):
        return Difference(path, Change.FOREIGN)
    return Difference(path, Change.CHANGED, text, wanted)


def _parents(folder: Path, path: str) -> Iterator[Path]:
    """The folders between a folder and a path in it."""
    return (folder / parent for parent in list(Path(path).parents)[:-1])


def _is_no_folder(path: Path) -> bool:
    """Whether something other than a folder stands there. A link may lead to anywhere."""
    return path.is_symlink() or path.is_file()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


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
        try:
            shutil.copytree(
                folder,
                stage,
                symlinks=True,
                dirs_exist_ok=True,
                copy_function=_link,
                ignore=lambda parent, names: _dropped(folder, Path(parent), names, tree, stale),
            )
        except shutil.Error as error:
            place, _, reason = error.args[0][0]
            raise OSError(f"{place}: {reason}") from error
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
        return path in stale or (
            path in tree and _read(folder / path) != tree[path].encode("utf-8")
        )

    return {name for name in names if drops(name)}


def _link(source: str, destination: str) -> str:
    try:
        os.link(source, destination)
    except OSError:
        # Somebody may have removed it since the folder was listed.
        if os.path.lexists(source):
            shutil.copy2(source, destination)
    return destination


def _remove_emptied(stage: Path, folder: Path, stale: frozenset[str]) -> None:
    """Remove the folders that held nothing but stale files."""
    parents = {parent for path in stale for parent in (folder / path).relative_to(folder).parents}
    for parent in sorted(parents, key=lambda p: len(p.parts), reverse=True):
        place = stage / parent
        if parent.parts and place.is_dir() and not any(place.iterdir()):
            place.rmdir()


def _carry_over(old: Path, new: Path, ours: Collection[str]) -> None:
    """Move what somebody else wrote into the old folder, after it was copied, to the new one."""
    for path in [p for p in old.rglob("*") if not p.is_dir() or p.is_symlink()]:
        name = path.relative_to(old)
        if name.as_posix() not in ours and not _is_newer(new / name, path):
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            path.replace(new / name)


def _is_newer(place: Path, path: Path) -> bool:
    return os.path.lexists(place) and place.lstat().st_mtime_ns >= path.lstat().st_mtime_ns


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
        backup.rename(stage)


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
