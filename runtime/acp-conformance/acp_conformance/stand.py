"""Both ends of a proxy: a client that sends prompts through it, and an agent that notes them."""

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

from acp_conformance.connection import Connection, Transcript
from acp_conformance.faults import met
from acp_conformance.interruption import postponed
from acp_conformance.said import params_of, read_lines, result_of
from acp_conformance.wire import Line, Programs

__all__ = ["GRACE", "Attempt", "CutError", "Stand", "UnreachedError", "compare"]

GRACE: Final = 1.0
"""Seconds that a proxy has to do something about an agent that died."""

MOMENT: Final = 0.05
"""Seconds between two looks at what an agent has written down."""

_TEXT: Final = "prompt "
_MALFORMED: Final = frozenset({'""', "7"})


class CutError(Exception):
    """A trace can't go on; the text says why."""


class UnreachedError(CutError):
    """There is no session with the agent behind the proxy."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A prompt that was sent: its number, its key as JSON (null for none), and how it was sent."""

    number: int
    key: str
    how: str = ""

    def __str__(self) -> str:
        return f"{_TEXT}{self.number}" + (f" ({self.how})" if self.how else "")


@dataclass(slots=True)
class Stand:
    """What was set up with a proxy so far.

    Attributes:
        programs: starts the proxy.
        folder: that of the agent behind it.
        seconds: how long an answer may take.
        sent: all attempts, in the order in which they were sent.
        passed: whether nothing that was sent is still on its way.
    """

    programs: Programs
    folder: Path
    seconds: float
    running: contextlib.ExitStack
    transcript: Transcript = field(default_factory=Transcript)
    sent: list[Attempt] = field(default_factory=list)
    passed: bool = True
    noise: int = 0
    _now: Connection | None = None
    _count: int = 0
    _params: dict[int, dict[str, Any]] = field(default_factory=dict)
    _open: list[tuple[Attempt, int]] = field(default_factory=list)

    def start(self) -> None:
        """Start the proxy, once more if it runs already: what did is killed.

        Raises:
            StartError: it can't be started.
            UnreachedError: `initialize` is not answered.
        """
        self.leave()
        self._count += 1
        with postponed():
            record = partial(self.transcript.add, f"c{self._count}")
            self._now = Connection(self.programs.start(record))
            self.running.callback(self._now.wire.kill)
        self._open.clear()
        if self._now.answer(self._now.initialize(), self.seconds) is None:
            raise self._unreached()

    def leave(self) -> None:
        """Kill the proxy, once it has let through what it was sent."""
        if self._now is not None:
            self.passed = self._lists() and self.passed
            self._end()

    def new(self) -> str:
        """Open a session and return its ID.

        Raises:
            UnreachedError: none is opened.
        """
        roots = {"cwd": tempfile.gettempdir(), "mcpServers": []}
        session = result_of(self._call("session/new", roots)).get("sessionId")
        if not isinstance(session, str):
            raise self._unreached()
        return session

    def resume(self, session: str, how: str) -> None:
        """Resume a session.

        Raises:
            CutError: that fails.
        """
        roots = {"cwd": tempfile.gettempdir(), "mcpServers": []}
        answer = self._call("session/resume", {"sessionId": session, **roots})
        if answer is None or "result" not in answer:
            raise CutError(f"session/resume failed ({how}){self._remains()}")

    def close(self, session: str) -> None:
        """Close a session, whether the proxy lets that through or not."""
        self._call("session/close", {"sessionId": session})

    def cancel(self, session: str) -> None:
        """Stop what a session does."""
        self._proxy.notify("session/cancel", {"sessionId": session})

    def withdraw(self) -> None:
        """Cancel the last prompt."""
        self._proxy.notify("$/cancel_request", {"requestId": self._open[-1][1]})

    def prompt(self, number: int, session: str, key: Mapping[str, object], how: str = "") -> None:
        """Send a prompt, and wait for nothing."""
        text = {"type": "text", "text": f"{_TEXT}{number}"}
        self._params[number] = {"sessionId": session, "prompt": [text], **key}
        self.again(number, how)

    def again(self, number: int, how: str) -> None:
        """Send a prompt as it was sent last, and wait for nothing."""
        params = self._params[number]
        attempt = Attempt(number, _key(params), how)
        self.sent.append(attempt)
        self._open.append((attempt, self._proxy.request("session/prompt", params)))

    def settle(self) -> None:
        """Wait until all that was sent is answered.

        Raises:
            CutError: some of it is not.
        """
        proxy, sent = self._proxy, list(self._open)
        self._open.clear()
        if not proxy.wait(lambda: all(proxy.peek(id_) for _, id_ in sent), self.seconds):
            late = next(attempt for attempt, id_ in sent if not proxy.peek(id_))
            told = f" in {self.seconds:g} seconds: give more --timeout"
            raise CutError(f"{late} got no answer{self._remains() or told}")

    def lose(self) -> None:
        """Wait until the agent has died of the last prompt, see what the proxy does, and kill that.

        Raises:
            CutError: the agent did not get it.
        """
        proxy, (attempt, id_) = self._proxy, self._open[-1]
        end = time.monotonic() + self.seconds
        while not (met(self.folder) or proxy.wire.closed or time.monotonic() > end):
            if proxy.wait(lambda: proxy.peek(id_) is not None, MOMENT):
                break  # what the agent got before that, it has noted
        if not met(self.folder):
            raise CutError(f"{attempt} did not reach the agent{self._remains()}")
        proxy.wait(lambda: proxy.peek(id_) is not None, GRACE)
        self._end()

    def arrived(self) -> dict[int, list[str]]:
        """The keys, as JSON, with which the agent got each prompt, by its number."""
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
        self._proxy.wire.kill()
        self.noise += len(self._proxy.wire.noise)
        self._now = None

    @property
    def _proxy(self) -> Connection:
        if self._now is None:
            raise RuntimeError("the proxy was not started")
        return self._now

    def _call(self, method: str, params: Mapping[str, object]) -> Line | None:
        return self._proxy.answer(self._proxy.request(method, params), self.seconds)

    def _lists(self) -> bool:
        """Whether a request gets through that was sent after all prompts, or the proxy ended."""
        return self._proxy.wire.closed or self._call("session/list", {}) is not None

    def _unreached(self) -> UnreachedError:
        return UnreachedError(f"the agent behind the proxy could not be reached{self._remains()}")

    def _remains(self) -> str:
        return self._proxy.wire.remains().told


def compare(
    sent: Sequence[Attempt], arrived: Mapping[int, Sequence[str]]
) -> tuple[list[Attempt], list[Attempt]]:
    """The attempts that came with a key that its prompt never had, and those that did not come."""
    changed: list[Attempt] = []
    missing: list[Attempt] = []
    for number in dict.fromkeys(attempt.number for attempt in sent):
        attempts = [each for each in sent if each.number == number]
        got = arrived.get(number, [])
        foreign = [key for key in got if key not in {each.key for each in attempts}]
        alone = _unmatched(attempts, got)
        changed += (alone or attempts[-1:])[: len(foreign)]
        missing += alone[len(foreign) :]
    return changed, [each for each in missing if each.key not in _MALFORMED]


def _unmatched(attempts: Sequence[Attempt], got: Sequence[str]) -> list[Attempt]:
    """The attempts of a prompt that no arrival of it is left for."""
    left, found = list(got), list[Attempt]()
    for each in attempts:
        if each.key in left:
            left.remove(each.key)
        else:
            found.append(each)
    return found


def _key(params: Mapping[str, Any]) -> str:
    """The key in params, to the letter; null and omitted are one."""
    return json.dumps(params.get("idempotencyKey"))
