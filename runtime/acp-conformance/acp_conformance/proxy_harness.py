"""Both ends of a proxy: a client that sends prompts through it, and an agent that records them."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from acp_conformance.agent_connection import AgentConnection, TranscriptLog
from acp_conformance.client_log import params_of, read_lines, result_of
from acp_conformance.deferred_signals import deferred
from acp_conformance.faulty_agent import met
from acp_conformance.launchers import Programs
from acp_conformance.message_stream import JsonLine

__all__ = [
    "GRACE",
    "AgentUnreachedError",
    "ProxyAttempt",
    "ProxyHarness",
    "TraceEndedError",
    "compare",
]

GRACE: Final = 1.0
"""Seconds that a proxy has to react to an agent that died."""

MOMENT: Final = 0.05
"""Seconds between two checks of what an agent has recorded."""

_TEXT: Final = "prompt "
_MALFORMED: Final = frozenset({'""', "7"})


class TraceEndedError(Exception):
    """A trace can't go on; the text gives the reason."""


class AgentUnreachedError(TraceEndedError):
    """No session can be opened with the agent behind the proxy."""


@dataclass(frozen=True, slots=True)
class ProxyAttempt:
    """One sending of a prompt: its number, its key as JSON, and the occasion."""

    number: int
    key: str
    how: str = ""

    def __str__(self) -> str:
        return f"{_TEXT}{self.number}" + (f" ({self.how})" if self.how else "")


