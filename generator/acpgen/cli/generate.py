"""`acpgen generate`: write what follows from the schema, or check that it is written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli.report import Exit, fail, note, relative, show
from acpgen.emit.tree import Change, Difference, ForeignFileError
from acpgen.findings import Finding, Format, Severity
from acpgen.load import SchemaError
from acpgen.targets import TARGETS, Target
from acpgen.targets.generation import Order, Outcome, apply
from acpgen.targets.generation import generate as work_out

_SAYS = {
    Change.CHANGED: "is not as generated",
    Change.MISSING: "is missing",
    Change.SURPLUS: "was generated once and follows from nothing any more",
}
_DIFF_LINES = 40


def generate(
    schema: Annotated[
        Path, typer.Option(help="A folder of domain files or a single-file release.")
    ] = resources.SCHEMA,
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = resources.GENERATED,
    target: Annotated[
        list[str] | None,
        typer.Option(help=f"Only this one; may be repeated: {', '.join(t.name for t in TARGETS)}."),
    ] = None,
    templates: Annotated[
        Path, typer.Option(help="The folder of Jinja2 templates.")
    ] = resources.TEMPLATES,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what is not as generated.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Generate everything anew, whatever the digests say.")
    ] = False,
    format_: Annotated[
        Format, typer.Option("--format", help="How --check prints what it finds.")
    ] = Format.TEXT,
) -> None:
    """Generate bundles, Python models, retry tables and pages from the schema."""
    order = Order(relative(schema), relative(out), _chosen(target), relative(templates), full)
    outcome = _work_out(order, format_)
    if check:
        _report(order, outcome, format_)
    else:
        _write(order, outcome)


def _chosen(names: list[str] | None) -> list[Target]:
    known = {target.name: target for target in TARGETS}
    if unknown := [name for name in names or () if name not in known]:
        fail(f"no target is called {', '.join(unknown)}; there are {', '.join(known)}")
    return [target for target in TARGETS if not names or target.name in names]


def _work_out(order: Order, format_: Format) -> Outcome:
    hidden = not sys.stderr.isatty()
    try:
        with typer.progressbar(
            length=len(order.targets), label="generating", file=sys.stderr, hidden=hidden
        ) as bar:
            return work_out(order, lambda _: bar.update(1))
    except SchemaError as error:
        show(error.findings, format_)
        raise typer.Exit(Exit.FINDINGS) from error
    except ImportError as error:
        fail(f"{error}; generating needs more: pip install 'acpgen[generate]'")
    except (OSError, ValueError) as error:
        fail(_one_line(error))
    except _generating_errors() as error:
        fail(_one_line(error))


def _generating_errors() -> tuple[type[Exception], ...]:
    """What else generating raises. Looked up on failure only: a fresh tree needs none of it."""
    import jinja2

    from acpgen.targets.models.codegen import GeneratedNamesError

    return jinja2.TemplateError, GeneratedNamesError


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _write(order: Order, outcome: Outcome) -> None:
    try:
        apply(order, outcome)
    except (OSError, ForeignFileError) as error:
        fail(str(error))
    counts = [f"{n} {c.value}" for c in Change if (n := _count(outcome, c))]
    note(f"{order.out}: {', '.join(counts) or 'up to date'}")


def _count(outcome: Outcome, change: Change) -> int:
    return sum(difference.change is change for difference in outcome.differences)


def _report(order: Order, outcome: Outcome, format_: Format) -> None:
    if not outcome.differences:
        note(f"{order.out}: as generated")
        return
    for difference in outcome.differences:
        if format_ is Format.TEXT:
            show([_finding(order, difference)], format_)
            typer.echo(_clip(difference.diff), nl=False)
    if format_ is not Format.TEXT:
        show([_finding(order, difference) for difference in outcome.differences], format_)
    note(f"to mend: {_command(order)}")
    raise typer.Exit(Exit.FINDINGS)


def _finding(order: Order, difference: Difference) -> Finding:
    return Finding(
        rule=f"drift-{difference.change.value}",
        severity=Severity.ERROR,
        file=(order.out / difference.path).as_posix(),
        pointer="",
        message=_SAYS[difference.change],
    )


def _clip(diff: str) -> str:
    lines = diff.splitlines(keepends=True)
    more = len(lines) - _DIFF_LINES
    return "".join(lines[:_DIFF_LINES]) + (f"... {more} more lines\n" if more > 0 else "")


def _command(order: Order) -> str:
    words = ["acpgen generate"]
    if order.schema != relative(resources.SCHEMA):
        words.append(f"--schema {order.schema}")
    if order.out != relative(resources.GENERATED):
        words.append(f"--out {order.out}")
    if len(order.targets) < len(TARGETS):
        words.extend(f"--target {target.name}" for target in order.targets)
    if order.templates != relative(resources.TEMPLATES):
        words.append(f"--templates {order.templates}")
    return " ".join(words)
