"""`acpgen generate`: write what follows from the schema, or check that it is written."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli import drift
from acpgen.cli.crash import is_own
from acpgen.cli.extras import installation
from acpgen.cli.lint import accepted_by_lint
from acpgen.cli.report import Exit, fail, note, relative, show, suggestion, telling, unreadable
from acpgen.emit import manifest
from acpgen.emit.tree import Change, Difference, FolderError, ForeignFileError
from acpgen.findings import Finding, Format, Severity
from acpgen.lint import lint
from acpgen.lint.accepted import beside
from acpgen.lint.rules.classes import missing_retry_class
from acpgen.load import SchemaError
from acpgen.load.lines import located
from acpgen.model import Protocol
from acpgen.targets import TARGETS, Target
from acpgen.targets.generation import Order, Outcome, apply
from acpgen.targets.generation import generate as worked_out
from acpgen.words import counted

_SAYS = {
    Change.CHANGED: "is not as generated",
    Change.MISSING: "is missing",
    Change.SURPLUS: "was generated once and follows from nothing any more",
    Change.FOREIGN: "was not written by acpgen, or has lost its header, so it is spared",
}
_LINE_ENDS = "has lines that end in CRLF, and is as generated but for that"
_COMMAND = "generate"
_DIFF_LINES = 40
_TARGETS = [target.name for target in TARGETS]


def generate(
    schema: Annotated[
        Path, typer.Option(help="A folder of domain files or a single-file release.")
    ] = resources.SCHEMA,
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = resources.GENERATED,
    target: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Only this one; may be repeated: {', '.join(_TARGETS)}.",
            metavar="NAME",
            autocompletion=lambda: _TARGETS,
        ),
    ] = None,
    templates: Annotated[
        Path, typer.Option(help="A folder of templates that stand before acpgen's own.")
    ] = resources.TEMPLATES,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what is not as generated.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Generate everything anew, whatever the digests say.")
    ] = False,
    format_: Annotated[
        Format, typer.Option("--format", help="How findings are printed.")
    ] = Format.TEXT,
) -> None:
    """Generate bundles, Python models, retry tables and pages from the schema.

    Nothing comes of a schema in which `acpgen lint` finds errors; they are printed instead. Exit
    status: 0 when all is written or was before, 1 when the schema has errors or --check finds a
    difference, 2 when something can't be read, generated or written. Other inputs that change none
    of the files are no difference.
    """
    with telling(_COMMAND, format_, schema):
        if not schema.exists():
            fail(f"{schema}: is not there; name a folder of domain files or a single-file release")
        order = Order(
            schema=relative(schema),
            out=relative(out),
            targets=chosen(target),
            templates=relative(templates),
            full=full,
            accepted=beside(schema),
        )
        outcome = work_out(order, format_)
        if not check:
            put(order, outcome)
    if check:
        _report(order, outcome, format_)
    else:
        show(_COMMAND, (), format_)


def chosen(names: list[str] | None) -> list[Target]:
    """The targets of these names, all without; leaves where a name is none."""
    for name in names or ():
        if name not in _TARGETS:
            fail(
                f"no target is called {name}; "
                + suggestion(name, _TARGETS, f"there are {', '.join(_TARGETS)}")
            )
    return [target for target in TARGETS if not names or target.name in names]


def work_out(order: Order, format_: Format) -> Outcome:
    """How a folder differs from what is ordered; prints what is wrong with it, and leaves."""
    hidden = not sys.stderr.isatty()
    try:
        with typer.progressbar(
            length=len(order.targets), label="generating", file=sys.stderr, hidden=hidden
        ) as bar:
            return worked_out(order, lambda _: bar.update(1), lambda p: _admit(p, order))
    except SchemaError as error:
        show(_COMMAND, located(error.findings), format_)
        _tell_what_needs_no_classes(order, error.findings)
        raise typer.Exit(Exit.FINDINGS) from error
    except ImportError as error:
        if is_own(error):
            raise
        fail(f"{error}; generating needs more packages: {installation('generate')}")
    except OSError as error:
        fail(unreadable(error, order.schema))
    except ValueError as error:
        fail(_one_line(error))
    except _generating_errors() as error:
        fail(_one_line(error))


def _admit(protocol: Protocol, order: Order) -> None:
    """Refuse a protocol with errors that would make what is generated from it wrong.

    Raises:
        SchemaError: it has some that matter to one of the targets and are not accepted.
        AcceptedError: the accepted findings can't be read.
    """
    accepted = None if order.accepted is None else accepted_by_lint(relative(order.accepted))
    classes_matter = any(target.needs_classes for target in order.targets)
    errors = [
        finding
        for finding in lint(protocol, accepted)
        if finding.severity is Severity.ERROR
        and (classes_matter or finding.rule != missing_retry_class.id)
    ]
    if errors:
        raise SchemaError(errors)


def _tell_what_needs_no_classes(order: Order, findings: Iterable[Finding]) -> None:
    if any(finding.rule == missing_retry_class.id for finding in findings):
        needing = [target.name for target in TARGETS if target.needs_classes]
        others = [target for target in order.targets if not target.needs_classes]
        others = others or [target for target in TARGETS if not target.needs_classes]
        note(
            f"only {', '.join(needing[:-1])} and {needing[-1]} need retry classes; the rest can be "
            "had without: "
            f"{_command(order, others)}"
        )


def _generating_errors() -> type[Exception]:
    """What else generating raises. Looked up on failure only: a fresh tree doesn't need it."""
    from acpgen.targets.models.codegen import GeneratedNamesError

    return GeneratedNamesError


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def put(order: Order, outcome: Outcome) -> None:
    """Write what is missing, and say what was done; leaves where that can't be."""
    try:
        apply(order, outcome)
    except OSError as error:
        fail(
            f"{order.out}: can't be written: {error.strerror or error}; acpgen writes into the "
            "folder that holds it too, so choose another --out"
        )
    except (ForeignFileError, FolderError) as error:
        fail(str(error))
    note(f"{order.out}: {_summary(outcome)}")


