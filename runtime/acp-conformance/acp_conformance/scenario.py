"""What a trace has set up: connections, sessions, requests and keys, by the names it gives them."""

from __future__ import annotations

import contextlib
import secrets
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from acp_conformance.agent_connection import AgentConnection, TranscriptLog
from acp_conformance.directives import read_directive, scaled
from acp_conformance.launchers import Launcher
from acp_conformance.message_stream import JsonLine
from acp_conformance.trace_script import ScriptError, Step

__all__ = [
    "PROMPT",
    "SILENCE",
    "SILENCES",
    "AgentTimeouts",
    "Scenario",
    "SentRequest",
    "UnmetError",
    "UnplayableError",
    "code_of",
    "error_of",
    "named",
    "result_of",
]

Thing = TypeVar("Thing")

PROMPT: Final = "session/prompt"

SILENCE: Final = 0.2
"""The silence, in seconds, that the times in the test prompts of traces are meant for."""

SILENCES: Final = 10
"""How many silences an answer has to be waited for at least: a held prompt takes five."""


@dataclass(frozen=True, slots=True)
class AgentTimeouts:
    """How long to wait, in seconds: for an answer, and for what must not happen."""

    answer: float = 10.0
    quiet: float = SILENCE


class UnmetError(Exception):
    """An expectation isn't met."""


class DecisiveError(UnmetError):
    """An expectation isn't met for a reason that goes before whatever the step needs."""


class UnplayableError(Exception):
    """The agent offers no way to go on, whatever was expected."""


@dataclass(slots=True)
class SentRequest:
    """A prompt or another request, by where it went."""

    connection: AgentConnection
    id: int
    method: str
    params: dict[str, object]
    place: int
    since: float
    """When its first attempt was sent, in seconds of a clock that only goes on."""

    @property
    def held(self) -> float:
        """For how many seconds it asks to be held."""
        match self.params.get("prompt"):
            case [{"text": str(text)}] if read_directive(text).verb == "hold":
                return read_directive(text).seconds
            case _:
                return 0.0


