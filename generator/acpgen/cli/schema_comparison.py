"""The part that `diff` and `release` share: two versions, their changes, accepted changes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acpgen import findings, resources
from acpgen.cli.report import fail, note, relative, unreadable
from acpgen.diff import RULES, Change
from acpgen.diff import diff as changes_between
from acpgen.diff.releases import FOLDER
from acpgen.diff.schema_changes import SchemaChanges
from acpgen.diff.schema_versions import GitError, SchemaSource, locate
from acpgen.diff.version import parse
from acpgen.diff.witness import Witnesses
from acpgen.findings import Finding
from acpgen.lint.accepted import (
    IDS,
    Acceptance,
    AcceptedError,
    read_accepted,
    stale,
    unknown,
)
from acpgen.load import SchemaError, load
from acpgen.load.listing import accepted_beside
from acpgen.model import Protocol


@dataclass(frozen=True, slots=True)
class Sifted:
    """The changes that are not accepted, the reasons for the accepted ones, and unused entries.

    Each unused entry has the finding about it.
    """

    open: tuple[Change, ...]
    accepted: dict[Change, str]
    stale: dict[Acceptance, Finding]


@contextmanager
def compared(old: str | Callable[[Protocol], str], new: str) -> Iterator[SchemaChanges]:
    """Two versions and their changes. Copies from git are deleted at the end of the context.

    `old` may be a function that gets the new version.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folders = Path(scratch, "old"), Path(scratch, "new")
        if isinstance(old, str):
            sources = (_locate(old, folders[0]), _locate(new, folders[1]))
            before, after = (read(source) for source in sources)
        else:
            source = _locate(new, folders[1])
            after = read(source)
            sources = (_locate(old(after), folders[0]), source)
            before = read(sources[0])
        yield SchemaChanges(*sources, changes_between(before, after), Witnesses(before, after))


def read(source: SchemaSource) -> Protocol:
    """The protocol of a schema. Exits with status 2 if it can't be read."""
    try:
        return load(source.path)
    except SchemaError as error:
        named = [f.replaced(file=source.named(f.file)) for f in error.findings]
        note(findings.text(named).rstrip("\n"))
        fail(f"{source.label}: is not a schema that can be compared")
    except OSError as error:
        fail(f"{unreadable(error, Path(source.label))}{_release_called(source.label)}")


def _release_called(name: str) -> str:
    """Ask if a release was meant, where a version is named and no such file is there."""
    try:
        file = f"*-{parse(name)}.schema.json"
    except ValueError:
        return ""
    found = next((resources.SCHEMA.parent / FOLDER).glob(file), None)
    return "" if found is None else f"; did you mean {relative(found)}?"


def sift(changes: Sequence[Change], source: SchemaSource, file: Path | None) -> Sifted:
    """Separate the changes that a file of accepted findings lists; by default the schema's own.

    An entry accepts exactly the change that it names.
    """
    beside_it = file or accepted_beside(source.path)
    path = None if beside_it is None else relative(beside_it)
    entries = [] if path is None else _entries(path)
    by_change = {_accepts(e): e for e in reversed(entries) if e.reason.strip()}
    known = [(change, by_change.get(_identity(change))) for change in changes]
    used = {entry for _, entry in known if entry is not None}
    return Sifted(
        open=tuple(change for change, entry in known if entry is None),
        accepted={change: entry.reason for change, entry in known if entry is not None},
        stale={
            entry: stale(str(path), entry, _complaint(entry, changes))
            for entry in entries
            if entry not in used
        },
    )


def unused_entries(several: Sequence[Sifted]) -> dict[Acceptance, Finding]:
    """Entries that match no change in any comparison, with the finding of the first one."""
    first = several[0].stale if several else {}
    return {
        entry: found
        for entry, found in first.items()
        if all(entry in sifted.stale for sifted in several)
    }


def _accepts(entry: Acceptance) -> tuple[str, ...]:
    return (entry.rule, entry.pointer, entry.what, entry.old, entry.new)


def _identity(change: Change) -> tuple[str, ...]:
    return (change.rule.id, change.pointer, change.what, change.old, change.new)


def entry_for(change: Change, reason: str = "") -> str:
    """The entry of a file of accepted findings that accepts exactly one change.

    It has no effect without a reason.
    """
    members = {"rule": change.rule.id, "pointer": change.pointer, **_step(change)}
    lines = (f"{name} = {_quoted(text)}" for name, text in (*members.items(), ("reason", reason)))
    return "\n".join(["[[accepted]]", *lines]) + "\n"


def _locate(argument: str, scratch: Path) -> SchemaSource:
    try:
        return locate(argument, scratch)
    except GitError as error:
        fail(str(error))


def _entries(path: Path) -> list[Acceptance]:
    """All entries except those for `lint`."""
    try:
        entries = read_accepted(path).entries
    except OSError as error:
        fail(unreadable(error, path))
    except AcceptedError as error:
        fail(str(error))
    return [entry for entry in entries if entry.rule not in IDS]


def _complaint(entry: Acceptance, changes: Sequence[Change]) -> str:
    if entry.rule not in RULES:
        return unknown(entry)
    if not entry.reason.strip():
        return f"accepts {entry.rule} {entry.pointer} without a reason, which has no effect"
    there = [change for change in changes if _identity(change)[:2] == _accepts(entry)[:2]]
    if there:
        change = max(there, key=lambda c: (c.what == entry.what, c.subject in entry.what))
        return (
            f"accepts {entry.rule} {entry.pointer} {_listed(_step(entry))}, and what changed is "
            f"{_listed(_step(change))}; correct this or remove it"
        )
    return f"no {entry.rule} at {entry.pointer} is among the changes; correct this or remove it"


def _step(change: Change | Acceptance) -> dict[str, str]:
    """The members that identify a change at its place; empty ones are omitted."""
    members = {"what": change.what, "from": change.old, "to": change.new}
    return {name: text for name, text in members.items() if text}


def _listed(members: dict[str, str]) -> str:
    return ", ".join(f"{name} = {_quoted(text)}" for name, text in members.items()) or "nothing"


def _quoted(text: str) -> str:
    """A text as TOML writes it."""
    text = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
