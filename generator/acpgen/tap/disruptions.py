"""Disruptions on purpose: lost and late answers, cut connections, killed agents.

A disruption names a message: `answer:session/prompt:2` is the second answer to `session/prompt`.
`request` and `notification` are the other kinds; without a number it is the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Pairing
from acp_wire.reader import peek

KINDS = {
    "answer": MessageKind.RESPONSE,
    "request": MessageKind.REQUEST,
    "notification": MessageKind.NOTIFICATION,
}
"""The kinds of messages, as a user names them."""

LOSE, DELAY, CUT, KILL = "lose", "delay", "cut", "kill"
BEFORE, AFTER = "before", "after"
_DEEDS = {
    LOSE: "lost",
    DELAY: "delayed",
    CUT: "cut the connection",
    KILL: "killed the agent",
}
_FORM = "answer, request or notification, a method and, optionally, a number from 1"
_PENDING = 10_000


class DisruptionError(ValueError):
    """The value of an option that describes no disruption; the text gives the reason."""


class Disruption:
    """One disruption.

    Args:
        action: LOSE, DELAY, CUT or KILL.
        target: the message, as the user named it.
        before: whether a cut or a kill comes before the message passes.
        seconds: how long a delay is.

    Attributes:
        line: names it in the file of `--once`.

    Raises:
        DisruptionError: the target names no message.
    """

    def __init__(
        self, action: str, target: str, *, before: bool = False, seconds: float = 0.0
    ) -> None:
        words = target.split(":")
        kind, method = words[0], words[1] if len(words) > 1 else ""
        number = words[2] if len(words) > 2 else "1"
        counts = number.isascii() and number.isdecimal() and int(number) > 0
        if kind not in KINDS or not method or len(words) > 3 or not counts:
            raise DisruptionError(f"{target!r} is not a message: it takes {_FORM}")
        self.action = action
        self.kind = KINDS[kind]
        self.method = method
        self.number = int(number)
        self.before = before
        self.seconds = seconds
        self.done = False
        self._seen = 0
        self._name = f"{kind} {self.number} of {method}"
        when = f"{BEFORE if before else AFTER}:" if action in (CUT, KILL) else ""
        self.line = f"{action} {when}{kind}:{method}:{self.number}"

    def meets(self, kind: MessageKind, method: str) -> bool:
        """Count a message, and return whether it is the one."""
        if self.done or kind is not self.kind or method != self.method:
            return False
        self._seen += 1
        self.done = self._seen == self.number
        return self.done

    @property
    def done_text(self) -> str:
        """What was done, for people."""
        when = f"{BEFORE if self.before else AFTER} " if self.action in (CUT, KILL) else ""
        return f"{_DEEDS[self.action]} {when}{self._name}"

    @property
    def earlier_text(self) -> str:
        """That an earlier start did it, for people."""
        return f"not again, since --once has it: {self.done_text}"

    @property
    def missed_text(self) -> str:
        """That the message did not come, for people."""
        return f"{self._name} did not come: not {_DEEDS[self.action]}"


def read_disruptions(
    lose: Sequence[str], delay: Sequence[str], cut: Sequence[str], kill: Sequence[str]
) -> list[Disruption]:
    """The disruptions that options describe.

    Raises:
        DisruptionError: one of them is not in the form of its option.
    """
    return [
        *(Disruption(LOSE, target) for target in lose),
        *map(_delay, delay),
        *(_timed(CUT, value, value) for value in cut),
        *map(_kill, kill),
    ]


def _delay(value: str) -> Disruption:
    target, equals, seconds = value.rpartition("=")
    try:
        duration = float(seconds)
    except ValueError:
        duration = -1.0
    if not equals or not 0 <= duration <= 86_400:
        raise DisruptionError(f"{value!r} has no =SECONDS, from 0 to 86400, after the message")
    return Disruption(DELAY, target, seconds=duration)


def _kill(value: str) -> Disruption:
    whom, _, rest = value.partition(":")
    if whom != "agent":
        raise DisruptionError(f"{value!r} must start with agent:, the only one to kill")
    return _timed(KILL, rest, value)


def _timed(action: str, rest: str, value: str) -> Disruption:
    when, _, target = rest.partition(":")
    if when not in (BEFORE, AFTER):
        raise DisruptionError(f"{value!r} must say before: or after: a message")
    return Disruption(action, target, before=when == BEFORE)


class Disruptor:
    """Finds the messages to disrupt. It sees all messages of both sides, in their order.

    Args:
        disruptions: what to do.
        may_do: asked before one is done; False leaves it out.
    """

    def __init__(
        self,
        disruptions: Sequence[Disruption],
        may_do: Callable[[Disruption], bool] = lambda _: True,
    ) -> None:
        self._disruptions = disruptions
        self._may_do = may_do
        self._pairing = Pairing(_PENDING)

    @property
    def unused(self) -> Iterator[Disruption]:
        """The disruptions whose message did not come."""
        return (each for each in self._disruptions if not each.done)

    def of(self, sender: str, line: bytes) -> list[Disruption]:
        """The disruptions of the message on a line."""
        message = peek(line)
        kind = kind_of(message)
        if kind is None or not isinstance(message, dict):
            return []
        id_, method = request_id(message), message.get("method")
        if kind is MessageKind.RESPONSE:
            found = None if id_ is None else self._pairing.find(id_, "", sender)
            if id_ is None or found is None:
                return []
            self._pairing.answered(id_, "", sender)
            method = found[0]
        elif kind is MessageKind.REQUEST and id_ is not None and isinstance(method, str):
            self._pairing.asked(method, id_, "", sender)
        if not isinstance(method, str):
            return []
        return [
            each for each in self._disruptions if each.meets(kind, method) and self._may_do(each)
        ]
