"""What `diff` and `release` share: two versions, their changes, and what was accepted."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from acpgen import findings, resources
from acpgen.cli.report import fail, note, relative, unreadable
from acpgen.diff import TOPICS, Change
from acpgen.diff import diff as changes_between
from acpgen.diff.report import Comparison
from acpgen.diff.source import GitError, Source, locate
from acpgen.diff.witness import Witnesses
from acpgen.findings import Finding
from acpgen.lint.accepted import (
    IDS,
    STALE,
    Acceptance,
    AcceptedError,
    beside,
    read_accepted,
    unknown,
)
from acpgen.load import SchemaError, load
from acpgen.model import Protocol


@dataclass(frozen=True, slots=True)
class Sifted:
    """The changes that nobody accepted, the reasons for the others, what is accepted in vain.

    Each entry that accepts nothing goes with what is wrong with it.
    """

    open: tuple[Change, ...]
    accepted: dict[Change, str]
    stale: dict[Acceptance, Finding]


def comes_installed() -> bool:
    """Whether the schema that comes with acpgen is no checkout, so that it has no releases."""
    return not (resources.ROOT / "tests").is_dir()


@contextmanager
def compared(old: str, new: str) -> Iterator[Comparison]:
    """Two versions and their changes; copies out of git last as long as the context."""
    with tempfile.TemporaryDirectory() as scratch:
        sources = (_locate(old, Path(scratch, "old")), _locate(new, Path(scratch, "new")))
        before, after = (read(source) for source in sources)
        yield Comparison(*sources, changes_between(before, after), Witnesses(before, after))


def read(source: Source) -> Protocol:
    """The protocol of a schema; leaves with a reason where there is none."""
    try:
        return load(source.path)
    except SchemaError as error:
        named = [replace(f, file=source.named(f.file)) for f in error.findings]
        note(findings.text(named).rstrip("\n"))
        fail(f"{source.label}: is no schema that can be compared")
    except OSError as error:
        fail(unreadable(error, Path(source.label)))


def sift(changes: Sequence[Change], source: Source, file: Path | None) -> Sifted:
    """Set apart the changes that a file of accepted findings lists; by default the schema's own.

    An entry accepts one change, from what it names to what it names, and no other at its place.
    """
    beside_it = file or beside(source.path)
    path = None if beside_it is None else relative(beside_it)
    entries = [] if path is None else _entries(path)
    by_change = {_accepts(e): e for e in reversed(entries) if e.reason.strip()}
    known = [(change, by_change.get(_identity(change))) for change in changes]
    used = {entry for _, entry in known if entry is not None}
    return Sifted(
        open=tuple(change for change, entry in known if entry is None),
        accepted={change: entry.reason for change, entry in known if entry is not None},
        stale={
            entry: Finding(
                STALE.id, STALE.severity, str(path), "", _complaint(entry, changes), entry.line
            )
            for entry in entries
            if entry not in used
        },
    )


def in_vain(several: Sequence[Sifted]) -> dict[Acceptance, Finding]:
    """What accepts nothing in any of several comparisons, as it is told of the first."""
    first = several[0].stale if several else {}
    return {
        entry: found
        for entry, found in first.items()
        if all(entry in sifted.stale for sifted in several)
    }


def _accepts(entry: Acceptance) -> tuple[str, ...]:
    return (entry.rule, entry.pointer, entry.old, entry.new)


def _identity(change: Change) -> tuple[str, ...]:
    return (change.kind.value, change.pointer, change.old, change.new)


def _locate(argument: str, scratch: Path) -> Source:
    try:
        return locate(argument, scratch)
    except GitError as error:
        fail(str(error))


def _entries(path: Path) -> list[Acceptance]:
    """All entries but those about what is wrong with a schema, which are `lint`'s."""
    try:
        entries = read_accepted(path).entries
    except OSError as error:
        fail(unreadable(error, path))
    except AcceptedError as error:
        fail(str(error))
    return [entry for entry in entries if entry.rule not in IDS]


def _complaint(entry: Acceptance, changes: Sequence[Change]) -> str:
    if entry.rule not in TOPICS:
        return unknown(entry)
    if not entry.reason.strip():
        return f"accepts {entry.rule} {entry.pointer} without a reason, which doesn't count"
    for change in changes:
        if _identity(change)[:2] == _accepts(entry)[:2]:
            return (
                f"accepts {entry.rule} {entry.pointer} {_step(entry.old, entry.new)}, and what "
                f"changed is {_step(change.old, change.new)}; correct this or remove it"
            )
    return f"no {entry.rule} at {entry.pointer} is among the changes; correct this or remove it"


def _step(old: str, new: str) -> str:
    """The members that tell one change from others, as TOML writes them."""
    return f"from = {json.dumps(old)}, to = {json.dumps(new)}"
