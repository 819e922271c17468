"""`acpgen diff`: what changed between two versions of a schema, and which peers break."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli.report import (
    Exit,
    fail,
    note,
    relative,
    reporting_failure,
    show,
)
from acpgen.cli.schema_comparison import (
    Sifted,
    compared,
    entry_for,
    read,
    sift,
    unused_entries,
)
from acpgen.cli.schema_options import AcceptedFile
from acpgen.cli.stderr import note_other_schema
from acpgen.diff import Change, Effect, Party
from acpgen.diff.changelog import changelog
from acpgen.diff.releases import FOLDER, newest
from acpgen.diff.schema_changes import SchemaChanges, document, findings, summary
from acpgen.diff.schema_versions import SchemaSource
from acpgen.emit.markdown import code, join
from acpgen.findings import Finding, Format, Severity, text
from acpgen.model import Protocol


class DiffForm(StrEnum):
    """The forms of a comparison."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    MARKDOWN = "markdown"
    TOML = "toml"


class FailOnParty(StrEnum):
    """The party that a change must break for exit status 1."""

    CLIENT = "client"
    AGENT = "agent"
    ANY = "any"
    NONE = "none"


_WATCHED = {
    FailOnParty.CLIENT: frozenset({Party.CLIENT}),
    FailOnParty.AGENT: frozenset({Party.AGENT}),
    FailOnParty.ANY: frozenset(Party),
    FailOnParty.NONE: frozenset[Party](),
}
_REPORTS = {DiffForm.JSON: Format.JSON, DiffForm.GITHUB: Format.GITHUB}
"""The format of the report on a failure, where a form has one."""
_VERSION = "A file, a folder, or git:REVISION[:PATH], where ./PATH starts at this folder."


def diff(
    old: Annotated[
        str | None,
        typer.Argument(help=_VERSION, metavar="OLD", show_default="the newest release"),
    ] = None,
    new: Annotated[
        str | None, typer.Argument(help=_VERSION, metavar="NEW", show_default="schema/v2")
    ] = None,
    form: Annotated[
        DiffForm, typer.Option("--format", help="How to print the changes.")
    ] = DiffForm.TEXT,
    fail_on: Annotated[
        FailOnParty, typer.Option(help="The party that a change must break for exit status 1.")
    ] = FailOnParty.ANY,
    accepted: AcceptedFile = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print changes of documentation and accepted ones too.")
    ] = False,
) -> None:
    """Report what changed from one version of a schema to another, and which peers that breaks.

    Text and github omit changes of documentation and accepted changes; json and markdown have all.
    toml has an entry of accepted.toml for each breaking change, or with --all for each change that
    is not accepted; you add the reasons. `acpgen explain RULE` explains a kind of change. Exit
    status: 0 if no change breaks the party that --fail-on names, 1 if one does, 2 when a version
    can't be read; json is then a report as of `acpgen lint`. Unstable and accepted changes don't
    count.
    """
    if new is None:
        note_other_schema("acpgen diff OLD ")
    after = new or str(relative(resources.SCHEMA))
    with (
        reporting_failure("diff", _REPORTS.get(form, Format.TEXT), Path(after)),
        compared(old or partial(_newest, after), after) as comparison,
    ):
        sifted = sift(comparison.changes, comparison.new, accepted)
        if old is None:
            sifted = _spared(sifted, after, accepted)
        stale_counts = old is None and form in {DiffForm.TEXT, DiffForm.GITHUB}
        _print(comparison, sifted, form, everything=everything, stale=stale_counts)
    if sifted.stale and not stale_counts:
        note(text(sifted.stale.values()).rstrip("\n"))
    counts = summary(comparison.changes, sifted.accepted)
    note(f"{comparison.old.label} -> {comparison.new.label}: {counts}")
    if any(_fails(change, fail_on) for change in sifted.open):
        raise typer.Exit(Exit.FINDINGS)


def _folder(schema: str) -> Path:
    return Path(schema).resolve().parent / FOLDER


def _spared(sifted: Sifted, schema: str, accepted: Path | None) -> Sifted:
    """Without the unused entries that the next full release still needs, after a pre-release."""
    if not sifted.stale:
        return sifted
    protocol = read(SchemaSource(Path(schema), schema))
    last, full = newest(_folder(schema), protocol), newest(_folder(schema), protocol, final=True)
    if full is None or full == last:
        return sifted
    with compared(str(full.path), schema) as since:
        return replace(
            sifted, stale=unused_entries([sifted, sift(since.changes, since.new, accepted)])
        )


def _newest(schema: str, protocol: Protocol) -> str:
    """The newest release of the same version of the protocol."""
    folder = _folder(schema)
    try:
        release = newest(folder, protocol)
    except ValueError as error:
        fail(f"{relative(folder)}: {error}")
    if release is None and resources.comes_installed():
        fail("no release comes with acpgen; name what to compare with: `acpgen diff OLD`")
    if release is None:
        fail(
            f"{relative(folder)}: has no release to compare with yet; make the first one with "
            "`acpgen release 0.1.0`, or name what to compare with, as in `acpgen diff git:HEAD`"
        )
    return str(relative(release.path))


def _print(
    comparison: SchemaChanges, sifted: Sifted, form: DiffForm, *, everything: bool, stale: bool
) -> None:
    if form is DiffForm.JSON:
        typer.echo(document(comparison, sifted.accepted), nl=False)
    elif form is DiffForm.MARKDOWN:
        title = join([code(comparison.old.label), code(comparison.new.label)], " to ")
        typer.echo(changelog(sifted.open, title, accepted=sifted.accepted), nl=False)
    elif form is DiffForm.TOML:
        wanted = [change for change in sifted.open if everything or change.breaking]
        typer.echo("\n".join(map(entry_for, wanted)), nl=False)
    else:
        found = findings(comparison, _shown(sifted.open, everything=everything))
        if everything:
            found += _accepted(comparison, sifted)
        show("diff", [*found, *(sifted.stale.values() if stale else ())], Format(form.value))


def _accepted(comparison: SchemaChanges, sifted: Sifted) -> Iterator[Finding]:
    """The accepted changes as notes, each with its reason."""
    found = findings(comparison, sifted.accepted)
    for finding, reason in zip(found, sifted.accepted.values(), strict=True):
        message = f"{finding.message}; accepted ({reason})"
        yield finding.replaced(severity=Severity.NOTE, message=message)


def _shown(changes: Sequence[Change], *, everything: bool) -> list[Change]:
    return [change for change in changes if everything or change.effect is not Effect.DOCS]


def _fails(change: Change, fail_on: FailOnParty) -> bool:
    if change.effect is Effect.FAULT:
        return change.breaking and fail_on is not FailOnParty.NONE
    return change.breaking and bool(change.breaks & _WATCHED[fail_on])
