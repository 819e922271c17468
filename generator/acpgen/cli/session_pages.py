"""Pages that show sessions, for the commands that write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path

from acp_conformance.run_report import ReplayCommand
from acp_conformance.verdict import TraceResult
from acp_wire.envelope import is_id
from acp_wire.reader import Decoded, attempt
from acp_wire.transcript_line import is_transcript_line
from acpgen import resources
from acpgen.cli.held_verdicts import OF_ABSENCE
from acpgen.cli.input_files import STDIN
from acpgen.cli.reading import LogEnd, elided, reading_notes, transcript_lines, version_notes
from acpgen.cli.report import fail, unreadable
from acpgen.cli.trace_notes import trace_notes
from acpgen.cli.tracing import as_shown, left_out
from acpgen.cli.unread_messages import UnreadMessage, cut_by, unread_reasons
from acpgen.cli.verdicts import findings_of
from acpgen.cli.whole_file import whole_file
from acpgen.judge.fast_path import FastEngine
from acpgen.judge.message_text import MessageText
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.judge.versions import VersionedEngine
from acpgen.load import reload
from acpgen.logs import Hints, Log, callers_of, lines_of, read
from acpgen.logs.written_pages import is_page
from acpgen.model import Protocol, Side
from acpgen.startup.checker_source import Made
from acpgen.trace import (
    MessagePlaces,
    TranscriptError,
    TranscriptLine,
    judge,
    read_line,
    record,
    with_connections,
)
from acpgen.view import SessionView, page

__all__ = ["page_paths", "session_view", "write_failed_traces", "write_page"]

_PACKED = (".gz", ".zst")


def page_paths(logs: Sequence[str], out: Path | None) -> list[Path]:
    """The page of each log: `out`, or a file in the folder `out` or here, named after the log.

    Raises:
        CommandFailure: a page would replace a log, another page, or a file that `acpgen view` did
            not write and `out` doesn't name.
    """
    chosen = out is not None and not out.is_dir()
    if chosen and len(logs) > 1:
        fail(
            f"--output {out} is one page for {len(logs)} files: name a folder that exists, or "
            "leave it out"
        )
    pages = [out if chosen and out else (out or Path()) / _page_name(log) for log in logs]
    for number, (log, path) in enumerate(zip(logs, pages, strict=True)):
        if path in pages[:number]:
            other = logs[pages.index(path)]
            fail(f"{other} and {log} would both have the page {path}: name it with -o")
        if str(path) == STDIN or not path.exists():
            continue
        if any(Path(each).exists() and path.samefile(each) for each in logs):
            fail(f"{path}: is the file to show, and the page would replace it")
        if not chosen and not _is_written_by_view(path):
            fail(f"{path}: is not a page of acpgen view, so it is kept: name the page with -o")
    return pages


def _page_name(log: str) -> str:
    if log == STDIN:
        return "session.html"
    path = Path(log)
    while path.suffix in _PACKED:
        path = path.with_suffix("")
    return f"{path.stem}.html"


def _is_written_by_view(path: Path) -> bool:
    try:
        return path.is_file() and is_page(path)
    except OSError as error:
        fail(unreadable(error, path))


def session_view(
    log: Log,
    protocol: Protocol,
    name: str,
    *,
    show_keys: bool = False,
    encodings: Sequence[str] = (),
    end: LogEnd | None = None,
) -> SessionView:
    """Judge the messages of a log, and return what is to be shown of them.

    `encodings` gets the name of another encoding than UTF-8 while the log is read, and `end` learns
    how it ends.

    Raises:
        InputError: it has no messages.
        OSError: it can't be read.
    """
    session = SessionView(Path(name).name, protocol, show_keys=show_keys)
    fast = FastEngine(Made(protocol), version=protocol.version)
    engine = VersionedEngine([(protocol.version, fast)])
    entries: list[MessageText] = []
    named = log.is_transcript
    engine.pairing.beginnings.names_connections = named
    end = LogEnd() if end is None else end
    places = MessagePlaces()
    lines = with_connections(
        _read(log), partial(_line_of, places), places=places, names_connections=named
    )
    for (entry, guessed), connection in lines:
        entries.append(entry)
        index = session.add(entry, connection)
        verdict = _verdict(engine, entry, guessed=guessed)
        if verdict is not None:
            session.judged += 1
            for each in findings_of(name, entry, verdict, transcript=True, show_keys=show_keys):
                session.find(each, "validate", index)
    broken = {index: each for index, each in enumerate(entries) if each.decoded is None}
    cut = cut_by(log, broken.values(), end)
    if entries[1:]:
        lines_cut = frozenset() if cut is None else cut.lines
        session.take_back(
            {
                index
                for index, entry in broken.items()
                if entry.line in lines_cut or end.cuts(entry.text, entry.line)
            }
        )
    log.encoding = next(iter(encodings), log.encoding)
    session.notes += reading_notes(log, len(entries))
    unread: list[UnreadMessage] = []
    recording = record(
        entries,
        protocol,
        show_keys=show_keys,
        names_connections=named,
        unread=lambda error: unread.append(UnreadMessage.of(error)),
    )
    recording = as_shown(recording, log, end)
    reasons = [*filter(None, [elided(log)]), *unread_reasons(unread, log, end)]
    session.notes += [f"line {line} {reason}" for reason, line in reasons]
    session.notes += filter(None, [left_out(recording)])
    session.notes += version_notes(engine)
    if not recording.whole:
        session.forget(OF_ABSENCE)
    for finding in judge(recording, name):
        session.find(finding, "trace")
    return session


def _read(log: Log) -> Iterator[tuple[MessageText, bool]]:
    """The lines of a log as a transcript, and whether the sender of each is guessed."""
    guessed = log.guessed
    for entry in transcript_lines(log, time=True):
        yield entry, log.guessed > guessed
        guessed = log.guessed


def _line_of(places: MessagePlaces, read: tuple[MessageText, bool]) -> TranscriptLine:
    """A message as rules about the order of messages read it."""
    entry, _ = read
    position = places.position(entry.line, entry.number)
    try:
        return read_line(entry, position)
    except TranscriptError:
        return TranscriptLine(position, "", Side.PROXY, None)


def _verdict(
    engine: VersionedEngine, entry: MessageText, *, guessed: bool
) -> MessageVerdict | None:
    """The verdict on a line. A guessed sender is not held against the message."""
    read = attempt(entry.text)
    if guessed and isinstance(read, Decoded) and is_transcript_line(read.value):
        message = Decoded(read.text, read.value["message"], read.repeats)
        connection = read.value.get("connection")
        return engine.message(message, None, connection if is_id(connection) else "")
    return engine.verdict(read, None, transcript=True)


def write_page(session: SessionView, out: Path) -> None:
    """Write the page of a session whole, or not at all.

    Raises:
        OSError: it can't be written.
    """
    content = page(session).encode("utf-8")
    with whole_file(out) as draft:
        draft.write(content)


def write_failed_traces(
    folder: Path, outcomes: Sequence[TraceResult], replay: ReplayCommand
) -> list[str]:
    """Write a page for each trace that showed a requirement to be broken.

    Returns why that failed, if it did.
    """
    failed = [outcome for outcome in outcomes if outcome.broken and outcome.transcript]
    if not failed:
        return []
    protocol = reload(resources.SCHEMA)
    for outcome in failed:
        log = read(
            lines_of(BytesIO(outcome.transcript)), Hints(), lambda: callers_of(protocol.methods)
        )
        session = session_view(log, protocol, outcome.trace)
        session.notes += trace_notes(outcome, replay.of(outcome.trace))
        out = folder / f"{outcome.trace}.html"
        try:
            write_page(session, out)
        except OSError as error:
            return [f"not all pages are written: {unreadable(error, out)}"]
    return []
