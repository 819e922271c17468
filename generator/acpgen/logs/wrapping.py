"""Messages inside the values of a log, found by what the values look like.

A value is a message, or has one in a member (also as text), or is one whose envelope was taken
apart: `jsonrpc` left out, the result of a response under another name. Beside a message there may
be a direction or a sender, a connection and a time, each under any name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from acp_wire.pairing import Connection
from acp_wire.reader import JsonValue
from acpgen.logs.directions import is_direction, names_stream
from acpgen.logs.hints import Hints, tokens
from acpgen.logs.log_lines import as_bytes
from acpgen.logs.messages import ENVELOPE, is_bare, is_message, is_row
from acpgen.logs.packed_texts import texts
from acpgen.logs.prefixes import LONGEST, prefix_of
from acpgen.logs.rebuilding import kind_named, rebuilt
from acpgen.logs.scanning import BROKEN, CUT, blank, items, lines_above, members, value_at
from acpgen.logs.surroundings import (
    Members,
    Path,
    Token,
    connection_of,
    hinted,
    members_near,
    pair_of,
    pointed,
    process_of,
    time_of,
    token_of,
)
from acpgen.logs.times import is_time
from acpgen.logs.unit import Unit
from acpgen.logs.values import Values

_EVENTS = re.compile(r"(?:data|event|id|retry)?:")
"""The start of a text of server-sent events."""
_START = re.compile(r'\{\s*"(?:jsonrpc|id|method|result|error|params)"\s*:')
"""The start of a message within other text."""
_OBJECT = re.compile(r'\s*\{\s*"')
_DEPTH = 8
"""How deep in a value a message may be."""


@dataclass(frozen=True, slots=True)
class WrappedMessage:
    """A message in a value.

    `at` is the path of the message, `below` the number of lines from the start of the value to that
    of the message. `pair` are both ends, where the value names them, and `beside` the members that
    may name the connection.
    """

    text: str
    at: Path
    below: int = 0
    token: Token | None = None
    connection: Connection | None = None
    pair: tuple[str, str] | None = None
    beside: Mapping[str, int | str] = field(default_factory=dict)
    time: JsonValue = None
    rebuilt: bool = False


def messages_in(
    value: JsonValue, text: str, hints: Hints, known: Path | None = None
) -> list[WrappedMessage]:
    """Return the messages in an object and what is beside them; `text` is its JSON.

    `known` is the path of the messages of earlier values: what is there counts as one, too, unless
    it is other output.
    """
    if not isinstance(value, dict):
        return []
    if hints.message_at is not None:
        found = _at(value, text, tokens(hints.message_at))
    else:
        found = _found(value, text, known)
    around = [beside(each, value, hints) for each in found]
    if known is not None:
        around = [each for each in around if each.at != known or _is_meant(each)]
    return around if {"request", "response"} <= value.keys() else _once(around)


def _once(found: list[WrappedMessage]) -> list[WrappedMessage]:
    """The messages without those that the value has a second time, at another path."""
    kept: list[WrappedMessage] = []
    places: dict[str, dict[Path, int]] = {}
    for each in found:
        known = places.setdefault(each.text, {})
        same = next((index for at, index in known.items() if at != each.at), None)
        if same is None:
            known.setdefault(each.at, len(kept))
            kept.append(each)
        elif kept[same].token is None and each.token is not None:
            kept[same] = each
    return kept


def as_object(value: JsonValue, text: str) -> tuple[JsonValue, str]:
    """A row of a table as an object, whose members are its cells, and the JSON of that.

    The first cell that looks like a time is `time`, and the others are called by their index, so
    that a pointer finds them. Another value stays as it is.
    """
    if not isinstance(value, list) or not is_row(value):
        return value, text
    found: dict[str, JsonValue] = {}
    pieces, at = ["{"], blank(text, 0) + 1
    for number, (item, (start, end)) in enumerate(
        zip(value, items(text, blank(text, 0)), strict=False)
    ):
        name = "time" if "time" not in found and is_time(item) else str(number)
        found[name] = item
        pieces.append(f'{text[at:start]}"{name}":{text[start:end]}')
        at = end
    return found, "".join([*pieces, "}"])


def _is_meant(found: WrappedMessage) -> bool:
    """True if what is in the place of messages is one, perhaps a broken one, and no other output.

    Without the members of a message, it needs a direction. The name of a stream is not one there,
    for other output has it as well.
    """
    text = found.text
    if '"jsonrpc"' in text:
        return True
    value, _ = value_at(text, blank(text, 0))
    if value is BROKEN or value is CUT:
        return _OBJECT.match(text) is not None
    if is_bare(value) or (isinstance(value, list) and any(map(is_bare, value))):
        return True
    if isinstance(value, dict) and _is_extended(value):
        return True
    return found.token is not None and not names_stream(found.token.text)


def _is_extended(value: Members) -> bool:
    """True for a request or a response without `jsonrpc` that has a member more than a message."""
    if "id" not in value or len(value.keys() - ENVELOPE) != 1:
        return False
    if isinstance(value.get("method"), str):
        return isinstance(value.get("params"), dict)
    return any(isinstance(value.get(name), dict) for name in ("result", "error"))


def is_har(value: object) -> bool:
    """True if a value is an HTTP archive: the requests of a browser, with their responses."""
    log = value.get("log") if isinstance(value, dict) else None
    return isinstance(log, dict) and isinstance(log.get("entries"), list)


def _found(value: Members, text: str, known: Path | None) -> list[WrappedMessage]:
    answers = "id" in value and ("result" in value or "error" in value)
    shell = answers or isinstance(value.get("method"), str) or kind_named(value) is not None
    if shell and not is_message(dict(value)) and not _wraps(value, known):
        whole = rebuilt(value, text)
        if whole is not None:
            return [WrappedMessage(whole[0], (), whole[1], rebuilt=True)]
    return list(_search(value, text, 0, (), known))


def _wraps(value: Members, known: Path | None) -> bool:
    """True if a member of an object, apart from those of a message, is a message."""
    return any(
        is_message(member)
        or (isinstance(member, str) and _holds_message(member, expected=(name,) == known))
        for name, member in value.items()
        if name not in ENVELOPE
    )


def _at(value: JsonValue, text: str, path: Path) -> list[WrappedMessage]:
    at = blank(text, 0)
    end = len(text)
    for token in path:
        if not isinstance(value, dict) or token not in value:
            return []
        at, end = members(text, at)[token]
        value = value[token]
    if isinstance(value, str):
        found = _in_text(value, path, text.count("\n", 0, at), expected=True)
        return [each for each in found if _is_meant(each)] if _may_be_meant(value) else []
    return [WrappedMessage(text[at:end], path, text.count("\n", 0, at))]


def _search(
    value: Members, text: str, at: int, path: Path, known: Path | None
) -> Iterator[WrappedMessage]:
    """The messages in an object: itself, or those in its members."""
    at = blank(text, at)
    if is_message(dict(value)) or (not path and is_bare(dict(value))):
        _, end = value_at(text, at)
        yield WrappedMessage(text[at:end], path, text.count("\n", 0, at))
        return
    if len(path) >= _DEPTH:
        return
    places: dict[str, tuple[int, int]] | None = None
    for name, member in texts(value):
        here = (*path, name)
        if here == known or _may_hold(member, behind=known is None):
            places = places or members(text, at)
            if isinstance(member, list) and _is_sent(value, here, known):
                start, end = places[name]
                yield WrappedMessage(text[start:end], here, text.count("\n", 0, start))
            else:
                yield from _in_member(member, text, places[name], here, known)


def _is_sent(value: Members, at: Path, known: Path | None) -> bool:
    """True if what is at a path was sent as it is: then an array there is a batch, not a log."""
    return at == known or token_of(value, at[-1:]) is not None or pair_of(value) is not None


def _may_hold(member: JsonValue, *, behind: bool) -> bool:
    """True if a member is a message, or has one in it, also `behind` other text."""
    if isinstance(member, str):
        return _holds_message(member, expected=False) or (behind and _start_behind(member) > 0)
    if isinstance(member, list):
        return any(map(is_message, member))
    return isinstance(member, dict) and bool(member) and _hides_message(member)


def _in_member(
    member: JsonValue, text: str, span: tuple[int, int], here: Path, known: Path | None
) -> Iterator[WrappedMessage]:
    start, end = span
    if isinstance(member, str):
        expected = here == known
        if (known is None or _holds_message(member, expected=False)) or (
            expected and _may_be_meant(member)
        ):
            below = text.count("\n", 0, start)
            yield from _in_text(member, here, below, expected=expected)
    elif isinstance(member, dict):
        if here == known or is_message(member) or _is_stripped(member):
            yield WrappedMessage(text[start:end], here, text.count("\n", 0, start))
        else:
            yield from _search(member, text, start, here, known)
    elif isinstance(member, list):
        spans = items(text, start)
        for (first, last), below in zip(spans, lines_above(text, spans), strict=True):
            yield WrappedMessage(text[first:last], here, below)


def _may_be_meant(text: str) -> bool:
    """True if a text in the place of messages has an object, or a part of a message."""
    return "{" in text or '"jsonrpc"' in text


def _in_text(
    text: str, at: Path, below: int, *, expected: bool = False
) -> Iterator[WrappedMessage]:
    """The message that a string is, or has behind a prefix, or those in its lines or events.

    Where it is `expected`, it may lack `jsonrpc`.
    """
    several = [*_in_lines(text, at, below)] if text.count('"jsonrpc"') > 1 else []
    if len(several) > 1:
        yield from several
        return
    behind = _start_behind(text, expected=expected)
    if behind > 0:
        prefix = prefix_of(text[:behind])
        token = None if prefix.direction is None else Token("/".join(at), prefix.direction)
        value, end = value_at(text, behind)
        end = len(text) if value is BROKEN or value is CUT else end
        yield WrappedMessage(text[behind:end].strip(), at, below, token, time=prefix.time)
        return
    if not _is_event(text):
        inner, _ = value_at(text, blank(text, 0))
        nested: list[WrappedMessage] = []
        if isinstance(inner, dict) and not is_message(inner):
            nested = messages_in(inner, text, Hints())
        for each in nested:
            yield replace(each, at=(*at, *each.at), below=below)
        if not nested:
            yield WrappedMessage(text.strip(), at, below)
        return
    lines = enumerate(as_bytes(text).splitlines(keepends=True), 1)
    for unit in Values(lines, len(text) + 1, "sse"):
        if unit.text:
            yield WrappedMessage(unit.text, at, below)


def _in_lines(text: str, at: Path, below: int) -> Iterator[WrappedMessage]:
    """The messages in a string that has several, each perhaps behind a prefix."""
    lines = enumerate(as_bytes(text).splitlines(keepends=True), 1)
    for unit in Values(lines, len(text) + 1, whole=False):
        if unit.text and '"jsonrpc"' in unit.text:
            prefix = prefix_of(unit.prefix)
            way = prefix.direction
            token = None if way is None else Token("/".join(at), way)
            yield WrappedMessage(unit.text, at, below, token, time=prefix.time)


def _start_behind(text: str, *, expected: bool = False) -> int:
    """Where the message in a text starts that begins with other text; 0 if there is none."""
    if text[:200].lstrip().startswith("{") or _is_event(text):
        return 0
    if '"jsonrpc"' not in text and not expected:
        return 0
    found = _START.search(text, 0, LONGEST)
    return 0 if found is None else found.start()


def _is_event(text: str) -> bool:
    return _EVENTS.match(text[:200].lstrip()) is not None


def _holds_message(text: str, expected: bool) -> bool:
    """True if a string is the text of a message, whole or cut off."""
    start = text[:200].lstrip()
    if not start.startswith("{"):
        return _EVENTS.match(start) is not None and '"jsonrpc"' in text
    named = '"jsonrpc"' in text or '\\"jsonrpc\\"' in text
    return named or (expected and start[1:].lstrip().startswith('"'))


def _hides_message(value: Members, depth: int = 0) -> bool:
    if is_message(dict(value)) or _is_stripped(value):
        return True
    return depth < _DEPTH and any(
        (isinstance(member, dict) and _hides_message(member, depth + 1))
        or (
            isinstance(member, str)
            and (_holds_message(member, expected=False) or _start_behind(member) > 0)
        )
        or (isinstance(member, list) and any(map(is_message, member)))
        for _, member in texts(value)
    )


def _is_stripped(value: Members) -> bool:
    """True if a member is a message without `jsonrpc`."""
    if not value.keys() <= ENVELOPE:
        return False
    calls = isinstance(value.get("method"), str) and ("params" in value or "id" in value)
    return calls or ("id" in value and ("result" in value or "error" in value))


def beside(found: WrappedMessage, value: Members, hints: Hints) -> WrappedMessage:
    """The message with what its value and the objects around it show."""
    levels: list[Members] = [value]
    for name in found.at[:-1]:
        inner = levels[-1].get(name)
        if isinstance(inner, dict):
            levels.append(inner)
    own = found.at[-1:] or ()
    token, time = found.token, found.time
    pair = connection = None
    for level in reversed(levels):
        token = token or token_of(level, own)
        pair = pair or pair_of(level)
        connection = connection_of(level) if connection is None else connection
        time = time_of(level) if time is None else time
    if token is None and not any(isinstance(level.get(own[0]), list) for level in levels if own):
        token = next((Token(name, name) for name in reversed(found.at) if is_direction(name)), None)
    if hints.sender_at is not None:
        token = hinted(value, hints.sender_at)
    if hints.connection_at is not None:
        connection = pointed(dict(value), hints.connection_at)
    near: dict[str, int | str] = {}
    process: JsonValue = None
    is_open = pair is None and (connection is None or hints.connection_at is None)
    for level in levels if is_open else ():
        near |= members_near(level, own)
        process = process_of(level) if process is None else process
    connection = process if connection is None else connection
    label = connection if isinstance(connection, str) or type(connection) is int else None
    return WrappedMessage(
        found.text, found.at, found.below, token, label, pair, near, time, found.rebuilt
    )


def sharing(unit: Unit, found: list[WrappedMessage]) -> Unit:
    """The unit, marked if several of its messages are on one line."""
    several = len({each.below for each in found}) < len(found)
    return replace(unit, shares_line=True) if several else unit
