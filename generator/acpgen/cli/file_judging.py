"""Judging one file of messages into a report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from acp_wire.reader import attempt
from acpgen.cli import input_files
from acpgen.cli.follow import Follower, interruptible
from acpgen.cli.held_verdicts import HeldVerdicts
from acpgen.cli.progress import Bar
from acpgen.cli.reading import LogEnd, elided, print_reading, version_notes
from acpgen.cli.stderr import note
from acpgen.cli.verdict_lines import VerdictLines
from acpgen.cli.verdicts import FINDINGS_LIMIT, findings_of
from acpgen.findings import printable
from acpgen.judge.fault_limit import FaultLimit
from acpgen.judge.inputs import EmptyPageError, InputError
from acpgen.judge.message_parts import PartJudge, UnknownPartError
from acpgen.judge.message_text import MessageText
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
from acpgen.logs.hints import MARKDOWN
from acpgen.logs.log_lines import Lines
from acpgen.logs.unit import LONG
from acpgen.report import Report
from acpgen.startup.options import Options
from acpgen.startup.output import flush

INTERRUPTED = "interrupted: the rest is not judged"
"""Why a file is not judged to its end after Ctrl-C."""
_TOO_LONG = "is longer than {limit} bytes, so it is not judged; --max-line sets the limit"
_PACKED = "is gzip, which does not grow by lines: leave out --follow, which reads plain text"
_TWO_SIDED = "is a transcript, which names its senders; leave out --from"
_SENDERS = "names its senders; leave out --from"
_GZIP = b"\x1f\x8b"


class FileJudge:
    """Judges files, one after another; the verdicts on one do not depend on the others."""

    def __init__(
        self, options: Options, engine: VersionedEngine, report: Report, progress: Bar
    ) -> None:
        self._options = options
        self._engine = engine
        self._report = report
        self._progress = progress
        self._limit = options.max_line or LINE_LIMIT
        self._findings_limit = options.max_findings or FINDINGS_LIMIT

    def judge(self, file: str) -> None:
        """Judge a file. Where it can't be read to its end, the report has the reason.

        Raises:
            KeyboardInterrupt: it was interrupted, which the report has as well.
            BrokenPipeError: the reader of the output closed it.
        """
        name = input_files.name(file)
        self._engine.begin(input_files.size([file]))
        try:
            self._judge_file(file, name)
        except KeyboardInterrupt:
            self._report.problem(name, INTERRUPTED)
            raise
        except EmptyPageError as error:
            self._pass_page(name, error)
        except InputError as error:
            self._report.problem(name, str(error))
        except Exception as error:  # zlib has one of its own
            self._report.problem(name, input_files.complaint(error))

    def _judge_file(self, file: str, name: str) -> None:
        if self._options.follow:
            self._judge_growing(file, name)
        else:
            with input_files.Opened(file) as opened:
                self._judge_lines(opened, name)

    def _pass_page(self, name: str, error: EmptyPageError) -> None:
        """Count a page without messages, which is not a problem beside files that have some."""
        self._report.accept(name, 0)
        if not self._options.quiet:
            note(f"acpgen: {printable(name)}: {printable(str(error))}")

    def _judge_lines(self, stream: BinaryIO, name: str) -> None:
        encodings: list[str] = []
        end = LogEnd()
        skips = self._skips(name, end)
        lines = end.lines(lines_of(stream, self._limit, skips, encodings.append))
        shape = self._options.read_as or (MARKDOWN if is_markdown(name) else None)
        if self._options.part is not None:
            lines = fenced(lines) if shape == MARKDOWN else lines
            self._judge_parts(lines, name, self._options.part)
            return
        log = self._log(lines, shape, skips)
        try:
            self._judge_log(log, name, end)
        except InputError:
            if not end.reasons:
                raise
        finally:
            for reason in end.reasons:
                self._report.problem(name, reason)
            log.encoding = next(iter(encodings), log.encoding)
            self._print_reading(log, name)

    def _log(self, lines: Lines, shape: str | None, skips: Callable[[int], object]) -> Log:
        options = self._options
        hints = Hints(
            shape=shape,
            message_at=options.message_at,
            sender_at=options.sender_at,
            connection_at=options.connection_at,
            client=options.client,
        )
        return read_log(
            lines,
            hints,
            lambda: callers_of(map(JudgedMethod, self._engine.table().methods)),
            self._limit,
            skips,
            one_sided=options.sender is not None,
        )

    def _skips(self, name: str, end: LogEnd | None = None) -> Callable[[int], object]:
        reason = _TOO_LONG.format(limit=self._limit)

        def skip(line: int) -> None:
            if end is not None:
                end.too_long.append(line)
            self._report.problem(name, reason, line)

        return skip

    def _judge_log(self, log: Log, name: str, end: LogEnd | None = None) -> None:
        engine, report, sender = self._engine, self._report, self._options.sender
        found = log.canonical
        transcript = found is not None and found.transcript
        if transcript and sender is not None:
            raise InputError(_TWO_SIDED)
        stream = (
            Messages(_sent(log.messages(), sender), engine)
            if found is None
            else Stream(found, engine, sender, self._progress.advance, log)
        )
        shown = 0
        held = HeldVerdicts(log, end)
        lines = VerdictLines(name, report, self._findings_limit) if report.takes_lines else None
        try:
            for entry, verdict in held.of(stream):
                shown += 1
                self._progress.make_way()
                if lines is not None and lines.takes(entry, verdict):
                    continue
                if lines is not None:
                    lines.flush()
                findings = findings_of(
                    name,
                    entry,
                    verdict,
                    transcript=transcript,
                    show_keys=self._options.show_keys,
                    limit=self._findings_limit,
                )
                report.message(name, findings, judged=verdict.complete)
                if report.full:
                    break
        finally:
            if lines is not None:
                lines.flush()
            report.accept(name, stream.messages - shown - held.cut - len(held.held))
            report.tally.others += stream.others
            if (cut := elided(log)) is not None:
                report.problem(name, *cut)
            for reason, line in held.reasons:
                report.problem(name, reason, line)

    def _judge_parts(self, lines: Lines, name: str, part: str) -> None:
        """Judge each value of a file as params, or as a result."""
        try:
            judge = PartJudge(self._engine.table(), part, FaultLimit(self._findings_limit))
        except UnknownPartError as error:
            raise InputError(f"can't be judged --as {part}: {error}") from error
        skips = self._skips(name)
        for unit in Values(lines, self._limit):
            if unit.shape == LONG:
                skips(unit.line)
                continue
            text = (unit.text or unit.prefix).strip().encode("utf-8", "surrogateescape")
            read = attempt(text)
            findings = findings_of(
                name,
                MessageText(text, unit.line, read),
                judge.verdict(read),
                show_keys=self._options.show_keys,
                limit=self._findings_limit,
            )
            self._report.message(name, findings)
            if self._report.full:
                break

    def _judge_growing(self, file: str, name: str) -> None:
        """Judge a log until an interruption, which is its normal end and not a failure."""
        input_files.refuse_secret(file)
        if _is_gzip(file):
            raise InputError(_PACKED)
        shown = printable(name)
        follower = Follower(
            file,
            limit=self._limit,
            report=lambda event: note(f"acpgen: {shown}: {event}"),
            skipped=self._skips(name),
        )
        log = self._log(iter(follower), self._options.read_as, self._skips(name))
        log.grows = True
        with interruptible():
            self._judge_log(log, name)
        log.encoding = follower.encoding or log.encoding
        self._print_reading(log, name)
        if follower.unfinished:
            note(f"acpgen: {shown}: the last line is not complete, so it is not judged")

    def _print_reading(self, log: Log, name: str) -> None:
        """Print on stderr what a log was read as, and which connections were not judged."""
        flush(sys.stdout)  # so that it comes after the findings, also where both are one file
        if self._options.quiet:
            return
        print_reading(log, name, self._report.tally.inputs.get(name, 0))
        for line in version_notes(self._engine):
            note(f"acpgen: {printable(name)}: {line}")


def _sent(messages: Iterator[LogMessage], sender: str | None) -> Iterator[LogMessage]:
    """The messages of a log, from one sender if it does not name any itself."""
    for message in messages:
        if sender is None:
            yield message
        elif message.sender is not None:
            raise InputError(_SENDERS)
        else:
            yield replace(message, sender=sender)


def _is_gzip(file: str) -> bool:
    """True if a file is gzip (RFC 1952). A pipe can't be tested without consuming its bytes."""
    if not Path(file).is_file():
        return False
    with Path(file).open("rb") as stream:
        return stream.read(2) == _GZIP
