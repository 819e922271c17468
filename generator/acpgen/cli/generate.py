"""`acpgen generate`: write the outputs of the schema, or check that they are written."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli.crash import is_own
from acpgen.cli.extras import installation
from acpgen.cli.progress import Bar
from acpgen.cli.report import (
    Exit,
    fail,
    note,
    relative,
    reporting_failure,
    show,
    suggestion,
    unreadable,
)
from acpgen.cli.schema_options import Out, Schema, TemplateFolder
from acpgen.cli.stderr import note_other_schema
from acpgen.emit import manifest, rules
from acpgen.emit.tree import Difference, DriftKind, FolderError, ForeignFileError, has_drafts
from acpgen.findings import Finding, Format, Severity
from acpgen.load import SchemaError
from acpgen.load.listing import accepted_beside
from acpgen.load.place_lines import located
from acpgen.model import Protocol
from acpgen.startup.checkout import other_schema
from acpgen.targets import TARGETS, Target
from acpgen.targets.generation import Plan, Result, apply
from acpgen.targets.generation import generate as worked_out
from acpgen.words import counted

_RULES = {
    DriftKind.CHANGED: rules.drift_changed,
    DriftKind.MISSING: rules.drift_missing,
    DriftKind.SURPLUS: rules.drift_surplus,
    DriftKind.FOREIGN: rules.drift_foreign,
}
_LINE_ENDS = "has lines that end in CRLF, and is as generated but for that"
_COMMAND = "generate"
_DIFF_LINES = 40
_TARGETS = [target.name for target in TARGETS]


def generate(
    schema: Schema = resources.SCHEMA,
    out: Out = resources.GENERATED,
    target: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Only this one; may be repeated: {', '.join(_TARGETS)}.",
            metavar="NAME",
            autocompletion=lambda: _TARGETS,
        ),
    ] = None,
    templates: TemplateFolder = resources.TEMPLATES,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; report what is not as generated.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Generate everything again, even if no digest changed.")
    ] = False,
    format_: Annotated[
        Format, typer.Option("--format", help="How findings are printed.")
    ] = Format.TEXT,
) -> None:
    """Generate bundles, Python models, retry tables and pages from the schema.

    A schema in which `acpgen lint` finds errors is refused, and they are printed. Exit status: 0
    when everything is up to date, 1 when the schema has errors or --check finds a difference, 2
    when something can't be read, generated or written. Changed inputs that leave every file as it
    is are not a difference.
    """
    if schema == resources.SCHEMA:
        note_other_schema()
    with reporting_failure(_COMMAND, format_, schema):
        if not schema.exists():
            fail(
                f"{schema}: does not exist; name a folder of domain files or a single-file release"
            )
        plan = Plan(
            schema=relative(schema),
            out=relative(out),
            targets=chosen(target),
            templates=relative(templates),
            full=full,
            accepted=accepted_beside(schema),
        )
        outcome = work_out(plan, format_)
        if not check:
            put(plan, outcome, format_)
    if check:
        _report(plan, outcome, format_)
    else:
        show(_COMMAND, (), format_)


def chosen(names: list[str] | None) -> list[Target]:
    """Look up targets by name; no names means all. Exits with status 2 on an unknown name."""
    for name in names or ():
        if name not in _TARGETS:
            fail(
                f"no target is called {name}; "
                + suggestion(name, _TARGETS, f"there are {', '.join(_TARGETS)}")
            )
    return [target for target in TARGETS if not names or target.name in names]


def work_out(plan: Plan, format_: Format) -> Result:
    """Find out how a folder differs from a plan. Exits with the reason where that fails."""
    with (
        _reporting_errors(plan, format_),
        Bar(len(plan.targets), "generating", hidden=not sys.stderr.isatty()) as bar,
    ):
        return worked_out(plan, lambda _: bar.advance(), lambda p: _admit(p, plan))


@contextmanager
def _reporting_errors(plan: Plan, format_: Format) -> Iterator[None]:
    """Exit with the findings or the reason where working out a plan fails."""
    try:
        yield
    except SchemaError as error:
        show(_COMMAND, located(error.findings), format_)
        _note_targets_without_classes(plan, error.findings)
        raise typer.Exit(Exit.FINDINGS) from error
    except ImportError as error:
        if is_own(error):
            raise
        fail(f"{error}; generating needs more packages: {installation('generate')}")
    except OSError as error:
        fail(unreadable(error, plan.schema))
    except ValueError as error:
        fail(_one_line(error))
    except _generating_errors() as error:
        fail(_one_line(error))


def _admit(protocol: Protocol, plan: Plan) -> None:
    """Refuse a protocol with errors that would make the output wrong.

    Raises:
        SchemaError: it has errors that matter to a target and are not accepted.
        AcceptedError: the accepted findings can't be read.
    """
    # An up-to-date tree needs no rules.
    from acpgen.cli.lint import accepted_by_lint
    from acpgen.lint import lint
    from acpgen.lint.rules.classes import missing_retry_class

    accepted = None if plan.accepted is None else accepted_by_lint(relative(plan.accepted))
    classes_matter = any(target.needs_classes for target in plan.targets)
    errors = [
        finding
        for finding in lint(protocol, accepted)
        if finding.severity is Severity.ERROR
        and (classes_matter or finding.rule != missing_retry_class.id)
    ]
    if errors:
        raise SchemaError(errors)


def _note_targets_without_classes(plan: Plan, findings: Iterable[Finding]) -> None:
    from acpgen.lint.rules.classes import missing_retry_class

    if any(finding.rule == missing_retry_class.id for finding in findings):
        needing = [target.name for target in TARGETS if target.needs_classes]
        others = [target for target in plan.targets if not target.needs_classes]
        others = others or [target for target in TARGETS if not target.needs_classes]
        note(
            f"only {', '.join(needing[:-1])} and {needing[-1]} need retry classes; to generate "
            "the others: "
            f"{_command(plan, others)}"
        )


def _generating_errors() -> type[Exception]:
    """Other errors of generating. Imported on failure only: an up-to-date tree doesn't need it."""
    from acpgen.targets.models.codegen import GeneratedNamesError

    return GeneratedNamesError


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def put(plan: Plan, outcome: Result, format_: Format) -> None:
    """Write the differences and print a summary. Exits with the reason where that fails."""

    def check_protocol(protocol: Protocol) -> None:
        _admit(protocol, plan)

    with _reporting_errors(plan, format_):
        try:
            outcome = apply(plan, outcome, check_protocol)
        except (ForeignFileError, FolderError) as error:
            fail(str(error))
        except OSError as error:
            place = error.filename or plan.out
            fail(f"{place}: can't be written: {error.strerror or error}; choose another --out")
    for path, reason in outcome.removed.items():
        note(f"{plan.out / path}: removed, since {reason}")
    # An installed acpgen writes into the current folder, wherever that is.
    place = plan.out.resolve() if resources.comes_installed() else plan.out
    note(f"{place}: {_summary(outcome)}{_other_source(plan)}")


