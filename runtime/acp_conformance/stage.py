"""What a trace has set up: connections, sessions, requests and keys, by the names it gives them."""

from __future__ import annotations

import secrets
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from acp_conformance.connection import Connection, Transcript
from acp_conformance.script import ScriptError, Step
from acp_conformance.wire import Launcher, Line

__all__ = ["ImpossibleError", "Patience", "Sent", "Stage", "UnmetError", "error_of", "named"]

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds: for an answer, and for what must not happen."""

    answer: float = 10.0
    quiet: float = 0.2


class UnmetError(Exception):
    """An expectation isn't met."""


class ImpossibleError(Exception):
    """The agent offers no way to go on, whatever was expected."""


@dataclass(slots=True)
class Sent:
    """A prompt or another request, by where it went."""

    connection: Connection
    id: int
    method: str
    params: dict[str, object]
    place: int


@dataclass(slots=True)
class Stage:
    """Everything that a trace has set up so far."""

    launcher: Launcher
    patience: Patience
    transcript: Transcript = field(default_factory=Transcript)
    connections: dict[str, Connection] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    requests: dict[str, Sent] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)
    folder: str = field(default_factory=tempfile.gettempdir)

    def on(self, step: Step) -> Connection:
        """The connection of a step."""
        return named(self.connections, step.word("connection"))

    def session(self, step: Step) -> str:
        """The ID of a step's session."""
        return named(self.sessions, step.word("session"))

    def sent(self, step: Step, word: str = "request") -> Sent:
        """The request that a step names."""
        return named(self.requests, step.word(word))

    def roots(self) -> dict[str, object]:
        """The params that tell a session where it works."""
        return {"cwd": self.folder, "mcpServers": []}

    def text(self, name: str) -> str:
        """The text of a prompt: what the trace says, and a mark that makes it this run's only."""
        mark = self.marks.setdefault(name, secrets.token_hex(4))
        return f"{name} [{mark}]"

    def key(self, name: str) -> str:
        """The key that a trace calls by a name."""
        return self.keys.setdefault(name, str(uuid.uuid4()))

    def result(self, connection: Connection, request_id: int, what: str) -> dict[str, Any]:
        """The result of a request that has to succeed.

        Raises:
            UnmetError: it failed, or no answer came.
        """
        line = self.answer(connection, request_id, what)
        if "error" in line:
            raise UnmetError(f"{what} was answered with {error_of(line)}")
        result = line.get("result")
        return result if isinstance(result, dict) else {}

    def answer(self, connection: Connection, request_id: int, what: str) -> Line:
        """The answer to a request, whatever it is."""
        line = connection.answer(request_id, self.patience.answer)
        if line is None:
            why = "the connection ended" if connection.wire.closed else "no answer came"
            raise UnmetError(f"{what}: {why}")
        return line

    def seen(self) -> dict[str, Any]:
        """What an `Outcome` tells beside requirements."""
        noise = sum(len(connection.wire.noise) for connection in self.connections.values())
        return {"transcript": self.transcript.text(), "noise": noise}

    def leave(self) -> None:
        """Kill what still runs."""
        for connection in self.connections.values():
            connection.wire.kill()


def named(things: Mapping[str, Thing], name: str) -> Thing:
    """What a trace calls by a name.

    Raises:
        ScriptError: the trace has not brought it up yet.
    """
    if name not in things:
        raise ScriptError(f"{name!r} is used before it is there")
    return things[name]


def error_of(line: Line) -> str:
    """An error's code. All else in it is the agent's, and may hold a key."""
    error = line.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return f"the error {code}" if isinstance(code, int) else "a broken error"
