"""The sender and the receiver of a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from acpgen.model import Method, MethodName, Side


class Party(StrEnum):
    """The parties of the protocol. A proxy is between a client and an agent."""

    CLIENT = "client"
    AGENT = "agent"
    PROXY = "proxy"

    @property
    def plural(self) -> str:
        """Their name in the plural."""
        return "proxies" if self is Party.PROXY else f"{self}s"


class MessagePart(StrEnum):
    """The parts of an exchange that have types of their own."""

    PARAMS = "params"
    RESULT = "result"
    ENVELOPE = "envelope"


@dataclass(frozen=True, slots=True)
class MessageChannel:
    """A sender, a receiver, and the part of a method that goes from one to the other."""

    sender: Party
    receiver: Party
    part: MessagePart
    method: MethodName | None = None

    @property
    def back(self) -> MessageChannel:
        """The channel of the response."""
        return MessageChannel(self.receiver, self.sender, MessagePart.RESULT, self.method)


_CALLS: Mapping[Side, tuple[tuple[Party, Party], ...]] = {
    Side.AGENT: ((Party.CLIENT, Party.AGENT),),
    Side.CLIENT: ((Party.AGENT, Party.CLIENT),),
    Side.PROTOCOL: ((Party.CLIENT, Party.AGENT), (Party.AGENT, Party.CLIENT)),
    Side.PROXY: ((Party.PROXY, Party.PROXY),),
}
"""The callers and the handlers of a method, by the side that handles it."""


def calls(method: Method) -> Iterator[MessageChannel]:
    """Yield the channels of the params of a method."""
    for caller, handler in _CALLS[method.side]:
        yield MessageChannel(caller, handler, MessagePart.PARAMS, method.name)


def answers(method: Method) -> Iterator[MessageChannel]:
    """Return the channels of the result of a method."""
    return (channel.back for channel in calls(method))


EVERY_WAY = (
    MessageChannel(Party.CLIENT, Party.AGENT, MessagePart.ENVELOPE),
    MessageChannel(Party.AGENT, Party.CLIENT, MessagePart.ENVELOPE),
)
"""The channels of the envelope: IDs and errors."""
