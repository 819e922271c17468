"""`acpgen upstream`: compare this schema with upstream's releases, and annotate them."""

from __future__ import annotations

import difflib
import io
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from acpgen import findings, resources
from acpgen.cli.report import Exit, fail, note, relative, reporting_failure, show, unreadable
from acpgen.cli.schema_errors import failing_without_schema
from acpgen.cli.stderr import note_other_schema
from acpgen.emit.tree import replace_files
from acpgen.findings import Finding, Format, printable
from acpgen.lint import lint
from acpgen.lint.rules.classes import missing_retry_class
from acpgen.load import SchemaError, load
from acpgen.load.place_lines import located
from acpgen.model import JsonValue, Protocol
from acpgen.upstream import (
    Comparison,
    Declared,
    DeclaredError,
    annotate,
    moved,
    overwriting,
    printed,
    read_declared,
    replacements,
    shared,
    stale,
    undeclared,
)
from acpgen.upstream import compare as compared
from acpgen.words import counted

app = typer.Typer(
    name="upstream",
    help="Follow upstream's releases, and annotate them.",
    no_args_is_help=True,
)

Release = Annotated[
    Path, typer.Argument(help="A schema that upstream released, one file.", metavar="PATH")
]
Schema = Annotated[Path, typer.Option("--schema", help="The schema to compare it with.")]
_UNENDED = "\n\\ No newline at end of file\n"
_DECLARED = resources.ACCEPTED.with_name("upstream.toml")


@app.command()
def compare(
    release: Release,
    schema: Schema = resources.SCHEMA,
    declared: Annotated[
        Path, typer.Option(help="The intended differences.", metavar="FILE")
    ] = _DECLARED,
    everything: Annotated[
        bool, typer.Option("--all", help="List every definition too, with text only.")
    ] = False,
    format_: Annotated[
        Format, typer.Option("--format", help="How findings are printed.")
    ] = Format.TEXT,
) -> None:
    """Compare a release with this schema, definition by definition.

    A difference that is not declared in schema/upstream.toml is a finding. A stable release is
    compared with the stable part. Exit status: 0 without findings, 1 with findings, 2
    when something can't be read or the two are of different versions.
    """
    if schema == resources.SCHEMA:
        note_other_schema()
    with reporting_failure("upstream", format_, release):
        _require_file(release)
        theirs, ours = _load(release), _load(schema)
        _require_same_version(release, theirs, ours)
        meant = _declared(declared)
    comparisons = compared(theirs, _document(release), ours, meant)
    if everything and format_ is Format.TEXT:
        _list(comparisons, meant)
    found = [
        *located(undeclared(comparisons, theirs, ours, meant)),
        *stale(comparisons, meant),
    ]
    show("upstream", findings.order(found), format_)
    note(
        f"{relative(release)}: {_counts(comparisons)}; {len(found) or 'none'} undeclared or unused"
    )
    if found:
        raise typer.Exit(Exit.FINDINGS)


@app.command()
def overlay(
    release: Release,
    schema: Schema = resources.SCHEMA,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the annotated schema to FILE, which may be PATH.",
            metavar="FILE",
            show_default="print a patch",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace values of the release that differ.")
    ] = False,
    other_version: Annotated[
        bool,
        typer.Option("--other-version", help="Copy classes to a release of another version, too."),
    ] = False,
) -> None:
    """Give a release of upstream's the retry classes, the errors and the key of this schema.

    Prints a patch for `git apply`, or writes the annotated schema. The result must pass `acpgen
    lint`: a method that another side handles than here, for example, gets no class and is a
    finding. A value that would replace a different one of the release is a finding as well, unless
    --overwrite is given. A release of another version is refused, since the classes hold for one
    version only. With --other-version it gets the classes of the methods that both versions have,
    and the methods without a class are listed. Exit status: 0 when it is annotated, 1 with
    findings, 2 when something can't be read or written.
    """
    if schema == resources.SCHEMA:
        note_other_schema()
    _require_file(release)
    theirs, ours = _load(release), _load(schema)
    if theirs.version is None:
        fail(_no_version(release))
    if theirs.version != ours.version and not other_version:
        fail(
            f"{release}: is version {theirs.version}, and the retry classes are those of version "
            f"{ours.version}; --other-version copies the classes of the methods that both have"
        )
    if not overwrite:
        _require_nothing_replaced(release, theirs, ours)
    text = printed(annotate(_document(release), theirs, ours))
    _require_clean(release, text, theirs, ours)
    before = release.read_bytes().decode("utf-8")
    if out is None:
        typer.echo(_patch(relative(release).as_posix(), before, text), nl=False)
    else:
        _write(out, text)
    _note_methods(release, theirs, ours)


def _load(path: Path) -> Protocol:
    with failing_without_schema(path, "that can be read"):
        return load(relative(path))


def _require_file(path: Path) -> None:
    if path.is_dir():
        fail(f"{path}: is a folder; name the one file of a release")
    if path.exists() and not path.is_file():
        fail(f"{path}: is not a regular file; it is read more than once, so save it as a file")


