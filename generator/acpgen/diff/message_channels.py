"""Who sends a message and who receives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from acpgen.model import Method, MethodName, Side


class Party(StrEnum):
    """Those who speak the protocol. A proxy stands between the other two."""

    CLIENT = "client"
    AGENT = "agent"
    PROXY = "proxy"

    @property
    def plural(self) -> str:
        """All of them."""
        return "proxies" if self is Party.PROXY else f"{self}s"


class MessagePart(StrEnum):
    """The parts of an exchange that have types of their own."""

    PARAMS = "params"
    RESULT = "result"
    ENVELOPE = "envelope"


@dataclass(frozen=True, slots=True)
class MessageChannel:
    """One way that something is sent: from whom to whom, and as which part of which method."""

    sender: Party
    receiver: Party
    part: MessagePart
    method: MethodName | None = None

    @property
    def back(self) -> MessageChannel:
        """The way that the answer takes."""
        return MessageChannel(self.receiver, self.sender, MessagePart.RESULT, self.method)


_CALLS: Mapping[Side, tuple[tuple[Party, Party], ...]] = {
    Side.AGENT: ((Party.CLIENT, Party.AGENT),),
    Side.CLIENT: ((Party.AGENT, Party.CLIENT),),
    Side.PROTOCOL: ((Party.CLIENT, Party.AGENT), (Party.AGENT, Party.CLIENT)),
    Side.PROXY: ((Party.PROXY, Party.PROXY),),
}
"""Who calls whom, by the side that handles a method."""


def calls(method: Method) -> Iterator[MessageChannel]:
    """The ways that the params of a method take."""
    for caller, handler in _CALLS[method.side]:
        yield MessageChannel(caller, handler, MessagePart.PARAMS, method.name)


def answers(method: Method) -> Iterator[MessageChannel]:
    """The ways that the result of a method takes."""
    return (channel.back for channel in calls(method))


EVERY_WAY = (
    MessageChannel(Party.CLIENT, Party.AGENT, MessagePart.ENVELOPE),
    MessageChannel(Party.AGENT, Party.CLIENT, MessagePart.ENVELOPE),
)
"""The ways of what stands around params and results: IDs and errors."""
