"""What is beside a message in a value: its direction, its ends, its connection, its time."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from acp_wire.reader import JsonValue
from acpgen.logs.directions import flagged, is_direction, joined, opposite
from acpgen.logs.hints import tokens
from acpgen.logs.messages import ENVELOPE
from acpgen.logs.times import is_time

_DIGITS = re.compile(r"[\d:.,+TZ -]{1,60}")
_SHORT = 100
"""How many characters a name has at most."""

Members = Mapping[str, JsonValue]
Path = tuple[str, ...]

_FROM = ("from", "sender", "src", "source", "origin", "by", "side", "role")
_TO = ("to", "target", "dest", "destination", "recipient", "receiver", "dst")
_STATED = ("from", "sender")
"""What names the sender, whatever else is beside it."""
_ENDS = (*_STATED, *_TO)
_WAYS = ("dir", "direction", "way", "flow", "d")
_CONNECTIONS = (
    *("connection", "conn", "connectionid", "connection_id", "conn_id", "connid"),
    *("socket", "socket_id"),
)
_PROCESSES = ("pid", "channel", "channel_id")
"""What names a connection if nothing else does: it may be that of the logger as well."""
_TIMES = (
    *("ts", "time", "timestamp", "@timestamp", "t", "at", "date", "datetime", "elapsed"),
    *("__realtime_timestamp", "ms", "startedDateTime"),
)


@dataclass(frozen=True, slots=True)
class Token:
    """The text in a value that says which way its message goes, and the name it has there."""

    name: str
    text: str


def hinted(value: Members, pointer: str) -> Token | None:
    """Return the direction at a pointer."""
    found = pointed(dict(value), pointer)
    if isinstance(found, dict | list) or found is None:
        return None
    return Token(pointer, found if isinstance(found, str) else json.dumps(found))


def pointed(value: JsonValue, pointer: str) -> JsonValue:
    """Return what is at a pointer of objects; None if nothing is."""
    for token in tokens(pointer):
        if not isinstance(value, dict):
            return None
        value = value.get(token)
    return value


def token_of(level: Members, own: Path = ()) -> Token | None:
    """The direction in an object: found by the names of its members, or else by their values.

    What one member names and what another states of it belong together, as in a log of both ends:
    `{"service": "agent", "direction": "in"}` is what the agent receives.
    """
    found = _one_token_of(level, own)
    if found is None or found.name.strip("_@").lower() in _STATED:
        return found
    for name, member in level.items():
        if name in own or name in ENVELOPE or name == found.name or not isinstance(member, str):
            continue
        if name.strip("_@").lower() in _ENDS or not is_direction(member[:_SHORT]):
            continue
        if (text := joined(found.text, member)) is not None:
            return Token(name, text)
        if (text := joined(member, found.text)) is not None:
            return Token(found.name, text)
    return found


def _one_token_of(level: Members, own: Path) -> Token | None:
    loose: Token | None = None
    to: Token | None = None
    for name, member in level.items():
        if name in own or name in ENVELOPE:
            continue
        plain = name.strip("_@").lower()
        if isinstance(member, bool):
            way = flagged(name)
            if is_direction(way):
                return Token(name, way if member else opposite(way))
            continue
        if not isinstance(member, str | int) or len(str(member)) > _SHORT:
            continue
        if plain in _WAYS or plain in _FROM:
            return Token(name, str(member))
        if plain in _TO:
            to = Token(name, f"to {member}")
        elif isinstance(member, str) and is_direction(member) and loose is None:
            loose = Token(name, member)
    return loose or to


def members_of(level: Members, own: Path = (), *, inner: bool = False) -> dict[str, int | str]:
    """The members of an object that may name a connection: short texts and numbers, not times.

    An `inner` one, beside a message, may have an `id` that is not of a message.
    """
    return {
        name: member
        for name, member in level.items()
        if name not in own
        and (name not in ENVELOPE or (inner and name == "id"))
        and (type(member) is int or (isinstance(member, str) and 0 < len(member) <= _SHORT))
        and not is_time(member)
        and name.strip("_").lower() not in _TIMES
    }


def members_near(level: Members, own: Path = ()) -> dict[str, int | str]:
    """The members of an object that may name a connection, and those of the objects in it."""
    found = members_of(level, own)
    for name, member in level.items():
        if isinstance(member, dict) and name not in own and name not in ENVELOPE:
            found |= {
                f"{name}/{inner}": each for inner, each in members_of(member, inner=True).items()
            }
    return found


def pair_of(level: Members) -> tuple[str, str] | None:
    """Return both ends of a message, in the order of their names, where an object names them."""
    ends = [
        next((level[n] for n in names if isinstance(level.get(n), str)), None)
        for names in (_FROM[:4], _TO)
    ]
    first, second = ends
    if not isinstance(first, str) or not isinstance(second, str):
        return None
    return (first, second) if first < second else (second, first)


def connection_of(level: Members) -> JsonValue:
    """Return the connection that an object names."""
    return _first(level, _CONNECTIONS)


def process_of(level: Members) -> JsonValue:
    """Return the process that an object names, or the channel: of the connection, or of the log."""
    return _first(level, _PROCESSES)


def time_of(level: Members) -> JsonValue:
    """Return the time that an object has."""
    return _first(level, _TIMES)


def is_only_time(name: str, member: JsonValue) -> bool:
    """True for a time under the name of one, which shows nothing else about a message."""
    kind = type(member)
    if not (kind is int or kind is float or (kind is str and _DIGITS.fullmatch(str(member)))):
        return False
    return _is_one_of(name.strip("_").lower(), _TIMES)


def _first(level: Members, names: tuple[str, ...]) -> JsonValue:
    for name, member in level.items():
        if (
            _is_one_of(name, names)
            and isinstance(member, str | int | float)
            and not isinstance(member, bool)
        ):
            return member
    return None


@lru_cache(maxsize=1024)
def _is_one_of(name: str, names: tuple[str, ...]) -> bool:
    return name.strip("_").lower() in names or name.lower() in names
