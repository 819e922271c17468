"""Messages inside the values of a log, found by what the values look like.

A value is a message, or has one in a member (also as text), or is one whose envelope was taken
apart: `jsonrpc` left out, the result of a response under another name. Beside a message there may
be a direction or a sender, a connection and a time, each under any name.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from acp_wire.pairing import Connection
from acpgen.logs.directions import is_direction
from acpgen.logs.hints import Hints, tokens
from acpgen.logs.messages import ENVELOPE, is_bare, is_message
from acpgen.logs.scanning import blank, items, members, value_at
from acpgen.logs.values import Values
from acpgen.model import JsonValue

Members = Mapping[str, JsonValue]
Path = tuple[str, ...]

_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("request", "req", "call"), "request"),
    **dict.fromkeys(("notification", "notify", "notif"), "notification"),
    **dict.fromkeys(("response", "resp", "res", "reply", "result"), "response"),
    **dict.fromkeys(("error", "error_response", "errorresponse"), "error"),
}
_KIND_NAMES = ("type", "kind", "messagetype", "message_type", "msgtype", "msg_type", "rpctype")
_PAYLOADS = ("params", "payload", "body", "data", "arguments", "content", "message", "value")
_IDS = ("id", "requestId", "request_id", "rpcId", "rpc_id")
_FAILED = ("is_error", "isError", "failed")
_FROM = ("from", "sender", "src", "source", "origin", "by", "side", "role")
_TO = ("to", "target", "dest", "destination", "recipient", "receiver", "dst")
_WAYS = ("dir", "direction", "way", "flow", "d")
_CONNECTIONS = (
    *("connection", "conn", "connectionid", "connection_id", "conn_id", "connid"),
    *("channel", "channel_id", "pid", "socket", "socket_id"),
)
_TIMES = (
    *("ts", "time", "timestamp", "@timestamp", "t", "at", "date", "datetime", "elapsed"),
    *("__realtime_timestamp", "ms", "startedDateTime"),
)
_EVENTS = re.compile(r"(?:data|event|id|retry)?:")
"""The start of a text of server-sent events."""
_DEPTH = 4
"""How deep in a value a message may be."""


@dataclass(frozen=True, slots=True)
class Token:
    """The text in a value that says which way its message goes, and the name it has there."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class WrappedMessage:
    """A message in a value.

    `at` is the path of the message, `below` the number of lines from the start of the value to that
    of the message. `pair` are both ends, where the value names them.
    """

    text: str
    at: Path
    below: int = 0
    token: Token | None = None
    connection: Connection | None = None
    pair: tuple[str, str] | None = None
    time: JsonValue = None
    rebuilt: bool = False


def messages_in(
    value: JsonValue, text: str, hints: Hints, known: Path | None = None
) -> list[WrappedMessage]:
    """Return the messages in an object and what is beside them; `text` is its JSON.

    `known` is the path of the messages of earlier values: what is there counts as one, too, if it
    goes somewhere.
    """
    if not isinstance(value, dict):
        return []
    if hints.message_at is not None:
        found = _at(value, text, tokens(hints.message_at))
    else:
        found = _found(value, text, known)
    return [_beside(each, value, hints) for each in found]


def lists_in(value: JsonValue, text: str, hints: Hints) -> list[list[tuple[int, str]]]:
    """Return the lists of messages inside a value, as the WebSockets of a HAR file have them.

    An item is the number of lines above it in the text, and its JSON.
    """
    found: list[list[tuple[int, str]]] = []
    pending: list[tuple[JsonValue, int, int]] = [(value, blank(text, 0), 0)]
    while pending:
        inner, at, depth = pending.pop()
        if depth > 2 * _DEPTH:
            continue
        if isinstance(inner, list):
            spans = items(text, at)
            if any(
                messages_in(item, text[start:end], hints)
                for item, (start, end) in zip(inner, spans, strict=False)
                if isinstance(item, dict)
            ):
                found.append(
                    [(text.count("\n", 0, start), text[start:end]) for start, end in spans]
                )
            else:
                pending += [
                    (item, start, depth + 1)
                    for item, (start, _) in reversed([*zip(inner, spans, strict=False)])
                    if isinstance(item, dict | list)
                ]
        elif isinstance(inner, dict):
            places = members(text, at)
            pending += [
                (inner[name], start, depth + 1)
                for name, (start, _) in reversed(places.items())
                if isinstance(inner[name], dict | list)
            ]
    return found


def is_har(value: object) -> bool:
    """Whether a value is an HTTP archive: the requests of a browser, with their responses."""
    log = value.get("log") if isinstance(value, dict) else None
    return isinstance(log, dict) and isinstance(log.get("entries"), list)