def _summary(outcome: Outcome) -> str:
    """What was done: `wrote 12 files (11 changed, 1 new), removed 2, in docs and json`."""
    changes = [difference.change for difference in outcome.differences]
    changed, new = changes.count(Change.CHANGED), changes.count(Change.MISSING)
    removed = changes.count(Change.SURPLUS)
    parts = []
    if changed or new:
        kinds = [f"{n} {kind}" for n, kind in ((changed, "changed"), (new, "new")) if n]
        parts.append(f"wrote {counted(changed + new, 'file')} ({', '.join(kinds)})")
    if removed:
        parts.append(f"removed {removed if parts else counted(removed, 'file')}")
    return f"{', '.join(parts)}{_folders(outcome)}" if parts else "up to date"


def _folders(outcome: Outcome) -> str:
    """Where something was done: `, in docs and json`; nothing for the folder itself."""
    paths = (d.path for d in outcome.differences if d.change is not Change.FOREIGN)
    folders = sorted({path.partition("/")[0] for path in paths if "/" in path})
    if not folders:
        return ""
    *most, last = folders
    return f", in {', '.join(most)} and {last}" if most else f", in {last}"


def _report(order: Order, outcome: Outcome, format_: Format) -> None:
    if format_ is Format.TEXT:
        for difference in outcome.drift:
            show(_COMMAND, [_finding(order, difference)], format_)
            if not difference.in_line_ends_only:
                typer.echo(_clip(difference.diff), nl=False)
    else:
        show(_COMMAND, [_finding(order, difference) for difference in outcome.drift], format_)
    if not outcome.drift:
        note(f"{order.out}: as generated")
        if outcome.differences:
            note(
                f"{order.out / manifest.NAME}: was written with other inputs "
                f"({', '.join(outcome.renewed)}), of which the same files come; "
                f"to renew it: {_command(order, order.targets)}"
            )
        return
    if any(difference.in_line_ends_only for difference in outcome.drift):
        note(
            "git writes CRLF where core.autocrlf is on; to keep it from that, put the line "
            f"`{order.out.name}/** eol=lf` into .gitattributes beside {order.out.name}"
        )
    note(f"to mend: {_mend(order, outcome)}")
    raise typer.Exit(Exit.FINDINGS)


def _finding(order: Order, difference: Difference) -> Finding:
    return Finding(
        rule=drift.TOPICS[difference.change].id,
        severity=drift.TOPICS[difference.change].severity,
        file=(order.out / difference.path).as_posix(),
        pointer="",
        message=_LINE_ENDS if difference.in_line_ends_only else _SAYS[difference.change],
    )


def _clip(diff: str) -> str:
    lines = diff.splitlines(keepends=True)
    more = len(lines) - _DIFF_LINES
    return "".join(lines[:_DIFF_LINES]) + (f"... {more} more lines\n" if more > 0 else "")


def _mend(order: Order, outcome: Outcome) -> str:
    foreign = [d.path for d in outcome.differences if d.change is Change.FOREIGN]
    places = ", ".join(shlex.quote(str(order.out / path)) for path in foreign)
    return (f"move {places} away, then " if foreign else "") + _command(order, order.targets)


def _command(order: Order, targets: Sequence[Target]) -> str:
    """The call that generates targets as ordered, to be pasted into a shell."""
    words = ["acpgen", "generate"]
    if order.schema != relative(resources.SCHEMA):
        words += ["--schema", str(order.schema)]
    if order.out != relative(resources.GENERATED):
        words += ["--out", str(order.out)]
    if len(targets) < len(TARGETS):
        words += [word for target in targets for word in ("--target", target.name)]
    if order.templates != relative(resources.TEMPLATES):
        words += ["--templates", str(order.templates)]
    return shlex.join(words)
