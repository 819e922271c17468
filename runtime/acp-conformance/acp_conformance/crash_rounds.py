"""The verb `crashes`: kills an agent before and after it inserts prompts, and sends them again.

The times of the kills follow the agent. They start from the time that it takes to show or answer a
prompt, and close in on the insertion, until some prompts were inserted before a kill and some were
not. Which were is seen in the replay after the restart, before anything is sent again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from acp_conformance.agent_connection import AgentConnection
from acp_conformance.scenario import (
    DecisiveError,
    HamperedError,
    Scenario,
    UnmetError,
    UnplayableError,
)
from acp_conformance.trace_script import Json, Step

__all__ = ["KillTimes", "crashes"]

ROUNDS: Final = 12
"""The most kills of one step."""

ENOUGH: Final = 4
"""The fewest kills of one step, if both sides of the insertion were hit."""

AT_ONCE: Final = -1.0
"""A kill that does not wait until the agent has read the prompt."""

LATE: Final = 1.5
"""How many latencies to wait for an insertion that is expected."""

GROWTH: Final = 4
"""How many times longer to wait for an insertion that did not come, or shorter for one that did.

The first prompt of a process may take much longer than later ones, so the first wait may be far
off.
"""

NOT_RESUMED: Final = (
    "the session can't be resumed after the restart: store it, or give --restart-command"
)
NO_ID: Final = "a prompt with a new key got no messageId: see support-keys"
NO_RESULT: Final = "the retry after the kill got no result: see known-after-restart"
NOT_SHOWN: Final = (
    "a message that was inserted once is not shown once: send it in user_message updates of one"
    " messageId, in a replay too"
)

Perform = Callable[[Scenario, Step], None]


@dataclass(slots=True)
class KillTimes:
    """The search for kills before and after an insertion.

    Attributes:
        latency: the seconds in which the agent showed or answered a prompt.
        longest: the most seconds to wait for an insertion.
        before: the latest kill that came before an insertion; None if none has.
        after: the earliest kill that came after an insertion; None if none has.
    """

    latency: float
    longest: float
    before: float | None = None
    after: float | None = None
    rounds: int = 0

    @property
    def found(self) -> bool:
        """True if kills have hit both sides."""
        return self.before is not None and self.after is not None

    def next(self) -> float | None:
        """The delay of the next kill in seconds, or None if there is none."""
        if self.rounds >= (ENOUGH if self.found else ROUNDS):
            return None
        if self.after is None:
            if self.before is None:
                return min(LATE * self.latency, self.longest)
            later = min(GROWTH * max(self.before, 0.001), self.longest)
            return later if later > self.before else None
        if self.before is None:
            return self.after / GROWTH if self.after > 0.001 else AT_ONCE
        return max(self.before, 0.0) + (self.after - max(self.before, 0.0)) / 2

    def note(self, delay: float, inserted: int, count: int) -> None:
        """Note how many of the prompts of a round were inserted before the kill."""
        self.rounds += 1
        if inserted < count:
            self.before = delay if self.before is None else max(self.before, delay)
        if inserted > 0:
            self.after = delay if self.after is None else min(self.after, delay)


def crashes(scenario: Scenario, step: Step, perform: Perform) -> None:
    """Kill the agent at several times after prompts were sent, and send each prompt again.

    Raises:
        UnmetError: a prompt was inserted twice, or not at all.
        UnplayableError: the kills hit one side of the insertion only, or the agent can't be judged.
    """
    count = step.number("count") or 1
    run = _Rounds(scenario, step, perform)
    times = KillTimes(run.measure(), scenario.timeouts.answer)
    while (delay := times.next()) is not None:
        times.note(delay, run.play(times.rounds + 1, count, delay), count)
    if not times.found:
        side = "before" if times.before is None else "after"
        raise HamperedError(f"no kill in {times.rounds} came {side} the insertion of a prompt")


class _Rounds:
    def __init__(self, scenario: Scenario, step: Step, perform: Perform) -> None:
        self.scenario, self.step, self.perform = scenario, step, perform
        self.name = step.word("connection")
        self.session = step.word("session")

    def measure(self) -> float:
        """Send a prompt and return the seconds until it is shown or answered."""
        begin = time.monotonic()
        self.send("measured", "measured")
        self.need("shown", NOT_SHOWN, request="measured", text="measured")
        latency = time.monotonic() - begin
        self.need(
            "answer",
            "a prompt with a new key got no messageId: see support-keys",
            request="measured",
        )
        self.do("settled", connection=self.name, session=self.session)
        return latency

    def play(self, number: int, count: int, delay: float) -> int:
        """Kill the agent once. Return how many prompts it had inserted by then."""
        names = [f"round {number} of {count}, prompt {each}" for each in range(1, count + 1)]
        for name in names:
            self.send(name, name, flush=delay != AT_ONCE)
        self.scenario.pause(max(delay, 0.0))
        self.do("kill", connection=self.name)
        self.name = f"{self.step.word('connection')} after kill {number}"
        self.do("connect", connection=self.name)
        restarted = self.scenario.connections[self.name]
        self.need("resume", NOT_RESUMED, connection=self.name, session=self.session)
        inserted = sum(self.is_shown(restarted, name) for name in names)
        for name in names:
            self.do("prompt", connection=self.name, request=f"{name} again", again=name)
        for name in names:
            self.need("answered", NO_RESULT, request=f"{name} again", **{"with": "result"})
        self.do("settled", connection=self.name, session=self.session)
        self.count("measured", proves=False)
        for name in names:
            self.count(name, proves=True)
        return inserted

    def send(self, request: str, text: str, *, flush: bool = True) -> None:
        connection = self.scenario.connections[self.name]
        connection.flushes = flush
        self.do(
            "prompt",
            connection=self.name,
            session=self.session,
            request=request,
            text=text,
            key=request,
        )
        connection.flushes = True

    def is_shown(self, connection: AgentConnection, text: str) -> bool:
        session, mark = self.scenario.sessions[self.session], self.scenario.marks[text]
        return any(mark in shown for shown in connection.user_messages(session).values())

    def count(self, text: str, *, proves: bool) -> None:
        words: dict[str, Json] = {
            "connection": self.name,
            "session": self.session,
            "text": text,
            "count": 1,
            # An agent that joins waiting prompts has shown each of them under an ID of its own.
            "replayed": True,
        }
        step = Step("messages", words, self.step.proves if proves else ())
        try:
            self.perform(self.scenario, step)
        except UnmetError as error:
            if proves:
                raise
            raise UnplayableError(f"{NOT_SHOWN} ({error})") from error

    def need(self, verb: str, reason: str, **words: str) -> None:
        """Do a step without which nothing can be judged."""
        try:
            self.do(verb, **words)
        except DecisiveError as error:
            raise UnplayableError(str(error)) from error
        except UnmetError as error:
            raise UnplayableError(f"{reason} ({error})") from error

    def do(self, verb: str, **words: str) -> None:
        self.perform(self.scenario, Step(verb, {**words}))
