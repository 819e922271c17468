"""The intended differences from upstream, each with its reason, in a TOML file.

    [keywords]
    description = "prose is ours"

    [ours]
    x-retry-class = "the RFD's classes"

    [[declared]]
    rule = "different"
    definition = "PromptRequest"
    pointer = "/properties/idempotencyKey"
    theirs = "nothing"
    ours = '{"$ref": "#/$defs/IdempotencyKey"}'
    reason = "the RFD"

A keyword that is listed is left out of the comparison: always, or, among `ours`, where upstream
doesn't say it. `rule` is `ours-only`, `theirs-only` or `different`. `different` needs `pointer`,
which leads from the definition to what differs, and the values there: JSON, or the word `nothing`.
An entry holds for these values only. With the pointer "" it has no values, and holds for whatever
differs in the definition.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acpgen.model import JsonValue, Pointer

NOTHING = "nothing"
"""The word for a missing value."""
_MEMBERS = frozenset({"rule", "definition", "pointer", "theirs", "ours", "reason"})
_VALUES = ("theirs", "ours")


class DeclaredError(ValueError):
    """A file of declared differences that can't be read as one."""


class Status(StrEnum):
    """The relation between a definition of one schema and that of the other."""

    EQUAL = "equal"
    OURS_ONLY = "ours-only"
    THEIRS_ONLY = "theirs-only"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Declaration:
    """One difference that is meant. `pointer` is empty for a definition as a whole.

    `theirs` and `ours` are the values at the pointer as `value_of` spells them, empty without one.
    """

    status: Status
    definition: str
    pointer: str
    reason: str
    theirs: str = ""
    ours: str = ""

    def covers(self, difference: UpstreamDifference | None) -> bool:
        """True if a difference is meant, or the definition as a whole where none is given."""
        if difference is None or not self.pointer:
            return not self.pointer
        found = (difference.pointer, difference.theirs, difference.ours)
        return found == (self.pointer, self.theirs, self.ours)


@dataclass(frozen=True, slots=True)
class UpstreamDifference:
    """A difference of two definitions: its place in them, and what each has there.

    `theirs` and `ours` are JSON as `value_of` spells it, or the word `nothing`.
    """

    pointer: Pointer
    theirs: str
    ours: str


@dataclass(frozen=True, slots=True)
class Declared:
    """All entries of a file, and why a keyword is left out of the comparison.

    `keywords` may differ between the schemas; upstream doesn't have the keywords of `ours`.
    """

    file: str
    keywords: Mapping[str, str]
    entries: tuple[Declaration, ...]
    ours: Mapping[str, str]

    def find(
        self, status: Status, definition: str, difference: UpstreamDifference | None = None
    ) -> Declaration | None:
        """The entry that declares a difference, or a definition that only one of both has."""
        about = (e for e in self.entries if (e.status, e.definition) == (status, definition))
        return next((entry for entry in about if entry.covers(difference)), None)


def value_of(value: JsonValue) -> str:
    """Return a value in the form of declared differences: JSON with sorted members."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


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
    keywords, ours = document.pop("keywords", {}), document.pop("ours", {})
    rows = document.pop("declared", [])
    if document or not _are_texts(keywords) or not _are_texts(ours) or not isinstance(rows, list):
        raise DeclaredError(
            f"{path}: must hold [keywords], [ours], [[declared]] tables and nothing else"
        )
    return Declared(str(path), keywords, tuple(_entry(path, row) for row in rows), ours)


def _entry(path: Path, row: object) -> Declaration:
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
    wanted = _VALUES if row.get("pointer") else ()
    if {*row} & {*_VALUES} != {*wanted}:
        raise DeclaredError(
            f"{named}: with a pointer into the definition, `theirs` and `ours` are what each "
            "schema has there, else it has neither"
        )
    values = {name: _spelled(named, name, row[name]) for name in wanted}
    return Declaration(status, row["definition"], row.get("pointer", ""), row["reason"], **values)


def _spelled(named: str, name: str, text: str) -> str:
    """A declared value in the one spelling that values have when they are compared."""
    try:
        return NOTHING if text == NOTHING else value_of(json.loads(text))
    except ValueError as error:
        raise DeclaredError(f"{named}: `{name}` is neither JSON nor `{NOTHING}`") from error


def _are_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
