"""The connections, sessions, requests and keys of a trace, by their names in it."""

from __future__ import annotations

import contextlib
import json
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Final, TypeVar

from acp_conformance.agent_connection import AgentConnection, TranscriptLog
from acp_conformance.agent_timeouts import SILENCE, AgentTimeouts
from acp_conformance.key_disclosure import disclosure, member_with, without
from acp_conformance.launchers import Launcher
from acp_conformance.message_stream import JsonLine
from acp_conformance.play_options import PlayOptions, TestPrompt
from acp_conformance.played_steps import StepLog
from acp_conformance.trace_facts import AgentName
from acp_conformance.trace_script import ScriptError, Step
from acp_wire.redaction import masked

__all__ = [
    "PROMPT",
    "DecisiveError",
    "ErrorAnswerError",
    "HamperedError",
    "LostMessageError",
    "NoAnswerError",
    "Scenario",
    "SentRequest",
    "StoppedError",
    "SurplusError",
    "UnmetError",
    "UnplayableError",
    "UnreachableServerError",
    "code_of",
    "error_of",
    "named",
    "result_of",
]

Thing = TypeVar("Thing")

PROMPT: Final = "session/prompt"

WORDS: Final = 300
"""The maximum number of characters of an agent's error that are shown."""


class UnmetError(Exception):
    """An expectation is not met."""


class SurplusError(UnmetError):
    """There are more messages than expected."""


class NoAnswerError(UnmetError):
    """An answer did not come in time."""


class ErrorAnswerError(UnmetError):
    """A request that should succeed was answered with an error, which `answered` describes."""

    def __init__(self, text: str, answered: JsonLine) -> None:
        super().__init__(text)
        self.answered = answered


class LostMessageError(UnmetError):
    """There are fewer messages than expected."""


class DecisiveError(UnmetError):
    """An expectation is not met for a reason that explains more than the step's `needs`."""


class UnplayableError(Exception):
    """The agent offers no way to go on, whatever the step expected."""


class UnreachableServerError(UnplayableError):
    """The agent is at a URL, and its server can't be reached or refuses; the text has both."""


class HamperedError(UnplayableError):
    """The same, for a reason that lies in speed or in other agents, so that it may pass."""


class StoppedError(Exception):
    """The run is being stopped."""


@dataclass(slots=True)
class SentRequest:
    """A prompt or another request that was sent, with its connection."""

    connection: AgentConnection
    id: int
    method: str
    params: dict[str, object]
    place: int
    since: float
    """When its first attempt was sent, in seconds of a monotonic clock."""
    at: float
    """When this attempt was sent, by the same clock."""
    prompt: TestPrompt | None = None
    """The prompt; None for other methods."""

    @property
    def held(self) -> float:
        """The seconds for which its directive asks to be held."""
        is_held = self.prompt is not None and self.prompt.verb == "hold"
        return self.prompt.seconds if self.prompt is not None and is_held else 0.0


