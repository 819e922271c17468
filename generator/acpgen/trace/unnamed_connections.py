"""Connections that a recording doesn't name, one after another: each began with `initialize`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Connection
from acpgen.model import JsonValue, Side
from acpgen.trace.event_reading import TranscriptLine

_INITIALIZE = "initialize"
_HELD = 1_000
"""After how many messages an `initialize` counts as not answered."""
_IDS = 100_000
"""How many ids of a connection are kept."""


class UnnamedConnections:
    """Tells connections without a name apart, and names all but the first.

    A new one begins with an `initialize` whose id the client has used before: on one connection ids
    count up. One that is repeated before any other request, or that the agent refuses, is not a new
    beginning.
    """

    def __init__(self) -> None:
        self._name: Connection = ""
        self._ids: set[int | str] = set()
        self._called = False

    def named(self, lines: Iterable[TranscriptLine]) -> Iterator[TranscriptLine]:
        """Yield lines with the names of their connections."""
        coming, held = iter(lines), deque[TranscriptLine]()
        while (line := held.popleft() if held else next(coming, None)) is not None:
            if self._may_begin(line):
                self._read_up_to_answer(line, coming, held)
                if not _is_refused(line, held):
                    self._name, self._ids = f"from line {line.number}", set()
            self._note(line)
            unnamed = line.connection == "" and self._name != ""
            yield replace(line, connection=self._name) if unnamed else line

    def _may_begin(self, line: TranscriptLine) -> bool:
        request = _request(line)
        initializes = request is not None and request["method"] == _INITIALIZE
        return initializes and self._called and request_id(request or {}) in self._ids

    def _note(self, line: TranscriptLine) -> None:
        request = _request(line)
        if request is not None:
            self._called = request["method"] != _INITIALIZE
            id_ = request_id(request)
            if id_ is not None and len(self._ids) < _IDS:
                self._ids.add(id_)

    @staticmethod
    def _read_up_to_answer(
        asked: TranscriptLine, coming: Iterator[TranscriptLine], held: deque[TranscriptLine]
    ) -> None:
        """Hold the lines up to the response to a request, if it comes soon."""
        if any(_answers(asked, line) for line in held):
            return
        while len(held) < _HELD and (line := next(coming, None)) is not None:
            held.append(line)
            if _answers(asked, line):
                return


def _request(line: TranscriptLine) -> Mapping[str, JsonValue] | None:
    """The request of a client on a connection without a name that a line is, if it is one."""
    message = line.message
    if line.connection != "" or line.sender is not Side.CLIENT or not isinstance(message, dict):
        return None
    return message if kind_of(message) is MessageKind.REQUEST else None


def _answers(asked: TranscriptLine, line: TranscriptLine) -> bool:
    message, request = line.message, _request(asked) or {}
    return (
        line.connection == ""
        and line.sender is not Side.CLIENT
        and isinstance(message, dict)
        and kind_of(message) is MessageKind.RESPONSE
        and request_id(message) == request_id(request)
    )


def _is_refused(asked: TranscriptLine, held: Iterable[TranscriptLine]) -> bool:
    """True if the first response to a request in some lines is an error."""
    answer = next((line.message for line in held if _answers(asked, line)), None)
    return isinstance(answer, dict) and "error" in answer