@dataclass(slots=True)
class Scenario:
    """Everything that a trace has set up so far."""

    launcher: Launcher
    timeouts: AgentTimeouts
    transcript: TranscriptLog = field(default_factory=TranscriptLog)
    connections: dict[str, AgentConnection] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    requests: dict[str, SentRequest] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)
    folder: str = field(default_factory=tempfile.gettempdir)
    withdrawn: float = 0.0
    """When something was last withdrawn, by the clock of `SentRequest.since`."""
    heard: tuple[AgentConnection, int] | None = None
    """Where messages were counted last, and how much had been sent by then."""
    shows: int = 1
    """In how many updates a replay shows a message that was inserted once."""

    def on(self, step: Step) -> AgentConnection:
        """The connection of a step."""
        return named(self.connections, step.word("connection"))

    def session(self, step: Step) -> str:
        """The ID of a step's session."""
        return named(self.sessions, step.word("session"))

    def sent(self, step: Step, word: str = "request") -> SentRequest:
        """The request that a step names."""
        return named(self.requests, step.word(word))

    def roots(self) -> dict[str, object]:
        """The params that tell a session where it works."""
        return {"cwd": self.folder, "mcpServers": []}

    def text(self, name: str) -> str:
        """The text of a prompt: what the trace says, and a mark that makes it this run's only.

        The time in a test prompt is as many silences as it is for `SILENCE`.
        """
        mark = self.marks.setdefault(name, secrets.token_hex(4))
        return f"{scaled(name, self.timeouts.quiet / SILENCE)} [{mark}]"

    def key(self, name: str) -> str:
        """The key that a trace calls by a name."""
        return self.keys.setdefault(name, str(uuid.uuid4()))

    def result(self, connection: AgentConnection, request_id: int, what: str) -> dict[str, Any]:
        """The result of a request that has to succeed.

        Raises:
            UnmetError: it failed, or no answer came.
        """
        return result_of(self.answer(connection, request_id, what), what)

    def answer(self, connection: AgentConnection, request_id: int, what: str) -> JsonLine:
        """The answer to a request, whatever it is.

        Raises:
            UnmetError: no answer came.
        """
        line = connection.answer(request_id, self.timeouts.answer)
        if line is None:
            report = connection.stream.exit_report()
            if connection.stream.closed:
                raise DecisiveError(f"{what}: the connection ended{report.summary}")
            if report.status is not None:
                raise DecisiveError(f"{what}: the agent ended without an answer{report.summary}")
            raise UnmetError(f"{what}: no answer came{report.summary}")
        return line

    def reply(self, sent: SentRequest, what: str) -> JsonLine:
        """The answer to a request; an agent may hold a prompt while the session is at work.

        Raises:
            UnmetError: no answer came.
            ImpossibleError: none came to a prompt, and nothing says that the session is idle.
        """
        try:
            return self.answer(sent.connection, sent.id, what)
        except DecisiveError:
            raise
        except UnmetError as error:
            held = sent.method == PROMPT
            if not held or self.idle(sent.connection, str(sent.params["sessionId"]), sent):
                raise
            why = "the session may be at work: give it more time with --timeout"
            raise UnplayableError(f"{error}, but {why}") from error

    def idle(
        self, connection: AgentConnection, session: str, but: SentRequest | None = None
    ) -> bool:
        """Whether a session was said to be idle after its last prompt, one apart."""
        places = [
            sent.place
            for sent in self.requests.values()
            if (sent.connection, sent.method) == (connection, PROMPT)
            and sent.params["sessionId"] == session
            and sent is not but
        ]
        return connection.working(session, max(places, default=0)) is False

    @property
    def sent_so_far(self) -> int:
        """How many requests and notifications were sent on all connections."""
        return sum(connection.sent for connection in self.connections.values())

    @property
    def unparsed(self) -> int:
        """How many lines were no messages."""
        return sum(len(connection.stream.unparsed) for connection in self.connections.values())

    @property
    def leak(self) -> str:
        """Where a key is shown: in an update, a replay's included, or a list. Empty if nowhere."""
        lines = [line for each in self.connections.values() for line in each.stream.lines]
        summary = {
            "session/update": [line for line in lines if line.get("method") == "session/update"],
            "a result of session/list": [
                sent.connection.peek(sent.id)
                for sent in self.requests.values()
                if sent.method == "session/list"
            ],
        }
        for place, found in summary.items():
            if any(key in str(found) for key in self.keys.values()):
                return f"{place} of the agent holds a key"
        return ""

    @property
    def errors(self) -> bytes:
        """What the agents wrote on their standard error, one after the other."""
        return b"".join(each.stream.exit_report().errors for each in self.connections.values())

    def leave(self) -> None:
        """Kill what still runs, all of it, also where that is interrupted."""
        with contextlib.ExitStack() as kills:
            for connection in self.connections.values():
                kills.callback(connection.stream.kill)


def named(things: Mapping[str, Thing], name: str) -> Thing:
    """What a trace calls by a name.

    Raises:
        ScriptError: the trace has not brought it up yet.
    """
    if name not in things:
        raise ScriptError(f"{name!r} is used before it is there")
    return things[name]


def result_of(line: JsonLine, what: str) -> dict[str, Any]:
    """The result in an answer.

    Raises:
        UnmetError: it holds an error.
    """
    if "error" in line:
        raise UnmetError(f"{what} was answered with {error_of(line)}")
    result = line.get("result")
    return result if isinstance(result, dict) else {}


def code_of(line: JsonLine) -> int | None:
    """The code of the error in an answer, if there is one."""
    error = line.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else None


def error_of(line: JsonLine) -> str:
    """An error's code. All else in it is the agent's, and may hold a key."""
    code = code_of(line)
    return "a broken error" if code is None else f"the error {code}"