def _document(path: Path) -> dict[str, JsonValue]:
    document: dict[str, JsonValue] = json.loads(path.read_bytes())
    return document


def _require_same_version(release: Path, theirs: Protocol, ours: Protocol) -> None:
    if theirs.version is None:
        fail(_no_version(release))
    if theirs.version != ours.version:
        fail(
            f"{release}: is version {theirs.version}, and this schema is version {ours.version}; "
            "compare it with a release of that version"
        )


def _no_version(release: Path) -> str:
    return (
        f"{release}: does not state its version; put it into a folder called vN, or write "
        '"x-protocol-version": N beside $defs'
    )


def _declared(path: Path) -> Declared:

    try:
        return read_declared(relative(path))
    except DeclaredError as error:
        fail(str(error))
    except OSError as error:
        fail(unreadable(error, path))


def _list(comparisons: list[Comparison], declared: Declared) -> None:
    """Print a line for each definition: its status, its name, and the declared reason."""
    for comparison in comparisons:
        entries = [
            declared.find(comparison.status, comparison.name, difference)
            for difference in comparison.differences or [None]
        ]
        reasons = dict.fromkeys(entry.reason for entry in entries if entry is not None)
        line = f"{comparison.status.value:11}  {comparison.name}  {'; '.join(reasons)}"
        typer.echo(printable(line.rstrip()))


def _counts(comparisons: list[Comparison]) -> str:
    counted = Counter(comparison.status for comparison in comparisons)
    return ", ".join(f"{number} {status.value}" for status, number in sorted(counted.items()))


def _require_nothing_replaced(release: Path, theirs: Protocol, ours: Protocol) -> None:
    """Exit with the values of the release that an overlay would change."""
    replaced = replacements(_document(release), theirs, ours)
    if replaced:
        found = located(overwriting(str(relative(release)), replaced))
        show("upstream", findings.order(found), Format.TEXT)
        note(
            f"{relative(release)}: {counted(len(found), 'value')} would be replaced, so nothing is "
            "written; --overwrite replaces them"
        )
        raise typer.Exit(Exit.FINDINGS)


def _require_clean(release: Path, text: str, theirs: Protocol, ours: Protocol) -> None:
    """Lint the annotated schema as a file of the same name and version. Exits with the findings.

    Methods that only another version has need no class.
    """
    found = _lint(release, text, theirs.version)
    if theirs.version != ours.version:
        found = [finding for finding in found if finding.rule != missing_retry_class.id]
    if found:
        show("upstream", found, Format.TEXT)
        _note_moved(release, theirs, ours)
        note(
            f"{relative(release)}: {counted(len(found), 'finding')} after annotation, so nothing "
            "is written"
        )
        raise typer.Exit(Exit.FINDINGS)


def _note_moved(release: Path, theirs: Protocol, ours: Protocol) -> None:
    """Note why a method of our version gets no class."""
    for method, own in moved(theirs, ours) if theirs.version == ours.version else ():
        note(
            f"{relative(release)}: {printable(method.name)} ({method.kind}, side {method.side}) is "
            f"{own.name} ({own.kind}, side {own.side}) here, so it doesn't get its class"
        )


def _lint(release: Path, text: str, version: int | None) -> list[Finding]:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, f"v{version}", release.name)
        file.parent.mkdir()
        file.write_text(text, "utf-8", newline="\n")
        try:
            found = lint(load(file))
        except SchemaError as error:
            found = error.findings
    return [finding.replaced(file=str(relative(release))) for finding in found]


def _patch(name: str, before: str, after: str) -> str:
    """A unified diff for `git apply`."""
    old, new = (io.StringIO(text, newline="\n").readlines() for text in (before, after))
    path = name.lstrip("/")
    lines = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}{_UNENDED}" for line in lines)


def _write(out: Path, text: str) -> None:
    try:
        replace_files({out: text})
    except OSError as error:
        fail(f"{out}: can't be written: {error.strerror or error}")
    note(f"{relative(out)}: written")


def _note_methods(release: Path, theirs: Protocol, ours: Protocol) -> None:
    """Note which methods were annotated, and which were not."""
    if theirs.version == ours.version:
        known = {(method.name, method.kind) for method in theirs.methods}
        rest = dict.fromkeys(m.name for m in ours.methods if (m.name, m.kind) not in known)
        lacking = f"; not in this release: {', '.join(rest)}" if rest else ""
        note(f"{relative(release)}: {len(known)} methods now have a class{lacking}")
        return
    classified = {method.name for method, _ in shared(theirs, ours)}
    unclassified = dict.fromkeys(m.name for m in theirs.methods if m.name not in classified)
    note(
        f"{relative(release)}: is version {theirs.version}: {len(classified)} methods have the "
        f"class that they have in version {ours.version}; without one: {', '.join(unclassified)}"
    )
    if unclassified:
        note(
            f"accept each missing-retry-class in {resources.ACCEPTED.name} beside the schema to "
            "have the retry tables of the others"
        )
