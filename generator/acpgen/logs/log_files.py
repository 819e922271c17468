"""The files that the words of a command line mean: files, folders and patterns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from acpgen.logs.written_pages import may_be_log
from acpgen.startup.file_names import STDIN

_PATTERN = frozenset("*?[")
"""What makes a name a pattern, where no file has that name."""
SECRETS = ".secret"
"""What the files end with that `acpgen tap` keeps its secrets in."""
_STEPS, _OUTPUT = ".steps.json", ".stderr"
"""What the files end with that `acpgen conform --record` writes beside a transcript."""


def expanded(files: Iterable[str]) -> tuple[str, ...]:
    """The files that words mean: themselves, all in a folder, or those that match a pattern.

    A folder counts as all files below it, in the order of their names, apart from hidden ones, the
    secrets of `acpgen tap`, the pages of `acpgen view`, and what `acpgen conform --record` writes
    beside its transcripts, which a pattern may name. Pipes and devices, which may never end, are
    read only where a word is their name. A word that means no file stays as it is.
    """
    found = [path for file in files for path in _meant(file)]
    # A shell may have put secrets among the words.
    logs = [path for path in found if not path.endswith(SECRETS)]
    return tuple(dict.fromkeys(logs or found))


def _meant(file: str) -> Sequence[str]:
    if file == STDIN or not (_PATTERN.intersection(file) or Path(file).is_dir()):
        return [file]
    matching = [file] if Path(file).exists() else _matching(file)
    found = [path for each in matching for path in _below(Path(each), each)]
    if found != [file]:
        found = [path for path in found if may_be_log(Path(path))]
        found = [path for path in found if not _is_beside(path, file)] or found
    return found or [file]


def _is_beside(path: str, word: str) -> bool:
    """True for what `acpgen conform` writes beside a transcript, but for what a word names.

    It always writes the steps, so without them the files of one name are the user's.
    """
    for end in (_STEPS, _OUTPUT):
        start = path.removesuffix(end)
        if start != path and not word.endswith(end):
            return all(Path(start + each).exists() for each in (".ndjson", _STEPS))
    return False


def _matching(pattern: str) -> Sequence[str]:
    """The files and folders that a pattern means, as shells and `**` do, but for hidden ones."""
    whole = Path(pattern)
    start = Path(whole.anchor)
    parts = whole.relative_to(start).parts
    hidden = any(part.startswith(".") for part in parts)
    found = start.glob(str(Path(*parts)))
    return sorted(str(path) for path in found if hidden or not _is_hidden(path))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") and part != ".." for part in path.parts)


def _below(path: Path, name: str) -> Iterator[str]:
    """The files in a folder, or the one that a path is; no pipes, sockets or devices."""
    if not path.is_dir():
        if path.is_file():
            yield name
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for each in sorted(files):
            found = Path(folder, each)
            if not each.startswith(".") and not each.endswith(SECRETS) and found.is_file():
                yield str(found)
