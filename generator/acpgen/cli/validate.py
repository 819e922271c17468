"""`acpgen validate`: judge recorded messages."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from acpgen import findings, resources
from acpgen.cli.report import Exit, fail, note, relative, show
from acpgen.findings import Finding, Format, Severity, printable
from acpgen.judge.inputs import Entry, read
from acpgen.judge.transcript import Transcript
from acpgen.judge.verdict import Fault, Verdict
from acpgen.load import SchemaError, load
from acpgen.model import Protocol, Side

_STDIN = Path("-")
_LONG = 4_000_000
"""How many bytes of input take so long that it is worth showing how far they are."""


class Sender(StrEnum):
    """Who can have sent a message."""

    CLIENT = Side.CLIENT.value
    AGENT = Side.AGENT.value
    PROXY = Side.PROXY.value


def validate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Files of messages; - or none is standard input."),
    ] = None,
    sender: Annotated[
        Sender | None,
        typer.Option("--from", help="Who sent the messages. A transcript says so itself."),
    ] = None,
    schema: Annotated[
        Path, typer.Option(help="A folder of domain files or a single-file release.")
    ] = resources.SCHEMA,
    format_: Annotated[
        Format, typer.Option("--format", help="How to print what is found.")
    ] = Format.TEXT,
) -> None:
    """Judge messages as a strict receiver does, naming the answer it owes for each fault.

    A file holds one JSON message, one message a line, or a transcript: lines of
    {"from": "client" or "agent", "message": ..., "connection": optional}. Findings go to standard
    output. Exit status: 0 when every message is accepted, 1 when one is refused, 2 when a file or
    the schema can't be read.
    """
    protocol = _load(schema)
    files = files or [_STDIN]
    report = _Report(format_)
    unread = False
    with _progress(files) as progress:
        for file in files:
            try:
                for entry, verdict in _verdicts(file, protocol, sender):
                    if verdict.findings:
                        progress.make_way()
                    report.add(_name(file), entry, verdict)
                    progress.update(len(entry.text) + 1)
            except BrokenPipeError:
                raise
            except (OSError, _TwoSidedError) as error:
                reason = error.strerror if isinstance(error, OSError) else error
                note(f"acpgen: {printable(_name(file))}: {reason}")
                unread = True
            except re.error as error:
                fail(f"{relative(schema)}: the pattern {error.pattern!r} can't be used: {error}")
    report.close()
    if unread:
        raise typer.Exit(Exit.UNKNOWN)
    if report.refused:
        raise typer.Exit(Exit.FINDINGS)


class _TwoSidedError(Exception):
    """A transcript, judged as if all of it came from one side."""


def _load(schema: Path) -> Protocol:
    try:
        return load(relative(schema))
    except SchemaError as error:
        note(findings.text(error.findings).rstrip("\n"))
        fail(f"{relative(schema)}: is no schema to judge by")
    except OSError as error:
        fail(f"{relative(schema)}: {error.strerror}")


def _verdicts(
    file: Path, protocol: Protocol, sender: Sender | None
) -> Iterator[tuple[Entry, Verdict]]:
    side = None if sender is None else Side(sender)
    transcript = Transcript(protocol)
    with _open(file) as stream:
        found = read(stream)
        if found.transcript and side is not None:
            raise _TwoSidedError("is a transcript, which says who sends; leave out --from")
        for entry in found.entries:
            if found.transcript:
                yield entry, transcript.judge_line(entry.text)
            else:
                yield entry, transcript.judge(entry.text, sender=side)


def _open(file: Path) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if file == _STDIN else file.open("rb")


def _name(file: Path) -> str:
    """The name of a file in findings, which are UTF-8 even where file names are not."""
    return "<stdin>" if file == _STDIN else os.fsencode(relative(file)).decode("utf-8", "replace")


@dataclass(slots=True)
class _Report:
    """Prints findings as they come, or all at the end where the format is one document."""

    format: Format
    messages: int = 0
    refused: int = 0
    recovered: int = 0
    warnings: int = 0
    unjudged: int = 0
    kept: list[Finding] | None = None

    def __post_init__(self) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        if self.format is Format.JSON:
            self.kept = []

    def add(self, name: str, entry: Entry, verdict: Verdict) -> None:
        """Count a verdict and print what it found."""
        self.messages += 1
        self.refused += not verdict.accepted
        self.unjudged += not verdict.complete
        if not verdict.findings:
            return
        for fault in verdict.findings:
            self.recovered += fault.severity is Severity.RECOVERED
            self.warnings += fault.severity is Severity.WARNING
        found = [_finding(name, entry, verdict, fault) for fault in verdict.findings]
        if self.kept is None:
            show(found, self.format)
        else:
            self.kept += found

    def close(self) -> None:
        """Print what was kept, and say on stderr how many messages there were."""
        if self.kept is not None:
            show(self.kept, self.format)
        parts = [
            f"{_count(self.messages, 'message')}: {self.messages - self.refused} accepted, "
            f"{self.refused} refused"
        ]
        if self.recovered:
            parts.append(f"{_count(self.recovered, 'value')} recovered")
        if self.warnings:
            parts.append(_count(self.warnings, "warning"))
        if self.unjudged:
            parts.append(f"{_count(self.unjudged, 'result')} not judged: no request for it here")
        note("; ".join(parts))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _finding(name: str, entry: Entry, verdict: Verdict, fault: Fault) -> Finding:
    return Finding(
        rule=fault.rule.value,
        severity=fault.severity,
        file=name,
        pointer=fault.pointer,
        message=fault.message,
        line=entry.line + fault.line - 1,
        subject=verdict.method or "",
        code=verdict.code if fault.severity is Severity.ERROR else None,
    )


class _Progress:
    """How much of the input is judged, on the terminal that errors go to."""

    def __init__(self, advance: Callable[[int], None] | None = None) -> None:
        self._advance = advance

    def update(self, size: int) -> None:
        """Count as many bytes as judged."""
        if self._advance is not None:
            self._advance(size)

    def make_way(self) -> None:
        """Clear the line for something else to be printed; the next update draws it again."""
        if self._advance is not None:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


@contextmanager
def _progress(files: Sequence[Path]) -> Iterator[_Progress]:
    size = sum(map(_size, files))
    if size < _LONG or not sys.stderr.isatty():
        yield _Progress()
        return
    with typer.progressbar(
        length=size, label="judging", file=sys.stderr, update_min_steps=size // 200
    ) as bar:
        yield _Progress(bar.update)


def _size(file: Path) -> int:
    """The size of a file in bytes; 0 where there is none to know."""
    try:
        return file.stat().st_size
    except OSError:
        return 0