@dataclass(slots=True)
class Scenario:
    """The state of a trace while it is played."""

    launcher: Launcher
    timeouts: AgentTimeouts
    folder: str
    """The working directory of its sessions."""
    asked: PlayOptions = field(default_factory=PlayOptions)
    halt: Event = field(default_factory=Event)
    """Set if the run is being stopped."""
    log: StepLog = field(default_factory=StepLog)
    transcript: TranscriptLog = field(default_factory=TranscriptLog)
    connections: dict[str, AgentConnection] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    options: dict[str, list[Any]] = field(default_factory=dict)
    requests: dict[str, SentRequest] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)
    agent: AgentName = field(default_factory=AgentName)
    logins: list[str] = field(default_factory=list[str])
    """The methods for a login that the agent offers."""
    logged_in: set[str] = field(default_factory=set[str])
    """The connections on which a login has succeeded, by name."""
    starts: int = 0
    turns: list[float] = field(default_factory=list[float])
    """The seconds until a session was idle after its last prompt, each time that was awaited."""
    withdrawn: float = 0.0
    """When something was last withdrawn, by the clock of `SentRequest.since`."""
    heard: tuple[AgentConnection, int] | None = None
    """The connection where messages were counted last, and how much had been sent by then."""
    suspects: list[str] = field(default_factory=list[str])
    """The names of the requests that an expectation was not met by, if they are known."""
    shows: int = 1
    """How many updates of a replay show a message that was inserted once."""

    def on(self, step: Step) -> AgentConnection:
        """The connection that a step names."""
        return named(self.connections, step.word("connection"))

    def session(self, step: Step) -> str:
        """The ID of the session that a step names."""
        return named(self.sessions, step.word("session"))

    def sent(self, step: Step, word: str = "request") -> SentRequest:
        """The request that a step names."""
        return named(self.requests, step.word(word))

    def roots(self) -> dict[str, object]:
        """The params with the working directory of a session."""
        return {"cwd": self.folder, "mcpServers": []}

    def prompt(self, name: str) -> TestPrompt:
        """The prompt that a trace calls by its text, with a random mark that makes it unique.

        A time in a directive is scaled with the silence.
        """
        mark = self.marks.setdefault(name, secrets.token_hex(4))
        asked = self.asked.prompt(name, self.timeouts.quiet / SILENCE)
        return replace(asked, text=f"{asked.text} [{mark}]")

    def mark(self, sent: SentRequest) -> str | None:
        """The mark of a request's prompt; None if it is none of the trace."""
        text = "" if sent.prompt is None else sent.prompt.text
        return next((mark for mark in self.marks.values() if mark in text), None)

    def pause(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            StoppedError: the run is being stopped.
        """
        if self.halt.wait(seconds):
            raise StoppedError

    def key(self, name: str) -> str:
        """The key that a trace calls by a name."""
        return self.keys.setdefault(name, str(uuid.uuid4()))

    def result(self, connection: AgentConnection, request_id: int, what: str) -> dict[str, Any]:
        """Return the result of a request that has to succeed.

        Raises:
            UnmetError: the answer is an error, or is missing.
        """
        return self.result_in(self.answer(connection, request_id, what), what)

    def result_in(self, line: JsonLine, what: str) -> dict[str, Any]:
        """Return the result in an answer.

        Raises:
            UnmetError: the answer is an error.
        """
        if "error" in line:
            raise ErrorAnswerError(f"{what} was answered with {self.words(line)}", line)
        return result_of(line, what)

    def words(self, line: JsonLine) -> str:
        """Describe an error by its code and its words, in which no key is shown."""
        error = line.get("error")
        text = error_of(line)
        if not isinstance(error, dict) or code_of(line) is None or "result" in line:
            return text
        message, data = error.get("message"), error.get("data")
        if isinstance(message, str) and message:
            text += f" {json.dumps(self.hidden(message), ensure_ascii=False)}"
        if data is not None:
            text += f" {self.hidden(json.dumps(data, ensure_ascii=False))}"
        return text if len(text) <= WORDS else f"{text[:WORDS]}..."

    def hidden(self, text: str) -> str:
        """A text of the agent in which no key is shown."""
        return masked(text, self.secrets)

    @property
    def secrets(self) -> list[str]:
        """The values of all keys that were sent, and of those that will be."""
        sent = (each.params.get("idempotencyKey") for each in self.requests.values())
        return [*self.keys.values(), *(key for key in sent if isinstance(key, str))]

    def answer(self, connection: AgentConnection, request_id: int, what: str) -> JsonLine:
        """Return the answer to a request, be it a result or an error.

        Raises:
            UnmetError: the answer is missing.
            UnplayableError: it came in a form that answers nothing.
            StoppedError: the run is being stopped.
        """
        line = connection.answer(request_id, self.timeouts.answer)
        if self.halt.is_set():
            raise StoppedError
        if line is None:
            if fault := connection.fault(request_id):
                raise UnplayableError(f"{what} {fault}")
            report = connection.stream.exit_report()
            if connection.stream.closed:
                raise DecisiveError(f"{what}: the connection ended{report.summary}")
            if report.status is not None:
                raise DecisiveError(f"{what}: the agent ended without an answer{report.summary}")
            seconds = f" in {self.timeouts.answer:.3g} seconds"
            raise NoAnswerError(f"{what}: no answer came{seconds}{report.summary}")
        return line

    def reply(self, sent: SentRequest, what: str) -> JsonLine:
        """Return the answer to a request. An agent may hold a prompt while the session is at work.

        Raises:
            UnmetError: the answer is missing.
            UnplayableError: a prompt's answer is missing, and the session was not reported as idle.
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
            raise HamperedError(f"{error}, but {why}") from error

    def idle(
        self, connection: AgentConnection, session: str, but: SentRequest | None = None
    ) -> bool:
        """True if a session was reported as idle after its last prompt, not counting `but`."""
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
        """The number of requests and notifications that were sent on all connections."""
        return sum(connection.sent for connection in self.connections.values())

    @property
    def unparsed(self) -> int:
        """The number of lines that are not messages."""
        return sum(connection.stream.noise for connection in self.connections.values())

    @property
    def leak(self) -> str:
        """Where a key was shown: in an update, also of a replay, or in a list. Empty if nowhere.

        A prompt that is shown as it was written may hold a key.
        """
        lines = [line for each in self.connections.values() for line in each.stream.lines]
        updates = [line for line in lines if line.get("method") == "session/update"]
        lists = [
            sent.connection.peek(sent.id)
            for sent in self.requests.values()
            if sent.method == "session/list"
        ]
        keys = [*self.keys.values()]
        written = {sent.prompt.text for sent in self.requests.values() if sent.prompt is not None}
        for place, found in (("session/update", updates), ("a result of session/list", lists)):
            for each in found:
                shown = without(each, written)
                if (disclosed := disclosure(str(shown), keys)) is not None:
                    member = member_with(shown, keys)
                    where = f", in {member}" if member else ""
                    return f"{place} of the agent holds {disclosed}{where}"
        return ""

    @property
    def permissions(self) -> int:
        """How often the agent asked for permission."""
        return sum(connection.permissions for connection in self.connections.values())

    @property
    def answers(self) -> tuple[float, ...]:
        """The seconds until each answer came."""
        return tuple(each for one in self.connections.values() for each in one.latencies)

    @property
    def prompt_answers(self) -> tuple[float, ...]:
        """The seconds until the answer to each prompt came that was not to be held."""
        return tuple(
            sent.connection.came[sent.id] - sent.at
            for sent in self.requests.values()
            if sent.method == PROMPT and sent.id in sent.connection.came and not sent.held
        )

    @property
    def errors(self) -> bytes:
        """The standard error of all agents, one after the other."""
        return b"".join(each.stream.exit_report().errors for each in self.connections.values())

    def leave(self) -> None:
        """Kill every agent that still runs, also when this is interrupted."""
        with contextlib.ExitStack() as kills:
            for connection in list(self.connections.values()):
                kills.callback(connection.stream.kill)


def named(things: Mapping[str, Thing], name: str) -> Thing:
    """Look up what a trace calls by a name.

    Raises:
        ScriptError: no earlier step has created it.
    """
    if name not in things:
        raise ScriptError(f"{name!r} is used before it is there")
    return things[name]


def result_of(line: JsonLine, what: str) -> dict[str, Any]:
    """Return the result in an answer.

    Raises:
        UnmetError: the answer is an error.
    """
    if "error" in line:
        raise UnmetError(f"{what} was answered with {error_of(line)}")
    result = line.get("result")
    return result if isinstance(result, dict) else {}


def code_of(line: JsonLine) -> int | None:
    """The code of the error in an answer, or None."""
    error = line.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else None


def error_of(line: JsonLine) -> str:
    """Describe an error by its code. Its other members may contain a key."""
    code = code_of(line)
    if "result" in line:
        return "both a result and an error, and only one may be there"
    return "an error without a code" if code is None else f"the error {code}"