@dataclass(slots=True)
class ProxyHarness:
    """A proxy under test, with a client and an agent at its ends.

    Attributes:
        programs: starts the proxy.
        folder: the folder of the agent behind it.
        seconds: how long an answer may take.
        sent: all attempts, in the order in which they were sent.
        passed: whether everything that was sent has passed the proxy.
    """

    programs: Programs
    folder: Path
    seconds: float
    running: contextlib.ExitStack
    transcript: TranscriptLog = field(default_factory=TranscriptLog)
    sent: list[ProxyAttempt] = field(default_factory=list)
    passed: bool = True
    unparsed: int = 0
    _now: AgentConnection | None = None
    _count: int = 0
    _params: dict[int, dict[str, Any]] = field(default_factory=dict)
    _open: list[tuple[ProxyAttempt, int]] = field(default_factory=list)

    def start(self) -> None:
        """Start the proxy. A running proxy is killed first.

        Raises:
            StartError: it can't be started.
            AgentUnreachedError: `initialize` is not answered.
        """
        self.leave()
        self._count += 1
        with deferred():
            record = partial(self.transcript.add, f"c{self._count}")
            self._now = AgentConnection(self.programs.start(record))
            self.running.callback(self._now.stream.kill)
        self._open.clear()
        if self._now.answer(self._now.initialize(), self.seconds) is None:
            raise self._unreached()

    def leave(self) -> None:
        """Kill the proxy after it has forwarded what it received."""
        if self._now is not None:
            self.passed = self._lists() and self.passed
            self._end()

    def new(self) -> str:
        """Open a session and return its ID.

        Raises:
            AgentUnreachedError: no session is opened.
        """
        roots = {"cwd": tempfile.gettempdir(), "mcpServers": []}
        session = result_of(self._call("session/new", roots)).get("sessionId")
        if not isinstance(session, str):
            raise self._unreached()
        return session

    def resume(self, session: str, how: str) -> None:
        """Resume a session.

        Raises:
            TraceEndedError: `session/resume` fails.
        """
        roots = {"cwd": tempfile.gettempdir(), "mcpServers": []}
        answer = self._call("session/resume", {"sessionId": session, **roots})
        if answer is None or "result" not in answer:
            raise TraceEndedError(f"session/resume failed ({how}){self._exit_summary()}")

    def close(self, session: str) -> None:
        """Close a session. A proxy need not forward this."""
        self._call("session/close", {"sessionId": session})

    def cancel(self, session: str) -> None:
        """Send `session/cancel`."""
        self._proxy.notify("session/cancel", {"sessionId": session})

    def withdraw(self) -> None:
        """Cancel the last prompt with `$/cancel_request`."""
        self._proxy.notify("$/cancel_request", {"requestId": self._open[-1][1]})

    def prompt(self, number: int, session: str, key: Mapping[str, object], how: str = "") -> None:
        """Send a prompt without waiting for its answer."""
        text = {"type": "text", "text": f"{_TEXT}{number}"}
        self._params[number] = {"sessionId": session, "prompt": [text], **key}
        self.again(number, how)

    def again(self, number: int, how: str) -> None:
        """Send a prompt again with its last params, without waiting for the answer."""
        params = self._params[number]
        attempt = ProxyAttempt(number, _key(params), how)
        self.sent.append(attempt)
        self._open.append((attempt, self._proxy.request("session/prompt", params)))

    def settle(self) -> None:
        """Wait until every prompt is answered.

        Raises:
            TraceEndedError: an answer is missing.
        """
        proxy, sent = self._proxy, list(self._open)
        self._open.clear()
        if not proxy.wait(lambda: all(proxy.peek(id_) for _, id_ in sent), self.seconds):
            late = next(attempt for attempt, id_ in sent if not proxy.peek(id_))
            summary = f" in {self.seconds:g} seconds: give more --timeout"
            raise TraceEndedError(f"{late} got no answer{self._exit_summary() or summary}")

    def lose(self) -> None:
        """Wait until the agent dies of the last prompt, give the proxy time to react, and kill it.

        Raises:
            TraceEndedError: the prompt did not reach the agent.
        """
        proxy, (attempt, id_) = self._proxy, self._open[-1]
        end = time.monotonic() + self.seconds
        while not (met(self.folder) or proxy.stream.closed or time.monotonic() > end):
            if proxy.wait(lambda: proxy.peek(id_) is not None, MOMENT):
                break  # the agent has recorded what it received before that
        if not met(self.folder):
            raise TraceEndedError(f"{attempt} did not reach the agent{self._exit_summary()}")
        proxy.wait(lambda: proxy.peek(id_) is not None, GRACE)
        self._end()

    def arrived(self) -> dict[int, list[str]]:
        """The keys, as JSON, with which each prompt reached the agent, by its number."""
        found: dict[int, list[str]] = {}
        numbers = {attempt.number for attempt in self.sent}
        for line in chain(*read_lines(self.folder)):
            if line.message.get("method") == "session/prompt":
                params = params_of(line.message)
                text = json.dumps(params.get("prompt"))
                for number in numbers:
                    if f'"{_TEXT}{number}"' in text:
                        found.setdefault(number, []).append(_key(params))
        return found

    def _end(self) -> None:
        self._proxy.stream.kill()
        self.unparsed += self._proxy.stream.noise
        self._now = None

    @property
    def _proxy(self) -> AgentConnection:
        if self._now is None:
            raise RuntimeError("the proxy was not started")
        return self._now

    def _call(self, method: str, params: Mapping[str, object]) -> JsonLine | None:
        return self._proxy.answer(self._proxy.request(method, params), self.seconds)

    def _lists(self) -> bool:
        """True if a request that was sent after all prompts was answered, or the proxy ended."""
        return self._proxy.stream.closed or self._call("session/list", {}) is not None

    def _unreached(self) -> AgentUnreachedError:
        return AgentUnreachedError(
            f"the agent behind the proxy could not be reached{self._exit_summary()}"
        )

    def _exit_summary(self) -> str:
        return self._proxy.stream.exit_report().summary


def compare(
    sent: Sequence[ProxyAttempt], arrived: Mapping[int, Sequence[str]]
) -> tuple[list[ProxyAttempt], list[ProxyAttempt]]:
    """Return the attempts that arrived with a foreign key, and those that are missing."""
    changed: list[ProxyAttempt] = []
    missing: list[ProxyAttempt] = []
    for number in dict.fromkeys(attempt.number for attempt in sent):
        attempts = [each for each in sent if each.number == number]
        got = arrived.get(number, [])
        foreign = [key for key in got if key not in {each.key for each in attempts}]
        alone = _unmatched(attempts, got)
        changed += (alone or attempts[-1:])[: len(foreign)]
        missing += alone[len(foreign) :]
    return changed, [each for each in missing if each.key not in _MALFORMED]


def _unmatched(attempts: Sequence[ProxyAttempt], got: Sequence[str]) -> list[ProxyAttempt]:
    """The attempts of a prompt that have no arrival of their own."""
    left, found = list(got), list[ProxyAttempt]()
    for each in attempts:
        if each.key in left:
            left.remove(each.key)
        else:
            found.append(each)
    return found


def _key(params: Mapping[str, Any]) -> str:
    """The key in params as JSON. Null and omitted are equal."""
    return json.dumps(params.get("idempotencyKey"))
