"""Judging the order of messages in one file, into a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from acpgen.cli import input_files
from acpgen.cli.progress import Bar
from acpgen.cli.reading import (
    LogEnd,
    counted_lines,
    elided,
    print_reading,
    transcript_lines,
)
from acpgen.cli.report import note
from acpgen.cli.unread_messages import UnreadMessage, unread_reasons
from acpgen.cli.worker_pool import FileCounts
from acpgen.findings import printable
from acpgen.judge.inputs import InputError
from acpgen.load import reload
from acpgen.logs import LINE_LIMIT, Hints, Log, callers_of, lines_of, read
from acpgen.model import Protocol, RetryClass
from acpgen.report import Report, Tally
from acpgen.report.document import JsonLines
from acpgen.trace import RULES, Recording, judge, record
from acpgen.words import counted

INTERRUPTED = "is not judged: interrupted"
"""Why a file is not judged after Ctrl-C."""
_LEFT_OUT = "is longer than {limit} bytes, so it is left out; --max-line sets the limit"


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """How files are judged: where their messages are, and what is printed.

    `limit` is the most bytes of a line or a value that are held.
    """

    hints: Hints
    limit: int = LINE_LIMIT
    show_keys: bool = False
    quiet: bool = False


class FileTracer:
    """Judges files, one after another."""

    def __init__(
        self, protocol: Protocol, options: TraceOptions, report: Report, progress: Bar
    ) -> None:
        self._protocol = protocol
        self._options = options
        self._report = report
        self._progress = progress
        self._encodings: list[str] = []
        self._end = LogEnd()

    def trace(self, file: str) -> str | None:
        """Judge a file, and return its summary; None if it can't be judged.

        Raises:
            KeyboardInterrupt: it was interrupted, which the report has as well.
        """
        name = input_files.name(file)
        report = self._report
        self._end = LogEnd()
        unread: list[UnreadMessage] = []
        try:
            with input_files.Opened(file) as stream:
                log = self._log(stream, name)
                recording = record(
                    transcript_lines(log),
                    self._protocol,
                    show_keys=self._options.show_keys,
                    names_connections=log.is_transcript,
                    unread=lambda error: unread.append(UnreadMessage.of(error)),
                )
                recording = as_shown(recording, log, self._end)
        except InputError as error:
            if not self._end.reasons:
                report.problem(name, str(error))
        except KeyboardInterrupt:
            report.problem(name, INTERRUPTED)
            raise
        except Exception as error:  # zlib has one of its own
            report.problem(name, input_files.complaint(error))
        else:
            log.encoding = next(iter(self._encodings), log.encoding)
            if not self._options.quiet:
                print_reading(log, name, recording.traffic.messages)
            if (cut := elided(log)) is not None:
                report.problem(name, *cut)
            for reason, line in unread_reasons(unread, log, self._end):
                report.problem(name, reason, line)
            self._note_idle(name, recording)
            self._note_versions(name, recording)
            self._note_end(name)
            return self._judge(name, recording, log) if recording.traffic.messages else None
        self._note_end(name)
        return None

    def _judge(self, name: str, recording: Recording, log: Log) -> str:
        self._progress.make_way()
        self._report.accept(name, recording.traffic.messages)
        places = groupby(judge(recording, name), lambda finding: (finding.line, finding.number))
        shown = sum(self._report.add(list(found)) for _, found in places)
        return f"{printable(name)}: {_summary(recording, shown, several=log.is_unnamed)}"

    def _log(self, stream: BinaryIO, name: str) -> Log:
        def skipped(line: int) -> None:
            self._end.too_long.append(line)
            self._report.problem(name, _LEFT_OUT.format(limit=limit), line)

        limit = self._options.limit
        encodings = self._encodings = list[str]()
        lines = self._end.lines(lines_of(stream, limit, skipped, encodings.append))
        lines = counted_lines(lines, self._progress)
        hints = self._options.hints.for_file(name)
        callers = partial(callers_of, self._protocol.methods)
        return read(lines, hints, callers, limit, skipped)

    def _note_end(self, name: str) -> None:
        for reason in self._end.reasons:
            self._report.problem(name, reason)

    def _note_idle(self, name: str, recording: Recording) -> None:
        idle = left_out(recording)
        if idle is not None and recording.traffic.messages and not self._options.quiet:
            note(f"acpgen: {printable(name)}: {idle}")

    def _note_versions(self, name: str, recording: Recording) -> None:
        """Note the versions that a recording settles on, if the schema is of another."""
        own = self._protocol.version
        others = sorted(recording.traffic.versions - {own})
        if others and own is not None and has_keys(self._protocol):
            settled = " and ".join(str(version) for version in others)
            note(
                f"acpgen: {printable(name)}: settles on version {settled} of the protocol, and the "
                f"schema is of version {own}; with version {settled}, {idle_rules()}"
            )


class ApartTracer:
    """Judges files in a process of its own, by a schema that was loaded before."""

    def __init__(self, schema: Path, options: TraceOptions, *, counts_only: bool) -> None:
        self._protocol = reload(schema)
        self._options = options
        self._counts_only = counts_only

    def __call__(self, file: str, write: Callable[[str], object], bar: Bar) -> FileCounts:
        """Judge a file, and write its findings."""
        tally = Tally("trace", judges=False)
        report = Report(tally, JsonLines(write), counts_only=self._counts_only)
        summary = FileTracer(self._protocol, self._options, report, bar).trace(file)
        return FileCounts(tally, summary=summary)


def as_shown(recording: Recording, log: Log, end: LogEnd) -> Recording:
    """A recording with what its log shows of the order, the connections and missing messages."""
    whole = recording.whole and not log.elided and not end.too_long
    one_sided = whole and recording.traffic.is_of_one_side
    return replace(
        recording,
        ordered=log.shows_order,
        whole=whole and not one_sided,
        one_sided=one_sided,
        separate=not log.is_unnamed,
    )


def left_out(recording: Recording) -> str | None:
    """How many rules can't be applied to what a log shows, and why; None if all can be."""
    reasons: list[str] = []
    if not recording.separate:
        reasons.append(
            "the log doesn't name its connections, on each of which messages have an order"
        )
    elif not recording.ordered:
        reasons.append(
            "the log doesn't state what one side sent before the other, apart from requests before "
            "their responses"
        )
    if recording.one_sided:
        reasons.append("the log has the messages of one side only")
    elif not recording.whole:
        reasons.append("not all messages can be read, and findings may rest on the absence of one")
    idle = sum(not rule.applies(recording) for rule in RULES.values())
    if not reasons:
        return None
    return f"{'; '.join(reasons)}: {idle} of {len(RULES)} rules can't be applied"


def has_keys(protocol: Protocol) -> bool:
    """True if any method takes a key."""
    return any(m.retry is RetryClass.KEYED and m.key is not None for m in protocol.methods)


def idle_rules() -> str:
    """How many rules can't be applied where no method takes a key."""
    idle = sum(rule.needs_keys for rule in RULES.values())
    return f"{idle} of {len(RULES)} rules can't be applied: those about prompts and their keys"


def _summary(recording: Recording, shown: int, *, several: bool) -> str:
    """The numbers of messages, connections and reported findings of a recording.

    There are `several` connections if nothing tells those apart that overlap.
    """
    traffic = recording.traffic
    where = "several connections" if several else counted(len(traffic.spans), "connection")
    return (
        f"{counted(traffic.messages, 'message')} on {where}, {counted(shown, 'finding', zero='no')}"
    )
