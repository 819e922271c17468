"""The versions of a schema that can be compared: files, folders, and revisions in git."""

from __future__ import annotations

import posixpath
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from acpgen.load.listing import is_schema_file

GIT = "git:"
DEFAULT = PurePosixPath("schema/v2")
"""The path of the schema in a revision, if none is given."""


class GitError(ValueError):
    """A revision that can't be read, with the message of git."""


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """A schema on disk. `label` is the name for readers of `path`, perhaps a temporary copy."""

    path: Path
    label: str

    def named(self, file: str) -> str:
        """Return the name of a file of this schema for readers."""
        inner = Path(file)
        if not inner.is_relative_to(self.path):
            return file
        rest = inner.relative_to(self.path).as_posix()
        return self.label if rest == "." else f"{self.label}/{rest}"


def locate(argument: str, scratch: Path) -> SchemaSource:
    """The schema that an argument names: a path, or `git:REVISION[:PATH]`.

    PATH is relative to the top of the repository that the current folder is in, or to that folder
    if it begins with ./ or ../, as git has it. What git holds is copied below `scratch`.

    Raises:
        GitError: there is no repository, no such revision, or no schema in it.
        OSError: the copy can't be written.
    """
    if not argument.startswith(GIT):
        return SchemaSource(Path(argument), argument)
    revision, _, path = argument.removeprefix(GIT).partition(":")
    inside = _inside(path) if path else DEFAULT
    _copy(revision, inside, scratch)
    return SchemaSource(scratch / inside, f"{GIT}{revision}:{inside}")


def _inside(path: str) -> PurePosixPath:
    """A path from the top of the repository."""
    if path.partition("/")[0] not in {".", ".."}:
        return PurePosixPath(path)
    here = _git(["rev-parse", "--show-prefix"], "git: needs a repository around this folder")
    whole = posixpath.normpath(posixpath.join(here.decode().rstrip("\n"), path))
    if whole.partition("/")[0] == "..":
        raise GitError(f"{path}: leads out of the repository")
    return PurePosixPath(whole)


def _copy(revision: str, path: PurePosixPath, scratch: Path) -> None:
    top = _git(["rev-parse", "--show-toplevel"], "git: needs a repository around this folder")
    folder = top.decode().rstrip("\n")
    commit = _git(
        ["-C", folder, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"],
        f"{revision}: is not a revision of {folder}",
    )
    sha = commit.decode().strip()
    listed = _git(["-C", folder, "ls-tree", "-r", "-z", "--name-only", sha, "--", str(path)], "git")
    names = [PurePosixPath(name) for name in listed.decode().split("\0") if name]
    wanted = [n for n in names if n == path or (n.parent == path and is_schema_file(n.name))]
    if not wanted:
        raise GitError(
            f"{GIT}{revision}: has no schema at {path}; name its path, as in {GIT}{revision}:PATH"
        )
    for name in wanted:
        copy = scratch / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(_git(["-C", folder, "show", f"{sha}:{name}"], str(name)))


def _git(arguments: list[str], otherwise: str) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and revisions are verified first
            ["git", *arguments],  # noqa: S607 - whichever git the caller has
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        raise GitError("git is not installed, so no revision can be read") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip().splitlines()
        raise GitError(": ".join([otherwise, *reason[-1:]])) from None
    return done.stdout
