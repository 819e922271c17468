"""From the messages that were found in the values of a log to its items.

Most values of a log look like the one before. `plain` takes those in one step: a message behind a
prefix, and an object with the members of the last one that had its message in a member.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from acp_wire.pairing import Connection
from acp_wire.reader import JsonValue
from acpgen.logs.cut_lengths import Longest
from acpgen.logs.hints import Hints
from acpgen.logs.log_lines import as_bytes
from acpgen.logs.log_reading import LogReading
from acpgen.logs.messages import ENVELOPE, is_message
from acpgen.logs.packed_texts import PACKED
from acpgen.logs.prefixes import Prefix, prefix_of
from acpgen.logs.rebuilding import kind_named
from acpgen.logs.scanning import BROKEN, CUT, members, value_at
from acpgen.logs.settling import LogItem
from acpgen.logs.surroundings import Path, Token, is_only_time, time_of
from acpgen.logs.unit import Unit
from acpgen.logs.wrapping import WrappedMessage, beside

_SCHEMA = frozenset({"$schema", "$defs", "openrpc"})
_PLAIN = frozenset({"lines", "prefixed"})
_NO_PREFIX = Prefix()
_PACKING = re.compile("[\"'{]|eyJ")
"""What a text has that may be or hold an object, also one in base64."""
_KEPT = 256
"""Of how many different surroundings it is kept what they show."""
_PREFIXES = 1000
"""How many different prefixes of messages are kept."""
_SHORT = 200
"""How many characters a text beside a message has at most that is passed over unread."""


class LogItems:
    """Makes the items of one log. `known` is the path of its messages, as the last ones had it.

    Of the prefixes of its messages that have a direction, the words are kept.
    """

    def __init__(self, hints: Hints, reading: LogReading, lengths: Longest) -> None:
        self.known: Path | None = None
        self._prefixes: set[tuple[str, ...]] = set()
        self._forms: set[tuple[str, ...]] = set()
        self._hints, self._reading, self._lengths = hints, reading, lengths
        self._with_version = False
        self._pairs: dict[tuple[str, str], Connection] = {}
        self._names: tuple[str, ...] = ()
        self._near: dict[tuple[tuple[type, object], ...], WrappedMessage] = {}
        self._is_quick = hints.message_at is None
        self._is_unnamed = hints.sender_at is None and hints.connection_at is None

    def plain(self, unit: Unit) -> LogItem | None:
        """Return the item of a value that needs no search for messages; None for all others."""
        value = unit.value
        if not self._is_quick or unit.shape not in _PLAIN or not isinstance(value, dict):
            return None
        prefix = prefix_of(unit.prefix, self._hints.client) if unit.prefix else _NO_PREFIX
        if value.keys() <= ENVELOPE:
            if not is_message(value):
                return None
            found = WrappedMessage(unit.text, ())
            if not self._is_unnamed:
                found = beside(found, value, self._hints)
            message: JsonValue = value
        else:
            wrapped = self._like_last(value, unit.text)
            if wrapped is None:
                return None
            found, message = wrapped
        self.note(prefix)
        return self._made(found, unit, prefix, message)

    def note(self, prefix: Prefix) -> None:
        """Note the prefix of a message."""
        known = self._prefixes
        if prefix.direction is None or prefix.words in known or len(known) >= _PREFIXES:
            return
        known.add(prefix.words)
        self._forms.add(prefix.form)

    def is_like_those_of_messages(self, prefix: Prefix) -> bool:
        """True for a prefix with a direction that has the words of one with a message."""
        return prefix.direction is not None and prefix.form in self._forms

    def found(self, found: WrappedMessage, unit: Unit, prefix: Prefix) -> Iterator[LogItem]:
        """Yield the item of a message that was found in a value."""
        if found.at and not found.rebuilt and found.token is not None:
            self.known = found.at
            self._learn(unit.value)
        yield self.item(found, unit, prefix)

    def item(self, found: WrappedMessage, unit: Unit, prefix: Prefix) -> LogItem:
        """Return the item of a message."""
        read, _ = value_at(found.text, 0)
        broken = read is BROKEN or read is CUT
        return self._made(found, unit, prefix, None if broken else read)  # type: ignore[arg-type]

    def _learn(self, value: object) -> None:
        """Note the names of an object that has its message in a member, if they show that alone."""
        known = self.known or ()
        self._names = ()
        if len(known) == 1 and isinstance(value, dict) and isinstance(value.get(known[0]), dict):
            apart = ENVELOPE | PACKED | _SCHEMA
            if value.keys().isdisjoint(apart) and not {"request", "response"} <= value.keys():
                self._names = (*value,)
            self._near.clear()

    def _like_last(
        self, value: dict[str, JsonValue], text: str
    ) -> tuple[WrappedMessage, JsonValue] | None:
        """The message in an object that has it where the last one had it, and nothing else."""
        known = self.known
        if known is None or (*value,) != self._names or not is_message(value[known[0]]):
            return None
        others = _others(value, known[0])
        near = self._near.get(others)
        if near is None and (kind_named(value) is not None or not all(map(_is_short, others))):
            return None
        start, end = members(text, 0)[known[0]]
        own = text[start:end]
        if '"jsonrpc"' not in own:
            return None
        if near is None:
            near = beside(WrappedMessage("", known), value, self._hints)
            if self._is_unnamed and len(self._near) < _KEPT:
                self._near[others] = near
        time = time_of(value)
        found = WrappedMessage(
            own, known, 0, near.token, near.connection, near.pair, near.beside, time
        )
        return found, value[known[0]]

    def _made(self, found: WrappedMessage, unit: Unit, prefix: Prefix, value: JsonValue) -> LogItem:
        text = found.text
        self._lengths.add(unit.line + found.below, len(text))
        if isinstance(value, dict) and not found.rebuilt:
            if "jsonrpc" in value:
                self._with_version = True
            elif found.at and not self._with_version and text.startswith("{"):
                text = f'{{"jsonrpc":"2.0",{text[1:]}'
        token = found.token
        if token is None and prefix.direction is not None:
            token = Token("", prefix.direction)
        shape = ("prefixed" if unit.prefix else "lines") if unit.shape == "batch" else unit.shape
        if found.at or found.rebuilt or (found.token and shape == "lines"):
            shape = "wrapped" if shape in ("lines", "prefixed") else shape
        self._reading.saw(shape, found)
        connection = found.connection
        if connection is None and prefix.name is not None:
            connection = prefix.name
        if connection is None and found.pair is not None:
            connection = self._pairs.setdefault(
                found.pair, " - ".join(found.pair) if self._pairs else ""
            )
        near = found.beside
        if connection is None and prefix.words:
            near = {**prefix.beside, **near} if near else prefix.beside
        return LogItem(
            as_bytes(text),
            unit.line + found.below,
            value,
            None if token is None else self._direction(token),
            "" if connection is None else connection,
            found.time if found.time is not None else prefix.time,
            unit.shares_line,
            near,
        )

    def _direction(self, token: Token) -> str:
        """The text of a token. Under the name `from` it is the sender, not whose log it is."""
        stated = self._hints.client is None and token.name in ("from", "sender")
        return f"from {token.text}" if stated else token.text


def _others(value: dict[str, JsonValue], known: str) -> tuple[tuple[type, object], ...]:
    """The members beside a message, apart from its time, with their types: 1 is not true."""
    return tuple(
        [
            (type(member), None if isinstance(member, dict | list) else member)
            for name, member in value.items()
            if name != known and not is_only_time(name, member)
        ]
    )


def _is_short(member: tuple[type, object]) -> bool:
    """True for what is beside a message that has none in it: a word, a number."""
    kind, value = member
    if isinstance(value, str):
        return len(value) <= _SHORT and _PACKING.search(value) is None
    return kind not in (dict, list)
