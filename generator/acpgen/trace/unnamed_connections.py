"""Connections that a recording doesn't name, one after another: each began with `initialize`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Connection
from acpgen.model import JsonValue, Side
from acpgen.trace.event_reading import TranscriptLine

_INITIALIZE = "initialize"
_IDS = 100_000
"""How many ids of a connection are kept."""


class UnnamedConnections:
    """Tells connections without a name apart, and names all but the first.

    A new one begins with an `initialize` whose id the client has used before: on one connection ids
    count up. One that is repeated before any other request is not a new beginning.
    """

    def __init__(self) -> None:
        self._name: Connection = ""
        self._ids: set[int | str] = set()
        self._called = False

    def named(self, line: TranscriptLine) -> TranscriptLine:
        """The line with the name of its connection."""
        if line.connection != "":
            return line
        message = line.message
        if (
            line.sender is Side.CLIENT
            and isinstance(message, dict)
            and kind_of(message) is MessageKind.REQUEST
        ):
            self._note(message, line.number)
        return line if self._name == "" else replace(line, connection=self._name)

    def _note(self, request: Mapping[str, JsonValue], number: int) -> None:
        initializes, id_ = request["method"] == _INITIALIZE, request_id(request)
        if initializes and self._called and id_ in self._ids:
            self._name = f"from line {number}"
            self._ids = set()
        self._called = not initializes
        if id_ is not None and len(self._ids) < _IDS:
            self._ids.add(id_)
