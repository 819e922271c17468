"""`acpgen release`: keep a version of the schema, so that later ones can be compared with it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from acpgen import resources
from acpgen.cli.lint import accepted_by_lint
from acpgen.cli.locking import alone_in
from acpgen.cli.publication import publication
from acpgen.cli.report import Exit, fail, note, relative, show, unreadable
from acpgen.cli.schema_comparison import (
    Sifted,
    compared,
    read,
    sift,
    unused_entries,
)
from acpgen.cli.schema_options import AcceptedFile, Schema
from acpgen.cli.stderr import note_other_schema
from acpgen.diff.releases import CHANGELOG, FOLDER, Release, file_name, newest, refusal, with_entry
from acpgen.diff.schema_changes import findings, summary
from acpgen.diff.schema_versions import SchemaSource
from acpgen.diff.version import Version, is_python_version, parse, says_more
from acpgen.diff.version import weight as weight_of
from acpgen.emit.tree import replace_files
from acpgen.findings import Format, Severity
from acpgen.lint import lint
from acpgen.lint.accepted import AcceptedError
from acpgen.load.listing import accepted_beside
from acpgen.model import Protocol, Stability
from acpgen.report.document import encoded
from acpgen.startup.digests import content_of
from acpgen.targets.bundles import bundle


def release(
    version: Annotated[
        str, typer.Argument(help="The version, as 1.2.3 or 1.2.3-alpha.1.", metavar="VERSION")
    ],
    schema: Schema = resources.SCHEMA,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The folder of releases.", metavar="DIR", show_default="released beside --schema"
        ),
    ] = None,
    accepted: AcceptedFile = None,
) -> None:
    """Keep a version of the schema: its bundle, and an entry in the changelog.

    Then lists what to publish, in its order, and publishes nothing. The bundle is the whole
    schema, including unstable parts, which are marked. A version
    that breaks its predecessor takes a new major number, or a new minor one before 1.0.0. One that
    adds something, or changes generated types, takes the next lower number. Unstable and accepted
    changes don't count, but an entry that accepts no change is refused. A version without a change
    takes a new major or minor number, or ends a pre-release. Exit status: 0 when the
    version is written, 1 when it is refused or `acpgen lint` finds errors, 2 when something can't
    be read or written.
    """
    if schema == resources.SCHEMA:
        note_other_schema()
    number = _parsed(version)
    if out is None and schema == resources.SCHEMA and resources.comes_installed():
        fail("this is the schema that comes with acpgen; name yours with --schema, or an --out")
    folder = relative(out or schema.resolve().parent / FOLDER)
    source = SchemaSource(relative(schema), str(relative(schema)))
    protocol = read(source)
    _admit(protocol, accepted or accepted_beside(schema))
    with ExitStack() as alone:
        try:
            alone.enter_context(alone_in(folder))
        except OSError as error:
            _fail_to_write(folder, error)
        sifted = _sifted(folder, number, source, protocol, accepted)
        _write(folder, number, protocol, sifted)
    note(f"{folder / file_name(protocol, number)}: written, with an entry in {folder / CHANGELOG}")
    own = schema == resources.SCHEMA and not resources.comes_installed()
    _note_steps(protocol, number, own=own)


def _note_steps(protocol: Protocol, number: Version, *, own: bool) -> None:
    """Note what to publish, and in which order."""
    note(f"acpgen publishes nothing. To publish {number}, in this order:")
    for place, step in enumerate(publication(protocol, number, own=own), 1):
        note(f"{place:3}. {step}")


def _parsed(version: str) -> Version:
    try:
        number = parse(version)
    except ValueError as error:
        fail(str(error))
    if not is_python_version(number):
        fail(f"no wheel can have the version {number}; end it in alpha.N, beta.N or rc.N")
    return number


def _admit(protocol: Protocol, accepted: Path | None) -> None:
    """Exit with the findings if `generate` would refuse the protocol."""
    try:
        known = None if accepted is None else accepted_by_lint(relative(accepted))
    except AcceptedError as error:
        fail(str(error))
    except OSError as error:
        fail(unreadable(error, accepted or Path()))
    errors = [found for found in lint(protocol, known) if found.severity is Severity.ERROR]
    if errors:
        show("release", errors, Format.TEXT)
        note("acpgen: no release: `acpgen lint` finds errors in this schema")
        raise typer.Exit(Exit.FINDINGS)


def _sifted(
    folder: Path, number: Version, source: SchemaSource, protocol: Protocol, accepted: Path | None
) -> Sifted | None:
    """The changes for the changelog; None without an earlier version. Exits if one is refused.

    They are the changes since the last full release; for a pre-release, those since the newest
    release of any kind. The version must fit both.
    """
    try:
        last, full = newest(folder, protocol), newest(folder, protocol, final=True)
    except ValueError as error:
        fail(f"{folder}: {error}")
    earlier = [release for release in dict.fromkeys((full, last)) if release is not None]
    sifted = {release: _admitted(release, number, source, accepted) for release in earlier}
    _require_needed([*sifted.values()])
    base = last if number.pre else full
    return None if base is None else sifted[base]


def _require_needed(sifted: list[Sifted]) -> None:
    """Exit with the unused entries: if they stayed, one might accept a later change."""
    if unused := unused_entries(sifted):
        show("release", unused.values(), Format.TEXT)
        note("acpgen: no release: these entries accept no change; correct or remove them")
        raise typer.Exit(Exit.FINDINGS)


def _admitted(
    last: Release, number: Version, source: SchemaSource, accepted: Path | None
) -> Sifted:
    with compared(str(last.path), source.label) as comparison:
        sifted = sift(comparison.changes, source, accepted)
        reason = refusal(last.version, number, sifted.open)
        if reason is None and not comparison.changes and not says_more(last.version, number):
            reason = f"nothing has changed since {last.version}"
        if reason is not None:
            heaviest = weight_of(sifted.open)
            blamed = [c for c in sifted.open if heaviest and weight_of([c]) is heaviest]
            show("release", findings(comparison, blamed), Format.TEXT)
            note(f"{last.path} -> {source.label}: {summary(comparison.changes)}")
            note(f"acpgen: no release: {reason}")
            raise typer.Exit(Exit.FINDINGS)
        return sifted


def _write(folder: Path, number: Version, protocol: Protocol, sifted: Sifted | None) -> None:
    text = encoded(bundle(protocol, Stability.UNSTABLE), indent=2) + "\n"
    file, log = folder / file_name(protocol, number), folder / CHANGELOG
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before = content_of(str(log)).decode("utf-8") if log.exists() else ""
        changes, accepted = (None, {}) if sifted is None else (sifted.open, sifted.accepted)
        replace_files({file: text, log: with_entry(before, number, changes, accepted)})
    except OSError as error:
        _fail_to_write(folder, error)


def _fail_to_write(folder: Path, error: OSError) -> NoReturn:
    fail(f"{error.filename or folder}: can't be written: {error.strerror or error}")
