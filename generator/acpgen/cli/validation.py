"""Judging recorded messages: the work of `acpgen validate` after its arguments are parsed.

For short and clean input this imports no third-party library and no slow module of the standard
library, so the verdict on one message takes little more time than Python needs to start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from acpgen import findings, resources, rulebook
from acpgen.cli import input_files
from acpgen.cli.file_judging import INTERRUPTED, FileJudge
from acpgen.cli.progress import Bar, bar_of
from acpgen.cli.stderr import note, note_other_schema
from acpgen.findings import escaped, printable
from acpgen.judge.fast_path import FastEngine
from acpgen.judge.fault_limit import FaultLimit
from acpgen.judge.versions import VersionedEngine
from acpgen.report import Report, Tally, renderer, set_up
from acpgen.startup import checker_source
from acpgen.startup.options import Options

_NOTHING = "no messages, so there is nothing to judge"
Judging = Callable[[Sequence[str], Options, VersionedEngine, Report, Bar], None]
"""Judges files into a report."""


def run(options: Options, judging: Judging | None = None) -> int:
    """Judge, print what is found, and return the exit status: 0, 1 or 2.

    `judging` judges the files; by default this process does, one file after another.

    Raises:
        BrokenPipeError: the reader of the output closed it.
    """
    set_up(options.form, sys.stdout)
    report = _report(options)
    if not options.schemas:
        note_other_schema()
    files = options.files if options.follow else input_files.expanded(options.files)
    report.begin([input_files.name(file) for file in files])
    engine = None
    try:
        engine = engine_of(options, report)
        if engine is not None:
            _judge_all(files, options, engine, report, judging or judge_in_turn)
    except KeyboardInterrupt:
        if not any(each.message == INTERRUPTED for each in report.tally.problems):
            report.problem(input_files.name(files[0]), INTERRUPTED)
    report.end()
    sys.stdout.flush()
    _print_notes(report, engine, quiet=options.quiet)
    return report.status


def _report(options: Options) -> Report:
    form = options.form
    return Report(
        Tally("validate"),
        renderer(form, sys.stdout, os.environ, counts_only=options.summary, docs=_page),
        strict=options.strict,
        max_errors=options.max_errors,
        fail_on=options.fail_on,
        counts_only=options.summary,
        flush=sys.stdout.flush if options.follow or form == "ndjson" else None,
    )


def engine_of(options: Options, report: Report) -> VersionedEngine | None:
    """Return the engine that judges, or None if a schema can't be used, which the report has."""
    schemas = options.schemas or (None,)
    limit = FaultLimit(options.max_findings or 0)
    made = [(schema, _source(schema, report)) for schema in schemas]
    sources = [(schema, found) for schema, found in made if found is not None]
    if len(sources) < len(made):
        return None
    if len(sources) == 1 and isinstance(sources[0][1], checker_source.Shipped):
        shipped = FastEngine(sources[0][1], checker_source.SHIPPED_VERSION, limit)
        return VersionedEngine([(checker_source.SHIPPED_VERSION, shipped)])
    versions = [(found.table().version, schema, found) for schema, found in sources]
    for place, (version, schema, _) in enumerate(versions):
        if len(versions) > 1 and version in {None, *(v for v, _, _ in versions[:place])}:
            name = "no version" if version is None else f"version {version}, as another one is"
            report.problem(_schema_name(schema), f"is of {name}; each --schema has one of its own")
            return None
    return VersionedEngine(
        [(version, FastEngine(found, version, limit)) for version, _, found in versions]
    )


def _source(
    schema: str | None, report: Report
) -> checker_source.Shipped | checker_source.Made | None:
    try:
        return checker_source.of_schema(schema)
    except OSError as error:
        name = error.filename or _schema_name(schema)
        report.problem(str(name), error.strerror or str(error))
    except checker_source.UnusableSchemaError as error:
        note(findings.text(error.findings).rstrip("\n"))
        report.problem(_schema_name(schema), "is not a schema to judge by")
    return None


def _schema_name(schema: str | None) -> str:

    return input_files.relative(str(resources.SCHEMA) if schema is None else schema)


def judge_in_turn(
    files: Sequence[str], options: Options, engine: VersionedEngine, report: Report, bar: Bar
) -> None:
    """Judge files into a report, one after another."""
    judge = FileJudge(options, engine, report, bar)
    for file in files:
        if not report.full:
            judge.judge(file)


def _judge_all(
    files: Sequence[str],
    options: Options,
    engine: VersionedEngine,
    report: Report,
    judging: Judging,
) -> None:
    size = 0 if options.quiet or options.follow else input_files.size(files)
    with bar_of(size) as progress:
        judging(files, options, engine, report, progress)
    if report.tally.inputs and not report.tally.problems and not report.tally.messages:
        report.problem(input_files.name(files[0]), _NOTHING)
    if report.tally.inputs:
        report.conclude()


def _print_notes(report: Report, engine: VersionedEngine | None, *, quiet: bool) -> None:
    """Print on stderr why the report is not complete, and how many messages there were."""
    if report.tally.problems:
        for problem in report.tally.problems:
            note(f"acpgen: {printable(problem.place)}: {escaped(problem.message)}")
    if engine is None or quiet:
        return
    if forgotten := engine.pairing.forgotten:
        note(
            f"acpgen: more than {engine.pairing.limit} requests waited for a response at once; the "
            f"{forgotten} oldest were forgotten, so their results are not judged"
        )
    if report.tally.messages:
        note(report.tally.summary())


def _page(rule: str) -> str | None:
    """The page of a rule. The rulebook is imported only for reports that show pages."""
    return rulebook.page("validate")(rule)
