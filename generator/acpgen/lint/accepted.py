"""Findings that were looked at and accepted, each with its reason, in a TOML file.

    [[accepted]]
    rule = "untagged-variant"
    pointer = "/$defs/Foo/anyOf"
    reason = "Older peers send it without a tag."

`pointer` is that of the finding. A type has one home, so it needs no file. An entry about a change
between two versions names it with `what`, `from` and `to`; `acpgen diff --format toml` writes
them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from acpgen.findings import Finding
from acpgen.lint.rules import RULES
from acpgen.lint.rules.acceptances import stale_acceptance
from acpgen.startup.digests import content_of

IDS = frozenset(RULES)
"""The rules that findings of lint can be accepted of."""

_MEMBERS = ("rule", "pointer", "reason", "what", "from", "to")
_HEADING = re.compile(r"^\s*\[\[\s*accepted\s*\]\]", re.MULTILINE)


class AcceptedError(ValueError):
    """A file of accepted findings that can't be read as one."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One entry; `line` is where it starts. `old` and `new` are its `from` and `to`.

    `what` distinguishes the changes at one place.
    """

    rule: str
    pointer: str
    reason: str
    line: int | None
    what: str = ""
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """All entries of a file."""

    file: str
    entries: tuple[Acceptance, ...]

    def without(self, rules: Collection[str]) -> Accepted:
        """All entries but those of some rules, which another command checks."""
        return replace(self, entries=tuple(e for e in self.entries if e.rule not in rules))

    def sift(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that no entry accepts, and one for each invalid entry."""
        entries = {(e.rule, e.pointer): e for e in reversed(self.entries)}
        rest, used = [], set[Acceptance]()
        for finding in findings:
            entry = entries.get((finding.rule, finding.pointer))
            if entry is None:
                rest.append(finding)
            else:
                used.add(entry)
        complaints = (
            stale(self.file, entry, complaint)
            for entry in self.entries
            if (complaint := _complaint(entry, entry in used)) is not None
        )
        return [*rest, *complaints]


def read_accepted(path: Path) -> Accepted:
    """Read a file of accepted findings.

    Raises:
        AcceptedError: it is not TOML, or holds something else than accepted findings.
        OSError: it can't be read.
    """
    try:
        text = content_of(str(path)).decode("utf-8")
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AcceptedError(f"{path}: is not TOML: {error}") from error
    rows = document.pop("accepted", [])
    if document or not isinstance(rows, list) or not all(_is_entry(row) for row in rows):
        raise AcceptedError(
            f"{path}: must hold [[accepted]] tables of the strings {', '.join(_MEMBERS)}, and "
            "nothing else"
        )
    lines = [text.count("\n", 0, match.end()) + 1 for match in _HEADING.finditer(text)]
    places: list[int | None] = [*lines] if len(lines) == len(rows) else [None] * len(rows)
    entries = (
        Acceptance(
            rule=row.get("rule", ""),
            pointer=row.get("pointer", ""),
            reason=row.get("reason", ""),
            line=line,
            what=row.get("what", ""),
            old=row.get("from", ""),
            new=row.get("to", ""),
        )
        for row, line in zip(rows, places, strict=True)
    )
    return Accepted(str(path), tuple(entries))


def stale(file: str, entry: Acceptance, complaint: str) -> Finding:
    """The finding about an invalid entry."""
    rule = stale_acceptance
    return Finding(rule.id, rule.severity, file, "", complaint, entry.line)


def unknown(entry: Acceptance) -> str:
    """The message about an entry with an unknown rule."""
    return f"no rule is called {entry.rule!r}"


def _is_entry(row: object) -> bool:
    return isinstance(row, dict) and all(
        key in _MEMBERS and isinstance(value, str) for key, value in row.items()
    )


def _complaint(entry: Acceptance, used: bool) -> str | None:
    if entry.rule not in IDS:
        return unknown(entry)
    if not entry.reason.strip():
        return f"accepts {entry.rule} {entry.pointer} without a reason"
    if entry.what or entry.old or entry.new:
        return f"accepts {entry.rule} {entry.pointer} with what, from or to, which changes have"
    return None if used else f"no {entry.rule} at {entry.pointer} is left for this; remove it"
