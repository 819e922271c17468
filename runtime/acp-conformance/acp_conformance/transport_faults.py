"""What goes wrong between a client and a remote agent, and a way to the agent that makes it happen.

`traces/README.md` describes the faults.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Protocol, runtime_checkable
from urllib.parse import urlsplit, urlunsplit

from acp_conformance.fault_proxy import FaultProxy, Moment, Relayed, RelayFault, Rule
from acp_conformance.launchers import Record
from acp_conformance.message_stream import AgentStream
from acp_wire.json_objects import object_in

__all__ = ["Disturber", "FaultyRoute", "NoFaultError", "TransportFault"]


class TransportFault(StrEnum):
    """A fault of the transport, by its name in traces."""

    LOST_REQUEST = "lost-request"
    """The next prompt arrives without its last byte, and its TCP connection ends."""

    LOST_POST = "lost-post"
    """The same over HTTP alone, where the other connections live on."""

    LOST_ACCEPTANCE = "lost-acceptance"
    """The next prompt's POST arrives, and its response is lost. HTTP alone."""

    LOST_ANSWER = "lost-answer"
    """The next answer is lost, and the stream or socket that carried it ends."""

    CUT_AFTER_UPDATE = "cut-after-update"
    """The stream or socket ends right after the next session update."""

    CUT = "cut"
    """All TCP connections end at once."""

    HALF_OPEN = "half-open"
    """The next answer and all after it are lost, and the server takes its stream for open."""


class NoFaultError(Exception):
    """The transport can't have such a fault; the text says why."""


@runtime_checkable
class Disturber(Protocol):
    """A launcher that can break what lies between it and the agent."""

    def start_disturbed(self, record: Record) -> AgentStream:
        """Open a connection that `disturb` can break.

        Raises:
            StartError: the agent can't be reached.
        """
        ...

    def disturb(self, stream: AgentStream, fault: TransportFault) -> None:
        """Let a fault happen on such a connection, now or when its message comes.

        Raises:
            NoFaultError: its transport has no such fault.
        """
        ...

    def was_disturbed(self, stream: AgentStream) -> bool:
        """True if every fault that was asked for on a connection has happened."""
        ...


Message = Mapping[str, Any]


def _is_prompt(message: Message) -> bool:
    return message.get("method") == "session/prompt"


def _is_answer(message: Message) -> bool:
    return "id" in message and "method" not in message


def _is_update(message: Message) -> bool:
    return message.get("method") == "session/update"


_TO_AGENT: Final = frozenset({Moment.REQUEST, Moment.UP})
_FROM_AGENT: Final = frozenset({Moment.EVENT, Moment.DOWN})

_Bite = tuple[frozenset[Moment], Callable[[Message], bool], RelayFault]

_BITES: Final[Mapping[TransportFault, _Bite]] = {
    TransportFault.LOST_REQUEST: (_TO_AGENT, _is_prompt, RelayFault.SHORT),
    TransportFault.LOST_POST: (_TO_AGENT, _is_prompt, RelayFault.SHORT),
    TransportFault.LOST_ACCEPTANCE: (frozenset({Moment.RESPONSE}), _is_prompt, RelayFault.CUT),
    TransportFault.LOST_ANSWER: (_FROM_AGENT, _is_answer, RelayFault.CUT),
    TransportFault.CUT_AFTER_UPDATE: (_FROM_AGENT, _is_update, RelayFault.CUT_AFTER),
    TransportFault.HALF_OPEN: (_FROM_AGENT, _is_answer, RelayFault.STALL),
}
"""By fault: at which borders, of which message, and what happens to that."""

_HTTP_ONLY: Final = frozenset({TransportFault.LOST_POST, TransportFault.LOST_ACCEPTANCE})


class FaultyRoute:
    """A proxy on loopback before one address. It is used in the loop that has started it.

    Args:
        url: the address of the agent.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        secure = parts.scheme.lower() in ("https", "wss")
        self._parts = parts
        self._is_http = parts.scheme.lower() in ("http", "https")
        port = parts.port or (443 if secure else 80)
        self.happened: list[TransportFault] = []
        """The faults that have happened, in their order."""
        self._asked = 0
        self._proxy = FaultProxy(
            lambda: (parts.hostname or "", port),
            tls=ssl.create_default_context() if secure else None,
            name=parts.netloc.rpartition("@")[2],
        )

    @property
    def was_disturbed(self) -> bool:
        """True if every fault that was asked for has happened."""
        return len(self.happened) == self._asked

    async def start(self) -> str:
        """Return the URL through the proxy."""
        port = await self._proxy.start()
        user, at, _ = self._parts.netloc.rpartition("@")
        scheme, place = "http" if self._is_http else "ws", f"{user}{at}127.0.0.1:{port}"
        return urlunsplit(self._parts._replace(scheme=scheme, netloc=place))

    async def disturb(self, fault: TransportFault) -> None:
        """Let a fault happen, now or when its message comes.

        Raises:
            NoFaultError: the transport has no such fault.
        """
        if fault in _HTTP_ONLY and not self._is_http:
            raise NoFaultError("a WebSocket has no POST: this is for HTTP only")
        self._asked += 1
        if fault is TransportFault.CUT:
            self._proxy.cut()
            self.happened.append(fault)
        else:
            self._proxy.rule = self._once(fault)

    async def close(self) -> None:
        """End all connections through the proxy."""
        await self._proxy.close()

    def _once(self, fault: TransportFault) -> Rule:
        """Return a rule for the first message that a fault is about."""
        moments, meets, bite = _BITES[fault]
        left = [bite]

        def rule(relayed: Relayed) -> RelayFault:
            if not left or relayed.moment not in moments:
                return RelayFault.PASS
            message = _message(relayed)
            if message is None or not meets(message):
                return RelayFault.PASS
            self.happened.append(fault)
            return left.pop()

        return rule


def _message(relayed: Relayed) -> Message | None:
    """The JSON object at a border; of a response, that of its request. None if there is none."""
    data = relayed.request or relayed.data
    if relayed.moment in (Moment.REQUEST, Moment.RESPONSE):
        data = data.partition(b"\r\n\r\n")[2]
    if relayed.moment is Moment.EVENT:
        data = b"\n".join(
            line.removeprefix(b"data:") for line in data.split(b"\n") if line.startswith(b"data:")
        )
    return object_in(data)