def _found(value: Members, text: str, known: Path | None) -> list[WrappedMessage]:
    answers = "id" in value and ("result" in value or "error" in value)
    shell = answers or isinstance(value.get("method"), str) or _kind(value) is not None
    if shell and not is_message(dict(value)) and not _wraps(value, known):
        rebuilt = list(_rebuilt(value, text))
        if rebuilt:
            return rebuilt
    return list(_search(value, text, 0, (), known))


def _wraps(value: Members, known: Path | None) -> bool:
    """Whether a member of an object, apart from those of a message, is a message."""
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
        return [*_in_text(value, path, text.count("\n", 0, at))]
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
    for name, member in _texts(value):
        here = (*path, name)
        if here == known or _may_hold(member):
            places = places or members(text, at)
            yield from _in_member(member, text, places[name], here, known)


def _may_hold(member: JsonValue) -> bool:
    """Whether a member is a message, or has one in it."""
    if isinstance(member, str):
        return _holds_message(member, expected=False)
    if isinstance(member, list):
        return any(map(is_message, member))
    return isinstance(member, dict) and bool(member) and _hides_message(member)


def _in_member(
    member: JsonValue, text: str, span: tuple[int, int], here: Path, known: Path | None
) -> Iterator[WrappedMessage]:
    start, end = span
    if isinstance(member, str):
        if _holds_message(member, expected=here == known):
            yield from _in_text(member, here, text.count("\n", 0, start))
    elif isinstance(member, dict):
        if here == known or is_message(member) or _is_stripped(member):
            yield WrappedMessage(text[start:end], here, text.count("\n", 0, start))
        else:
            yield from _search(member, text, start, here, known)
    elif isinstance(member, list):
        for first, last in items(text, start):
            yield WrappedMessage(text[first:last], here, text.count("\n", 0, first))


def _texts(value: Members) -> Iterator[tuple[str, JsonValue]]:
    """The members of an object; the text of a HAR body that is in base64 is decoded."""
    packed = value.get("encoding") == "base64"
    for name, member in value.items():
        if packed and name == "text" and isinstance(member, str):
            try:
                yield name, base64.b64decode(member).decode("utf-8", "replace")
            except ValueError:
                yield name, member
        else:
            yield name, member


def _in_text(text: str, at: Path, below: int) -> Iterator[WrappedMessage]:
    """The message that a string is, or those in its server-sent events."""
    if _EVENTS.match(text.lstrip()) is None:
        yield WrappedMessage(text.strip(), at, below)
        return
    lines = enumerate(text.encode("utf-8", "surrogateescape").splitlines(keepends=True), 1)
    for unit in Values(lines, len(text) + 1, "sse"):
        if unit.text:
            yield WrappedMessage(unit.text, at, below)


def _holds_message(text: str, expected: bool) -> bool:
    """Whether a string is the text of a message, whole or cut off."""
    start = text[:200].lstrip()
    if not start.startswith("{"):
        return _EVENTS.match(start) is not None and '"jsonrpc"' in text
    return '"jsonrpc"' in text or (expected and start[1:].lstrip().startswith('"'))


def _hides_message(value: Members, depth: int = 0) -> bool:
    if is_message(dict(value)) or _is_stripped(value):
        return True
    return depth < _DEPTH and any(
        (isinstance(member, dict) and _hides_message(member, depth + 1))
        or (isinstance(member, str) and _holds_message(member, expected=False))
        or (isinstance(member, list) and any(map(is_message, member)))
        for _, member in _texts(value)
    )


def _is_stripped(value: Members) -> bool:
    """Whether a member is a message without `jsonrpc`."""
    if not value.keys() <= ENVELOPE:
        return False
    calls = isinstance(value.get("method"), str) and ("params" in value or "id" in value)
    return calls or ("id" in value and ("result" in value or "error" in value))


def _rebuilt(value: Members, text: str) -> Iterator[WrappedMessage]:
    """The message in an object that has the parts of one, beside a direction, a kind or a time."""
    kind = _kind(value)
    method = value.get("method")
    calls = isinstance(method, str)
    answers = any(value.get(name) is not None for name in ("result", "error"))
    if not calls and kind is None and not (answers and "id" in value):
        return
    if kind is None and _token(value) is None:
        return
    if kind is None:
        kind = "response" if answers else "request"
    places = members(text, blank(text, 0))
    id_ = next((name for name in _IDS if value.get(name) is not None), None)
    if kind in ("response", "error"):
        member, payload = _answer(value, kind)
        if payload is None or id_ is None:
            return
        parts = [(places[id_], '"id":'), (places[payload], f'"{member}":')]
    else:
        if not calls:
            return
        parts = [(places["method"], '"method":')]
        if id_ is not None and kind != "notification":
            parts.append((places[id_], '"id":'))
        payload = next((n for n in _PAYLOADS if isinstance(value.get(n), dict | list)), None)
        if payload is not None:
            parts.append((places[payload], '"params":'))
    rebuilt, below = _joined(text, sorted(parts))
    yield WrappedMessage(rebuilt, (), below, rebuilt=True)