def _other_source(plan: Plan) -> str:
    """The schema that was used, where it is not that of the checkout around the current folder."""
    shipped = plan.schema == relative(resources.SCHEMA)
    own = shipped and (resources.comes_installed() or other_schema() is not None)
    return ", from the schema that came with acpgen" if own else ""


def _summary(outcome: Result) -> str:
    """A summary: `wrote 12 files (11 changed, 1 new), removed 2, in docs and json`."""
    changes = [difference.change for difference in outcome.differences]
    changed, new = changes.count(DriftKind.CHANGED), changes.count(DriftKind.MISSING)
    removed = changes.count(DriftKind.SURPLUS)
    parts = []
    if changed or new:
        kinds = [f"{n} {kind}" for n, kind in ((changed, "changed"), (new, "new")) if n]
        parts.append(f"wrote {counted(changed + new, 'file')} ({', '.join(kinds)})")
    if removed:
        parts.append(f"removed {removed if parts else counted(removed, 'file')}")
    return f"{', '.join(parts)}{_folders(outcome)}" if parts else "up to date"


def _folders(outcome: Result) -> str:
    """The changed folders: `, in docs and json`; empty for the folder itself."""
    paths = (d.path for d in outcome.differences if d.change is not DriftKind.FOREIGN)
    folders = sorted({path.partition("/")[0] for path in paths if "/" in path})
    if not folders:
        return ""
    *most, last = folders
    return f", in {', '.join(most)} and {last}" if most else f", in {last}"


