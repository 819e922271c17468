"""The differences from upstream that are meant, each with its reason, in a TOML file.

    [keywords]
    x-retry-class = "ours: the RFD's classes"

    [[declared]]
    rule = "different"
    definition = "PromptRequest"
    pointer = "/properties/idempotencyKey"
    reason = "the RFD"

A keyword that is listed is left out of the comparison. `rule` is `ours-only`, `theirs-only` or
`different`; `pointer` leads from the definition to what differs, and `different` needs it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_MEMBERS = frozenset({"rule", "definition", "pointer", "reason"})


class DeclaredError(ValueError):
    """A file of declared differences that can't be read as one."""


class Status(StrEnum):
    """How a definition of one schema stands to that of the other."""

    EQUAL = "equal"
    OURS_ONLY = "ours-only"
    THEIRS_ONLY = "theirs-only"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Entry:
    """One difference that is meant. `pointer` is empty for a definition as a whole."""

    status: Status
    definition: str
    pointer: str
    reason: str

    def covers(self, pointer: str) -> bool:
        """Whether a difference at a pointer from the definition on is meant."""
        return f"{pointer}/".startswith(f"{self.pointer}/")


@dataclass(frozen=True, slots=True)
class Declared:
    """All entries of a file, and why a keyword is left out of the comparison."""

    file: str
    keywords: Mapping[str, str]
    entries: tuple[Entry, ...]

    def find(self, status: Status, definition: str, pointer: str = "") -> Entry | None:
        """The entry that declares a difference: itself, or something that it lies in."""
        about = (e for e in self.entries if (e.status, e.definition) == (status, definition))
        return next((entry for entry in about if entry.covers(pointer)), None)


def read_declared(path: Path) -> Declared:
    """Read a file of declared differences.

    Raises:
        DeclaredError: it is not TOML, or holds something else.
        OSError: it can't be read.
    """
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DeclaredError(f"{path}: is not TOML: {error}") from error
    keywords, rows = document.pop("keywords", {}), document.pop("declared", [])
    if document or not _are_texts(keywords) or not isinstance(rows, list):
        raise DeclaredError(f"{path}: must hold [keywords], [[declared]] tables and nothing else")
    return Declared(str(path), keywords, tuple(_entry(path, row) for row in rows))


def _entry(path: Path, row: object) -> Entry:
    if not isinstance(row, dict) or not _are_texts(row) or not row.keys() <= _MEMBERS:
        raise DeclaredError(f"{path}: an entry has the strings {', '.join(sorted(_MEMBERS))}")
    named = f"{path}: the entry for {row.get('definition', 'no definition')}"
    if row.get("rule") not in set(Status) - {Status.EQUAL}:
        raise DeclaredError(f"{named} needs a rule: ours-only, theirs-only or different")
    status = Status(row["rule"])
    if (status is Status.DIFFERENT) != ("pointer" in row):
        raise DeclaredError(f"{named}: `different` needs a pointer, the other rules have none")
    if not row.get("definition") or not row.get("reason", "").strip():
        raise DeclaredError(f"{named} needs a definition and a reason")
    return Entry(status, row["definition"], row.get("pointer", ""), row["reason"])


def _are_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
