"""Who sent a message that a log doesn't say it of: by its method, or by the request it answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol as Structural

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Connection
from acp_wire.reader import JsonValue
from acpgen.logs.directions import AGENT, CLIENT, OTHER

_V1: Mapping[str, str] = {
    **dict.fromkeys(("authenticate", "logout", "session/load", "session/set_mode"), CLIENT),
    **dict.fromkeys(("session/set_model",), CLIENT),
    **dict.fromkeys(("fs/read_text_file", "fs/write_text_file", "terminal/create"), AGENT),
    **dict.fromkeys(("terminal/kill", "terminal/output", "terminal/release"), AGENT),
    **dict.fromkeys(("terminal/wait_for_exit", "session/request_permission"), AGENT),
}
_PENDING = 100_000
"""How many requests may wait for a response before the oldest is forgotten."""


class HandledMethod(Structural):
    """A method, as the model or the judge has it."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def side(self) -> str: ...  # noqa: D102


def callers_of(methods: Iterable[HandledMethod]) -> Mapping[str, str]:
    """Return the side that calls each method, where only one does: of these methods, and of v1."""
    handlers: dict[str, set[str]] = {}
    for method in methods:
        handlers.setdefault(method.name, set()).add(method.side)
    found = {
        name: OTHER[side]
        for name, sides in handlers.items()
        for side in sides
        if len(sides) == 1 and side in OTHER
    }
    return {**_V1, **found}


class Senders:
    """Infers senders, message by message. `guessed` is the number of those that stayed open."""

    def __init__(self, callers: Mapping[str, str]) -> None:
        self.guessed = 0
        self._callers = callers
        self._pending: dict[tuple[Connection, int | str, str], int] = {}
        self._count = 0
        self._last = AGENT

    def caller(self, value: JsonValue) -> str | None:
        """The side that calls the method of a message."""
        method = value.get("method") if isinstance(value, dict) else None
        return self._callers.get(method) if isinstance(method, str) else None

    def sender(self, value: JsonValue, connection: Connection, shown: str | None) -> str:
        """Return the sender of a message, and note what it asks or answers."""
        kind = kind_of(value)
        id_ = request_id(value) if isinstance(value, dict) else None
        found = shown or self.caller(value)
        if kind is MessageKind.RESPONSE and id_ is not None:
            found = shown or self._answering(id_, connection)
            if found is not None:
                self._pending.pop((connection, id_, OTHER.get(found, CLIENT)), None)
        if found is None:
            self.guessed += 1
            found = CLIENT if kind is MessageKind.REQUEST else AGENT
        if kind is MessageKind.REQUEST and id_ is not None:
            if len(self._pending) >= _PENDING:
                del self._pending[next(iter(self._pending))]
            self._pending.pop((connection, id_, found), None)
            self._count += 1
            self._pending[connection, id_, found] = self._count
        return found

    def _answering(self, id_: int | str, connection: Connection) -> str | None:
        """The side that answers the request with an id: the newest where both sides wait."""
        asked = [
            (self._pending[connection, id_, side], side)
            for side in OTHER
            if (connection, id_, side) in self._pending
        ]
        return OTHER[max(asked)[1]] if asked else None
