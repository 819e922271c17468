"""The sides of a connection, and what each of them may send.

Judging one message needs this of the model, and imports it alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Side(StrEnum):
    """The side that handles a method."""

    AGENT = "agent"
    CLIENT = "client"
    PROTOCOL = "protocol"
    PROXY = "proxy"


class Kind(StrEnum):
    """The kind of a method. A request gets a response."""

    REQUEST = "request"
    NOTIFICATION = "notification"


SENDS: Mapping[Side, frozenset[Side]] = {
    Side.AGENT: frozenset({Side.CLIENT, Side.PROTOCOL}),
    Side.CLIENT: frozenset({Side.AGENT, Side.PROTOCOL}),
    Side.PROXY: frozenset({Side.PROXY, Side.PROTOCOL}),
}
"""Sender to the sides that handle what it asks for."""
SENDERS: Mapping[str, Side] = {side.value: side for side in SENDS}
"""The sides that send messages, by their names: to look one up is faster than `Side(name)`."""


def sender_of(name: str) -> Side:
    """Return the side of a sender.

    Raises:
        ValueError: there is no such side.
    """
    return SENDERS.get(name) or Side(name)


META = "_meta"
"""The member for data of the peers' own."""