def _joined(text: str, parts: list[tuple[tuple[int, int], str]]) -> tuple[str, int]:
    """A message of parts of a text, each on the line that it has there, and the line of the first.

    Lines count from that of the start of the text.
    """
    start = parts[0][0][0]
    pieces, at = ['{"jsonrpc":"2.0"'], start
    for (begin, end), name in parts:
        pieces.append("\n" * text.count("\n", at, begin))
        pieces.append(f",{name}{text[begin:end]}")
        at = end
    return "".join(pieces) + "}", text.count("\n", 0, start)


def _answer(value: Members, kind: str) -> tuple[str, str | None]:
    """The member that a response has, and the member of the value that it is made from."""
    if value.get("error") is not None and not isinstance(value["error"], bool):
        return "error", "error"
    if "result" in value:
        return "result", "result"
    payload = next((name for name in _PAYLOADS if name in value), None)
    if payload is None:
        return "result", None
    flags = [value[name] for name in _FAILED if isinstance(value.get(name), bool)]
    failed = kind == "error" or (flags[0] if flags else _is_error(value[payload]))
    return ("error" if failed else "result"), payload


def _is_error(value: JsonValue) -> bool:
    return (
        isinstance(value, dict)
        and type(value.get("code")) is int
        and isinstance(value.get("message"), str)
        and value.keys() <= {"code", "message", "data"}
    )


def _kind(value: Members) -> str | None:
    for name, member in value.items():
        if name.strip("_").lower() in _KIND_NAMES and isinstance(member, str):
            found = _KINDS.get(member.lower())
            if found is not None:
                return found
    return None


def _beside(found: WrappedMessage, value: Members, hints: Hints) -> WrappedMessage:
    """The message with what its value and the objects around it show."""
    levels: list[Members] = [value]
    for name in found.at[:-1]:
        inner = levels[-1].get(name)
        if isinstance(inner, dict):
            levels.append(inner)
    own = found.at[-1:] or ()
    token = pair = connection = time = None
    for level in reversed(levels):
        token = token or _token(level, own)
        pair = pair or _pair(level)
        connection = _first(level, _CONNECTIONS) if connection is None else connection
        time = _first(level, _TIMES) if time is None else time
    if hints.sender_at is not None:
        token = _hinted(value, hints.sender_at)
    if hints.connection_at is not None:
        connection = _pointed(dict(value), hints.connection_at)
    label = connection if isinstance(connection, str) or type(connection) is int else None
    return replace(found, token=token, connection=label, pair=pair, time=time)


def _hinted(value: Members, pointer: str) -> Token | None:
    found = _pointed(dict(value), pointer)
    if isinstance(found, dict | list) or found is None:
        return None
    return Token(pointer, found if isinstance(found, str) else json.dumps(found))


def _pointed(value: JsonValue, pointer: str) -> JsonValue:
    for token in tokens(pointer):
        if not isinstance(value, dict):
            return None
        value = value.get(token)
    return value


def _token(level: Members, own: Path = ()) -> Token | None:
    """The direction in an object: by the names that they have, and else by its look."""
    loose: Token | None = None
    to: Token | None = None
    for name, member in level.items():
        if name in own or name in ENVELOPE:
            continue
        plain = name.strip("_@").lower()
        if isinstance(member, bool):
            if is_direction(name):
                return Token(name, name if member else f"not {name}")
            continue
        if not isinstance(member, str | int) or len(str(member)) > 100:
            continue
        if plain in _WAYS or plain in _FROM:
            return Token(name, str(member))
        if plain in _TO:
            to = Token(name, f"to {member}")
        elif isinstance(member, str) and is_direction(member) and loose is None:
            loose = Token(name, member)
    return loose or to


def _pair(level: Members) -> tuple[str, str] | None:
    ends = [
        next((level[n] for n in names if isinstance(level.get(n), str)), None)
        for names in (_FROM[:4], _TO)
    ]
    first, second = ends
    if not isinstance(first, str) or not isinstance(second, str):
        return None
    return (first, second) if first < second else (second, first)


def _first(level: Members, names: tuple[str, ...]) -> JsonValue:
    for name, member in level.items():
        plain = name.strip("_").lower()
        named = plain in names or name.lower() in names
        if named and isinstance(member, str | int | float) and not isinstance(member, bool):
            return member
    return None