def _report(plan: Plan, outcome: Result, format_: Format) -> None:
    if format_ is Format.TEXT:
        for difference in outcome.drift:
            show(_COMMAND, [_finding(plan, difference)], format_)
            if not difference.in_line_ends_only:
                typer.echo(_clip(difference.diff), nl=False)
    else:
        findings = [_finding(plan, difference) for difference in outcome.drift]
        show(_COMMAND, [*findings, *_unfinished(plan)], format_)
    if format_ is Format.TEXT and (unfinished := _unfinished(plan)):
        show(_COMMAND, unfinished, format_)
    if not outcome.drift and not has_drafts(plan.out):
        note(f"{plan.out}: as generated{_other_source(plan)}")
        if outcome.differences:
            note(
                f"{plan.out / manifest.NAME}: was written with other inputs "
                f"({', '.join(outcome.renewed)}) that give the same files; "
                f"to renew it: {_command(plan, plan.targets)}"
            )
        return
    if any(difference.in_line_ends_only for difference in outcome.drift):
        note(
            "git writes CRLF where core.autocrlf is on; to prevent that, put the line "
            f"`{plan.out.name}/** eol=lf` into .gitattributes beside {plan.out.name}"
        )
    note(f"to fix: {_fix(plan, outcome)}")
    raise typer.Exit(Exit.FINDINGS)


def _unfinished(plan: Plan) -> list[Finding]:
    """The drafts of a run that was killed, or is still at work."""
    if not has_drafts(plan.out):
        return []
    rule = rules.drift_unfinished
    return [Finding(rule.id, rule.severity, plan.out.as_posix(), "", rule.function())]


def _finding(plan: Plan, difference: Difference) -> Finding:
    rule = _RULES[difference.change]
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        file=(plan.out / difference.path).as_posix(),
        pointer="",
        message=_LINE_ENDS if difference.in_line_ends_only else rule.function(),
    )


def _clip(diff: str) -> str:
    lines = diff.splitlines(keepends=True)
    more = len(lines) - _DIFF_LINES
    return "".join(lines[:_DIFF_LINES]) + (f"... {more} more lines\n" if more > 0 else "")


def _fix(plan: Plan, outcome: Result) -> str:
    foreign = [d.path for d in outcome.differences if d.change is DriftKind.FOREIGN]
    places = ", ".join(shlex.quote(str(plan.out / path)) for path in foreign)
    return (f"move {places} away, then " if foreign else "") + _command(plan, plan.targets)


def _command(plan: Plan, targets: Sequence[Target]) -> str:
    """The command that generates the targets of a plan, quoted for a shell."""
    words = ["acpgen", "generate"]
    if plan.schema != relative(resources.SCHEMA):
        words += ["--schema", str(plan.schema)]
    if plan.out != relative(resources.GENERATED):
        words += ["--out", str(plan.out)]
    if len(targets) < len(TARGETS):
        words += [word for target in targets for word in ("--target", target.name)]
    if plan.templates != relative(resources.TEMPLATES):
        words += ["--templates", str(plan.templates)]
    return shlex.join(words)
