"""Generated trees on disk: comparing a folder with a tree, and writing the tree into it.

Only files whose first lines contain the header of acpgen are ever changed or removed.
"""

from __future__ import annotations

import difflib
import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acpgen.emit.header import owns
from acpgen.startup.digests import IrregularFileError, content_of

_DRAFTS = ".acpgen-drafts"
_NO_LOCKS = frozenset({errno.EBADF, errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS})


class ForeignFileError(ValueError):
    """A path that acpgen would write holds something that it did not write."""


class FolderError(ValueError):
    """A folder that can't be replaced by a tree, or a tree that reaches out of its folder."""


class DriftKind(StrEnum):
    """How a file on disk differs from the generated one.

    FOREIGN is a file that acpgen did not write and does not replace.
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
    change: DriftKind
    found: str = ""
    wanted: str = ""

    @property
    def in_line_ends_only(self) -> bool:
        """True if the text is the generated one with CRLF at the ends of its lines, or some."""
        return self.change is DriftKind.CHANGED and _with_lf(self.found) == self.wanted

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
    """The differences between a folder and the tree that should be there, by path.

    `claims` is true of the paths that only this tree may fill: a file of acpgen there that the
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
    differences.extend(Difference(path, DriftKind.SURPLUS) for path in surplus)
    return sorted(differences, key=lambda d: d.path)


def require_folder(folder: Path) -> None:
    """Refuse a path to write below that holds something else than a folder.

    Raises:
        FolderError: it does.
    """
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder} is not a folder; choose another --out")


def owned(folder: Path) -> Iterator[str]:
    """The paths of the files below a folder that acpgen wrote."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
        if _owns_file(path):
            yield path.relative_to(folder).as_posix()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create a folder if needed, and keep other runs of acpgen from writing into it meanwhile.

    On a file system without such locks, as some network drives are, no run waits for another.

    Raises:
        OSError: the folder can't be created or opened.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        yield
    finally:
        os.close(descriptor)


def has_drafts(folder: Path) -> bool:
    """True if a run writes into a folder now, or was killed while it did."""
    return (folder / _DRAFTS).is_dir()


def write(folder: Path, tree: Mapping[str, str], surplus: frozenset[str], last: str = "") -> None:
    """Replace the files of a tree one by one, then remove the surplus ones, then write `last`.

    All texts are on the disk before the first file is replaced. If the process is killed between
    the first and the last replacement, the folder holds old and new files; `last` is still the old
    one then. Other files and folders are never moved, linked or removed.

    The caller holds the lock of `locked`. With it, drafts in the folder come from a killed run.

    Raises:
        ForeignFileError: a path of the tree holds something that acpgen did not write.
        FolderError: the folder is not one, a path of the tree leads out of it, or something is
            mounted at a path or above it.
        OSError: the file system refuses.
    """
    _require_inside({*tree, *surplus})
    require_folder(folder)
    folder = folder.resolve()
    _require_no_mount(folder, {*tree, *surplus})
    _require_own(folder, tree)
    drafts = folder / _DRAFTS
    _remove_drafts(drafts)
    drafts.mkdir(parents=True, exist_ok=True)
    try:
        paths = sorted(tree, key=lambda path: (path == last, path))
        for number, path in enumerate(paths):
            _write_new(drafts / str(number), tree[path], like=folder / path)
        for number, path in enumerate(paths):
            if path == last:
                _remove(folder, surplus - tree.keys())
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            _require_own(folder, {path: tree[path]})
            (drafts / str(number)).replace(folder / path)
        if last not in tree:
            _remove(folder, surplus - tree.keys())
    finally:
        _remove_drafts(drafts)


def replace_files(texts: Mapping[Path, str]) -> None:
    """Write texts to files as UTF-8. Each file is replaced as a whole, after all texts are on disk.

    A file keeps its mode; a link is replaced itself. Drafts are files of their own beside, under
    random names that no other process uses.

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


def _difference(folder: Path, path: str, wanted: str) -> Difference | None:
    """How the file at a path differs from the text that is wanted there, None if it doesn't."""
    place = folder / path
    if place.is_dir() or any(map(_is_no_folder, _parents(folder, path))):
        return Difference(path, DriftKind.FOREIGN)
    try:
        found = content_of(str(place))
    except IrregularFileError:
        return Difference(path, DriftKind.FOREIGN)
    except (FileNotFoundError, NotADirectoryError):
        return Difference(path, DriftKind.MISSING)
    if found == wanted.encode("utf-8"):
        return None
    text = found.decode("utf-8", errors="replace")
    if text and not owns(text):
        return Difference(path, DriftKind.FOREIGN)
    return Difference(path, DriftKind.CHANGED, text, wanted)


def _parents(folder: Path, path: str) -> Iterator[Path]:
    """The folders between a folder and a path in it."""
    return (folder / parent for parent in list(Path(path).parents)[:-1])


def _is_no_folder(path: Path) -> bool:
    """True if something else than a folder is there, such as a link, which may lead anywhere."""
    return path.is_symlink() or (path.exists() and not path.is_dir())


def _require_own(folder: Path, tree: Mapping[str, str]) -> None:
    """Refuse a tree if something that acpgen did not write is at one of its paths."""
    for path, wanted in tree.items():
        difference = _difference(folder, path, wanted)
        if difference is not None and difference.change is DriftKind.FOREIGN:
            raise ForeignFileError(
                f"{folder / path} was not written by acpgen, or has lost its header; "
                "move it away or choose another --out"
            )


def _require_no_mount(folder: Path, paths: Iterable[str]) -> None:
    """Refuse paths at or below a mount inside the folder: no file can be renamed to there."""
    mounts = _mounts()
    for path in paths:
        for place in (folder / path, *_parents(folder, path)):
            if os.fspath(place) in mounts or os.path.ismount(place):
                raise FolderError(f"{place} is a mount; unmount it or choose another --out")


def _mounts() -> frozenset[str]:
    """The places where something is mounted, where the system lists them.

    `os.path.ismount` doesn't find a part of the same file system that is mounted elsewhere.
    """
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return frozenset()
    return frozenset(
        re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), line.split(" ")[4])
        for line in lines
    )


def _remove_drafts(drafts: Path) -> None:
    """Remove the drafts of this run or of a killed one. Other files stay, with their folder."""
    if drafts.is_symlink() or not drafts.is_dir():
        return
    for draft in drafts.iterdir():
        if draft.name.isdecimal():
            draft.unlink(missing_ok=True)
    with suppress(OSError):
        drafts.rmdir()


def _remove(folder: Path, surplus: Iterable[str]) -> None:
    """Remove files, and the folders that are empty then."""
    for path in surplus:
        if not any(map(_is_no_folder, _parents(folder, path))):
            (folder / path).unlink(missing_ok=True)
        for parent in _parents(folder, path):
            with suppress(OSError):
                parent.rmdir()
