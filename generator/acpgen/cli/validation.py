"""Judging recorded messages: the work of `acpgen validate` after its arguments are parsed.

For short and clean input this imports no third-party library and no slow module of the standard
library, so the verdict on one message takes little more time than Python needs to start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from acp_wire.reader import attempt
from acpgen import findings, resources, rulebook
from acpgen.cli import input_files
from acpgen.cli.follow import Follower, interruptible
from acpgen.cli.progress import Bar, bar_of
from acpgen.cli.reading import print_reading, version_notes
from acpgen.cli.stderr import note
from acpgen.cli.verdicts import FINDINGS_LIMIT, findings_of
from acpgen.findings import escaped, printable
from acpgen.judge.fast_path import FastEngine
from acpgen.judge.inputs import InputError, MessageText
from acpgen.judge.message_parts import PartJudge, UnknownPartError
from acpgen.judge.stream import Messages, Stream
from acpgen.judge.type_checks import JudgedMethod
from acpgen.judge.versions import VersionedEngine
from acpgen.logs import (
    LINE_LIMIT,
    Hints,
    Log,
    LogMessage,
    Values,
    callers_of,
    fenced,
    is_markdown,
    lines_of,
)
from acpgen.logs import read as read_log
from acpgen.logs.values import LONG
from acpgen.report import Report, Tally, renderer, set_up
from acpgen.startup import checker_source
from acpgen.startup.options import Options

_NOTHING = "no messages, so there is nothing to judge"
_OTHER_VERSION = "all messages are of another version, so there is no verdict"
_INTERRUPTED = "interrupted: the rest is not judged"
_TOO_LONG = "is longer than {limit} bytes, so it is not judged; --max-line sets the limit"
_PACKED = "is gzip, which does not grow by lines: leave out --follow, which reads plain text"
_TWO_SIDED = "is a transcript, which names its senders; leave out --from"
_SENDERS = "names its senders; leave out --from"


def run(options: Options) -> int:
    """Judge, print what is found, and return the exit status: 0, 1 or 2.

    Raises:
        BrokenPipeError: the reader of the output closed it.
    """
    set_up(options.form, sys.stdout)
    report = _report(options)
    report.begin([input_files.name(file) for file in options.files])
    engine = None
    try:
        engine = _engine(options, report)
        if engine is not None:
            _judge_all(options, engine, report)
    except KeyboardInterrupt:
        if report.tally.complete:
            report.problem(input_files.name(options.files[0]), _INTERRUPTED)
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


def _engine(options: Options, report: Report) -> VersionedEngine | None:
    """The engine that judges, or None if a schema can't be used."""
    size = input_files.size(options.files)
    schemas = options.schemas or (None,)
    made = [(schema, _source(schema, report)) for schema in schemas]
    sources = [(schema, found) for schema, found in made if found is not None]
    if len(sources) < len(made):
        return None
    if len(sources) == 1 and isinstance(sources[0][1], checker_source.Shipped):
        return VersionedEngine(
            [
                (
                    checker_source.SHIPPED_VERSION,
                    FastEngine(sources[0][1], size, checker_source.SHIPPED_VERSION),
                )
            ]
        )
    versions = [(found.table().version, schema, found) for schema, found in sources]
    for place, (version, schema, _) in enumerate(versions):
        if len(versions) > 1 and version in {None, *(v for v, _, _ in versions[:place])}:
            name = "no version" if version is None else f"version {version}, as another one is"
            report.problem(_schema_name(schema), f"is of {name}; each --schema has one of its own")
            return None
    return VersionedEngine(
        [(version, FastEngine(found, size, version)) for version, _, found in versions]
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


def _judge_all(options: Options, engine: VersionedEngine, report: Report) -> None:
    size = 0 if options.quiet or options.follow else input_files.size(options.files)
    with bar_of(size) as progress:
        for file in options.files:
            if not report.full:
                _judge(file, options, engine, report, progress)
    if not report.tally.messages and report.tally.complete:
        for file in options.files:
            report.problem(input_files.name(file), _NOTHING)
    if report.tally.others and not report.tally.judged and report.tally.complete:
        for name in report.tally.inputs:
            report.problem(name, _OTHER_VERSION)


def _judge(
    file: str, options: Options, engine: VersionedEngine, report: Report, progress: Bar
) -> None:
    """Judge one file into the report."""
    name = input_files.name(file)
    engine.clear()
    try:
        if options.follow:
            _judge_growing(file, options, engine, report, progress)
        else:
            with input_files.Opened(file) as opened:
                _judge_lines(opened, name, options, engine, report, progress)
    except KeyboardInterrupt:
        report.problem(name, _INTERRUPTED)
        raise
    except InputError as error:
        report.problem(name, str(error))
    except BrokenPipeError:
        raise
    except Exception as error:  # zlib has one of its own
        reason = input_files.complaint(error)
        if reason is None:
            raise
        report.problem(name, reason)


def _judge_lines(
    stream: BinaryIO,
    name: str,
    options: Options,
    engine: VersionedEngine,
    report: Report,
    progress: Bar,
) -> None:
    limit = options.max_line or LINE_LIMIT
    encodings: list[str] = []
    lines = lines_of(stream, limit, _skips(name, limit, report), encodings.append)
    if is_markdown(name):
        lines = fenced(lines)
        encodings.append("Markdown")
    if options.part is not None:
        _judge_parts(lines, name, options, engine, report)
        return
    log = _log(lines, name, options, engine, report)
    try:
        _judge_log(log, name, options, engine, report, progress)
    finally:
        log.encoding = next(iter(encodings), None)
        _print_reading(log, name, options, engine, report)


def _log(
    lines: Iterator[tuple[int, bytes]],
    name: str,
    options: Options,
    engine: VersionedEngine,
    report: Report,
) -> Log:
    limit = options.max_line or LINE_LIMIT
    hints = Hints(
        shape=options.read_as,
        message_at=options.message_at,
        sender_at=options.sender_at,
        connection_at=options.connection_at,
        client=options.client,
    )
    return read_log(
        lines,
        hints,
        lambda: callers_of(map(JudgedMethod, engine.table().methods)),
        limit,
        _skips(name, limit, report),
        one_sided=options.sender is not None,
    )


def _skips(name: str, limit: int, report: Report) -> Callable[[int], object]:
    return lambda line: report.problem(name, _TOO_LONG.format(limit=limit), line)


def _judge_log(
    log: Log,
    name: str,
    options: Options,
    engine: VersionedEngine,
    report: Report,
    progress: Bar,
) -> None:
    found = log.canonical
    if found is not None and found.transcript and options.sender is not None:
        raise InputError(_TWO_SIDED)
    stream = (
        Messages(_sent(log.messages(), options.sender), engine)
        if found is None
        else Stream(found, engine, options.sender, progress.advance, log)
    )
    shown = 0
    try:
        for entry, verdict in stream:
            shown += 1
            progress.make_way()
            findings = findings_of(
                name,
                entry,
                verdict,
                transcript=found is not None and found.transcript,
                show_keys=options.show_keys,
                limit=options.max_findings or FINDINGS_LIMIT,
            )
            report.message(name, findings, judged=verdict.complete)
            if report.full:
                break
    finally:
        report.accept(name, stream.messages - shown)
        report.tally.others += stream.others


def _judge_parts(
    lines: Iterator[tuple[int, bytes]],
    name: str,
    options: Options,
    engine: VersionedEngine,
    report: Report,
) -> None:
    """Judge each value of a file as params, or as a result."""
    try:
        judge = PartJudge(engine.table(), options.part or "")
    except UnknownPartError as error:
        raise InputError(f"can't be judged --as {options.part}: {error}") from error
    limit = options.max_line or LINE_LIMIT
    skips = _skips(name, limit, report)
    for unit in Values(lines, limit):
        if unit.shape == LONG:
            skips(unit.line)
            continue
        text = (unit.text or unit.prefix).strip().encode("utf-8", "surrogateescape")
        read = attempt(text)
        findings = findings_of(
            name,
            MessageText(text, unit.line, read),
            judge.verdict(read),
            show_keys=options.show_keys,
            limit=options.max_findings or FINDINGS_LIMIT,
        )
        report.message(name, findings)
        if report.full:
            break


def _sent(messages: Iterator[LogMessage], sender: str | None) -> Iterator[LogMessage]:
    """The messages of a log, from one sender if it does not name any itself."""
    for message in messages:
        if sender is None:
            yield message
        elif message.sender is not None:
            raise InputError(_SENDERS)
        else:
            yield replace(message, sender=sender)


def _print_reading(
    log: Log, name: str, options: Options, engine: VersionedEngine, report: Report
) -> None:
    """Print on stderr what a log was read as, and which connections were not judged."""
    sys.stdout.flush()  # so that it comes after the findings, also where both are one file
    if options.quiet:
        return
    print_reading(log, name, report.tally.inputs.get(name, 0))
    for line in version_notes(engine):
        note(f"acpgen: {printable(name)}: {line}")


def _judge_growing(
    file: str, options: Options, engine: VersionedEngine, report: Report, progress: Bar
) -> None:
    """Judge a log until an interruption, which is its normal end and not a failure."""
    if _is_gzip(file):
        raise InputError(_PACKED)
    name = input_files.name(file)
    shown = printable(name)
    follower = Follower(file, report=lambda event: note(f"acpgen: {shown}: {event}"))
    log = _log(iter(follower), name, options, engine, report)
    with interruptible():
        _judge_log(log, name, options, engine, report, progress)
    _print_reading(log, name, options, engine, report)
    if follower.unfinished:
        note(f"acpgen: {shown}: the last line is not complete, so it is not judged")


def _is_gzip(file: str) -> bool:
    """Whether a file is gzip (RFC 1952). A pipe can't be tested without consuming its bytes."""
    if not Path(file).is_file():
        return False
    with Path(file).open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _print_notes(report: Report, engine: VersionedEngine | None, *, quiet: bool) -> None:
    """Print on stderr why the report is not complete, and how many messages there were."""
    if report.tally.problems:
        for problem in report.tally.problems:
            note(f"acpgen: {printable(problem.file)}: {escaped(problem.message)}")
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
