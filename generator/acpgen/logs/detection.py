"""Finding out whether a log has one of the two canonical shapes, and where it begins."""

from __future__ import annotations

from itertools import chain
from typing import Protocol

from acp_wire.envelope import SENDERS
from acp_wire.reader import BLANK, BROKEN, peek
from acp_wire.transcript_line import is_transcript_line
from acpgen.logs import scanning
from acpgen.logs.hints import Hints
from acpgen.logs.line_reader import BETWEEN
from acpgen.logs.log_lines import LINE_LIMIT, Lines
from acpgen.logs.message_lists import lists_in
from acpgen.logs.messages import is_bare, is_message
from acpgen.logs.prefixes import LONGEST, prefix_of
from acpgen.logs.rejoining import begins_message
from acpgen.logs.scanning import CUT, value_at
from acpgen.logs.titled_parts import title_of
from acpgen.logs.unit import has_notation
from acpgen.logs.values import Values
from acpgen.logs.wrapping import as_object, messages_in

_TRANSCRIPT = frozenset({"from", "message", "connection", "time"})
"""The members of a line of a transcript."""
_HEAD = 1000
"""How many lines of a log that starts with broken messages are held until one can be read."""


class Beginning(Protocol):
    """The log of which the beginning is found."""

    def pass_over(self, number: int, text: bytes) -> None: ...  # noqa: D102
    def begins(self, lines: Lines, shape: str | None = None, *, alone: bool = False) -> None: ...  # noqa: D102


def detect(
    log: Beginning, lines: Lines, hints: Hints, *, one_sided: bool = False, page: bool = False
) -> None:
    """Read lines until one shows the shape of the log.

    Lines of other output before it are passed over. No more lines are read than that needs. The
    only line is a message, unless it is the line of a logger or from a `page`; with `one_sided` it
    always is.
    """
    head: list[tuple[int, bytes]] = []
    filled = ((number, text) for number, text in lines if text.strip(BLANK))
    seen, first = 0, (0, b"")
    for number, text in filled:
        seen += 1
        first = (number, text) if seen == 1 else first
        shape = _shape(text, hints)
        if shape is not None:
            log.begins(chain(head, [(number, text)], lines), shape)
            return
        if _is_broken(text) and len(head) < _HEAD and not holds_several(text):
            head.append((number, text))
            if not _may_go_on(text):
                continue
            following = next(filled, None)
            if following is None:
                break
            filled = chain([following], filled)  # type: ignore[assignment]
            if _shape(following[1], hints) is None:
                log.begins(chain(head, filled))
                return
            log.begins(chain(head, filled), _shape(following[1], hints))
            return
        if head or has_message(number, text, hints):
            log.begins(chain(head, [(number, text)], filled))
            return
        log.pass_over(number, text)
    if seen == 1 and (one_sided or not (page or _is_log_line(first[1]) or _is_foreign(first[1]))):
        log.begins(iter([first]), "lines", alone=True)
    else:
        log.begins(iter(head))


def _shape(text: bytes, hints: Hints) -> str | None:
    """The canonical shape that a line has."""
    value = peek(text)
    if _is_transcript(value) or hints.shape == "transcript":
        return "transcript"
    return "lines" if _is_plain(value) or hints.shape == "lines" else None


def _is_log_line(text: bytes) -> bool:
    """True if a line is not JSON, and doesn't start as an object, an array or a string."""
    return peek(text) is BROKEN and not text.lstrip().startswith((b"{", b"[", b'"'))


def _is_foreign(text: bytes) -> bool:
    """True if a line is a message as a program prints it."""
    return peek(text) is BROKEN and has_notation(text.decode("utf-8", "surrogateescape"))


def _is_broken(text: bytes) -> bool:
    """True if a line starts as a message does and is not JSON."""
    return peek(text) is BROKEN and _starts_message(text)


def _is_transcript(value: object) -> bool:
    if not is_transcript_line(value):
        return False
    connection = value.get("connection")
    if not value.keys() <= _TRANSCRIPT and connection is None:
        return False  # one of the other members may name the connection
    return value["from"] in SENDERS and (connection is None or type(connection) in (int, str))


def _is_plain(value: object) -> bool:
    """True if a value is a message without anything beside it that says who sent it."""
    if is_message(value):
        found = messages_in(value, "{}", Hints()) if _has_more(value) else []  # type: ignore[arg-type]
        return not found or found[0].token is None
    return is_bare(value)


def _has_more(value: object) -> bool:
    return isinstance(value, dict) and not value.keys() <= {
        *("jsonrpc", "id", "method", "params", "result", "error", "_meta")
    }


def _starts_message(text: bytes) -> bool:
    start = text.lstrip()
    return start.startswith(b"{") and start[1:].lstrip()[:1] in (b'"', b"")


def _may_go_on(text: bytes) -> bool:
    """True if a broken line may be the first of a value that spans lines."""
    shown = text.decode("utf-8", "surrogateescape")
    return value_at(shown, shown.index("{"))[0] is CUT


def holds_several(text: bytes) -> bool:
    """True if a line has several messages, one after another."""
    shown = text.decode("utf-8", "surrogateescape")
    value, end = value_at(shown, shown.index("{"))
    if value is scanning.BROKEN or value is CUT:
        return False
    following = shown.find("{", end)
    if following < 0 or shown[end:following].strip(BETWEEN):
        return False
    return is_message(value_at(shown, following)[0])


def has_message(number: int, text: bytes, hints: Hints) -> bool:
    """True if a line that is not in a canonical shape has a message, or the start of a shape."""
    stripped = text.strip()
    if _opens(stripped, hints):
        return True
    if b"{" not in text:
        return False
    one = text if text.endswith(b"\n") else text + b"\n"
    for unit in Values(iter([(number, one)]), LINE_LIMIT):
        if unit.shape == "sse":
            return True
        if unit.value is BROKEN or unit.value is scanning.BROKEN:
            if unit.text:
                return True
            continue
        value, row = as_object(unit.value, unit.text)  # type: ignore[arg-type] # it is not BROKEN
        if messages_in(value, row, hints) or (row and lists_in(value, row, hints)):
            return True
        if begins_message(unit):
            return True
    return False


def _opens(line: bytes, hints: Hints) -> bool:
    """True if a message may start on a line and go on below it."""
    if line.startswith(b"[") and line[1:].lstrip()[:1] in (b"", b"{", b"["):
        return True
    if line.lower().startswith(b"content-length:"):
        return True
    if title_of(line[:LONGEST].decode("utf-8", "replace")) is not None:
        return True
    if not line.endswith(b"{") or len(line) > LONGEST:
        return False
    before = line[:-1].decode("utf-8", "replace").strip()
    if before.endswith((":", "=", '"', "|")):  # such as `message: {`, or a cell of CSV
        return True
    prefix = prefix_of(before, hints.client)
    return prefix.direction is not None or prefix.time is not None
