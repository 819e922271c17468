"""Messages of a log, held back until it is known what their directions mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from acp_wire.envelope import request_id
from acp_wire.pairing import Connection
from acp_wire.reader import JsonValue
from acpgen.logs.directions import Sides
from acpgen.logs.senders import Senders

_WAITING = 64
"""How many messages are held at most until their direction is understood."""
_VOTES = 8
"""How many messages whose method shows the sender are enough to understand the directions."""
_ASKED = 10_000
"""How many requests are held that wait for a response, to learn what a direction is."""
SETTLES = "initialize"
"""The method that only a client calls, in every version."""


@dataclass(frozen=True, slots=True)
class LogItem:
    """A message whose sender is not known yet.

    `beside` has the short texts and numbers around it, of which one may name its connection.
    """

    text: bytes
    line: int
    value: JsonValue
    token: str | None
    connection: Connection
    time: JsonValue
    shares_line: bool = False
    beside: Mapping[str, int | str] = field(default_factory=dict)

    def within(self, around: Mapping[str, int | str]) -> LogItem:
        """The message with what is around it as well, if its connection has no name yet."""
        if not around or self.connection != "":
            return self
        return replace(self, beside={**around, **self.beside})


class _Asked:
    """The tokens of the requests that wait for a response."""

    def __init__(self) -> None:
        self._tokens: dict[tuple[Connection, int | str], str] = {}

    def waits(self, item: LogItem) -> bool:
        """True if a request with the id of a message waits for its response."""
        id_ = request_id(item.value) if isinstance(item.value, dict) else None
        return id_ is not None and (item.connection, id_) in self._tokens

    def answers_itself(self, item: LogItem) -> bool:
        """True if a message is a response with the token of its request."""
        value = item.value
        id_ = request_id(value) if isinstance(value, dict) else None
        if id_ is None or not isinstance(value, dict) or item.token is None:
            return False
        key = (item.connection, id_)
        if "method" not in value:
            return self._tokens.pop(key, None) == item.token
        if len(self._tokens) < _ASKED:
            # Both sides may use an id at once, and then it is not known which one is answered.
            known = self._tokens.setdefault(key, item.token)
            if known != item.token:
                del self._tokens[key]
        return False


def settled(items: Iterator[LogItem], sides: Sides, senders: Senders) -> Iterator[LogItem]:
    """Hold messages back until `sides` knows what their directions mean."""
    waiting: list[LogItem] = []
    asked = _Asked()
    votes, open_ = 0, True
    for item in items:
        if item.token is not None:
            side = senders.caller(item.value)
            sides.seen(item.token, side)
            votes += side is not None
            if _settles(item):
                sides.begins(item.token, item.connection, waits=asked.waits(item))
            if asked.answers_itself(item):
                sides.answers_itself(item.token)
        if open_ and (waiting or (item.token and not sides.known(item.token))):
            waiting.append(item)
            if _settles(item) or votes >= _VOTES or len(waiting) >= _WAITING:
                open_ = False
                yield from waiting
                waiting = []
        else:
            yield item
    yield from waiting


def _settles(item: LogItem) -> bool:
    """True if a message shows what its direction means, as only a client sends it."""
    return isinstance(item.value, dict) and item.value.get("method") == SETTLES
