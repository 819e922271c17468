"""Traces of the ledger's rules: events, and the effects that each must have.

Every rule of `ledger_rules` is used in a trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from acpgen.model import JsonValue

__all__ = ["LEDGER_TRACES", "LedgerStep", "LedgerTrace"]

Json = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class LedgerStep:
    """One event, its effects, and the state of every claim afterwards."""

    rule: str
    event: Json
    effects: tuple[Json, ...]
    claims: Mapping[str, str]

    def members(self) -> JsonValue:
        """The step as JSON."""
        event: Json = {**self.event}
        return {
            "rule": self.rule,
            **event,
            "effects": list(self.effects),
            "claims": dict(self.claims),
        }


@dataclass(frozen=True, slots=True)
class LedgerTrace:
    """Events in one process.

    Fields:
        name: the name of the file.
        title: what the trace shows.
        steps: the events, in order.
        compare: whether a key with another prompt is refused.
        keep_orphans: whether a prompt stays whose connections are all lost.
    """

    name: str
    title: str
    steps: tuple[LedgerStep, ...]
    compare: bool = False
    keep_orphans: bool = True


@dataclass(slots=True)
class _Script:
    """Builds the steps of a trace. Claims are numbered in the order of their `start`."""

    steps: list[LedgerStep] = field(default_factory=list)

    def step(self, rule: str, event: Json, *effects: Json, **claims: str) -> None:
        named = {name.removeprefix("_"): state for name, state in claims.items()}
        self.steps.append(LedgerStep(rule, event, effects, named))


CANCELLED: Final = -32800
REUSED: Final = -32602
REPEATED: Final = -32600
REFUSED: Final = -32042
FAILED: Final = -32603


def _prompt(attempt: str, key: str | None = "k", digest: str | None = None) -> Json:
    content: Json = {} if digest is None else {"digest": digest}
    named: Json = {} if key is None else {"key": key}
    return {"event": "prompt", "attempt": attempt, "session": "s", **named, **content}


def _found(claim: str, message_id: str | None = None) -> Json:
    return {"event": "found", "claim": claim, "messageId": message_id}


def _begin(claim: str, *, allowed: bool = True) -> Json:
    return {"event": "begin", "claim": claim, "allowed": allowed}


def _inserted(claim: str, message_id: str, *, live: bool = False) -> Json:
    more: Json = {"live": True} if live else {}
    return {"event": "inserted", "claim": claim, "messageId": message_id, **more}


def _refuse(claim: str) -> Json:
    return {"event": "refuse", "claim": claim, "code": REFUSED}


def _fail(claim: str) -> Json:
    return {"event": "fail", "claim": claim, "code": FAILED}


def _cancel(attempt: str) -> Json:
    return {"event": "cancel", "attempt": attempt}


def _lost(connection: str) -> Json:
    return {"event": "lost", "connection": connection}


_WITHDRAW: Final[Json] = {"event": "withdraw", "session": "s"}
_ENDED: Final[Json] = {"event": "ended", "session": "s"}


def _start(claim: str) -> Json:
    return {"do": "start", "claim": claim}


def _stop(claim: str) -> Json:
    return {"do": "stop", "claim": claim}


def _answer(attempt: str, outcome: str | int) -> Json:
    member = "messageId" if isinstance(outcome, str) else "code"
    return {"do": "answer", "attempt": attempt, member: outcome}


def _trace(
    name: str, title: str, script: _Script, *, compare: bool = False, keep_orphans: bool = True
) -> LedgerTrace:
    return LedgerTrace(name, title, tuple(script.steps), compare, keep_orphans)


def _inserts() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("inserted", _inserted("1", "m1"), _answer("a/1", "m1"))
    s.step("new", _prompt("a/2"), _start("2"), _2="claimed")
    s.step("found", _found("2", "m1"), _answer("a/2", "m1"))
    return _trace("insert-and-retry", "A prompt is inserted, and its retry is answered.", s)


def _keyless() -> LedgerTrace:
    s = _Script()
    s.step("new-keyless", _prompt("a/1", None), _start("1"), _1="held")
    s.step("new-keyless", _prompt("a/2", None), _start("2"), _1="held", _2="held")
    s.step("refuse-keyless", _refuse("1"), _answer("a/1", REFUSED), _2="held")
    s.step("cancel-keyless", _cancel("a/2"), _stop("2"), _answer("a/2", CANCELLED))
    s.step("new-keyless", _prompt("a/3", None), _start("3"), _3="held")
    s.step("begin", _begin("3"), _3="submitting")
    s.step("inserted", _inserted("3", "m1"), _answer("a/3", "m1"))
    return _trace("keyless", "Prompts without a key are searched for never, and are all new.", s)


def _joins() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("repeated-id", _prompt("a/1"), _answer("a/1", REPEATED), _1="claimed")
    s.step("join", _prompt("a/2"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("join-held", _prompt("b/1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("join-submitting", _prompt("b/2"), _1="submitting")
    answers = (_answer(each, "m1") for each in ("a/1", "a/2", "b/1", "b/2"))
    s.step("inserted", _inserted("1", "m1"), *answers)
    return _trace("join", "Attempts join a prompt in each state, and get one answer.", s)


def _too_late() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("cancel-late", _cancel("a/1"), _1="submitting")
    s.step("withdraw-late", _WITHDRAW, _1="submitting")
    s.step("refuse-late", _refuse("1"), _1="submitting")
    s.step("lose-submitting", _lost("a"), _1="submitting")
    s.step("inserted", _inserted("1", "m1"))
    s.step("cancel-unknown", _cancel("a/1"))
    return _trace("too-late", "What is being inserted can't be withdrawn or refused.", s)


def _cancels() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("join-held", _prompt("b/1"), _1="held")
    s.step("cancel-unknown", _cancel("c/1"), _1="held")
    s.step("cancel", _cancel("b/1"), _stop("1"), _start("2"), _2="claimed")
    s.step("begin-late", _begin("1", allowed=False), _2="claimed")
    s.step("late-search", _found("1", "m9"), _2="claimed")
    s.step("cancel-again", _cancel("a/1"), _2="claimed")
    s.step(
        "missing-unwanted",
        _found("2"),
        _answer("a/1", CANCELLED),
        _answer("b/1", CANCELLED),
    )
    return _trace("cancel", "A cancellation withdraws a prompt for all its attempts.", s)


def _cancelled_elsewhere() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("cancel-search", _cancel("a/1"), _stop("1"), _start("2"), _2="claimed")
    s.step("found", _found("2", "m1"), _answer("a/1", "m1"))
    title = "A cancelled prompt that another process has inserted is answered with its messageId."
    return _trace("cancel-inserted-elsewhere", title, s)


def _cancelled_and_joined() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("withdraw", _WITHDRAW, _stop("1"), _start("2"), _2="claimed")
    s.step("join", _prompt("a/2"), _2="claimed")
    s.step("missing", _found("2"), _answer("a/1", CANCELLED), _2="held")
    s.step("begin", _begin("2"), _2="submitting")
    s.step("inserted", _inserted("2", "m1"), _answer("a/2", "m1"))
    title = "An attempt that arrives after the cancellation is a new submission under the same key."
    return _trace("cancel-then-join", title, s)


def _refuses() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("refuse", _refuse("1"), _start("2"), _2="claimed")
    s.step("missing-unwanted", _found("2"), _answer("a/1", REFUSED))
    s.step("new", _prompt("a/2"), _start("3"), _3="claimed")
    s.step("search-failed", _fail("3"), _answer("a/2", FAILED))
    s.step("new", _prompt("a/3"), _start("4"), _4="claimed")
    s.step("missing", _found("4"), _4="held")
    s.step("begin", _begin("4"), _4="submitting")
    s.step("insertion-failed", _fail("4"), _answer("a/3", FAILED))
    s.step("new", _prompt("a/4"), _start("5"), _5="claimed")
    return _trace("errors", "An error leaves the key unused, whatever it comes from.", s)


def _loses() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("join-held", _prompt("b/1"), _1="held")
    s.step("join-held", _prompt("c/1"), _1="held")
    s.step("lose-one", _lost("b"), _1="held")
    s.step("promote", _lost("a"), {"do": "promote", "claim": "1"}, _1="held")
    s.step("orphan", _lost("c"), _1="held")
    s.step("join-held", _prompt("d/1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("inserted", _inserted("1", "m1"), _answer("d/1", "m1"))
    return _trace("lost-connections", "A prompt outlives its connections, and a retry joins it.", s)


def _orphans() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("drop-orphan", _lost("a"), _stop("1"))
    s.step("new", _prompt("b/1"), _start("2"), _2="claimed")
    s.step("lose-search", _lost("b"), _2="claimed")
    s.step("missing-orphan", _found("2"))
    s.step("new", _prompt("c/1"), _start("3"), _3="claimed")
    title = "An agent that keeps no orphans drops a prompt with its last connection."
    return _trace("dropped-orphans", title, s, keep_orphans=False)


def _withdrawn_orphan() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("orphan", _lost("a"), _1="held")
    s.step("withdraw-orphan", _WITHDRAW, _stop("1"))
    s.step("new", _prompt("b/1"), _start("2"), _2="claimed")
    s.step("missing", _found("2"), _2="held")
    s.step("orphan", _lost("b"), _2="held")
    s.step("refuse-orphan", _refuse("2"))
    s.step("new", _prompt("c/1"), _start("3"), _3="claimed")
    s.step("lose-search", _lost("c"), _3="claimed")
    s.step("withdraw-searched", _WITHDRAW, _stop("3"))
    return _trace("ended-orphans", "Orphans can be withdrawn and refused like others.", s)


def _live() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("inserted-live", _inserted("1", "m1", live=True), _answer("a/1", "m1"))
    s.step("known-live", _prompt("b/1"), _answer("b/1", "m1"))
    s.step("forget-live", _ENDED)
    s.step("new", _prompt("a/2"), _start("2"), _2="claimed")
    title = "The key of a message that no history keeps lasts while its session is active."
    return _trace("live-only", title, s)


def _compares() -> LedgerTrace:
    s = _Script()
    s.step("new", _prompt("a/1", digest="one"), _start("1"), _1="claimed")
    s.step("join", _prompt("b/1", digest="two"), _1="claimed")
    s.step("missing", _found("1"), _answer("b/1", REUSED), _1="held")
    s.step("reused", _prompt("b/2", digest="two"), _answer("b/2", REUSED), _1="held")
    s.step("join-held", _prompt("b/3", digest="one"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    again = _prompt("b/4", digest="two")
    s.step("reused-submitting", again, _answer("b/4", REUSED), _1="submitting")
    s.step("inserted", _inserted("1", "m1"), _answer("a/1", "m1"), _answer("b/3", "m1"))
    title = "An agent that compares prompts refuses a key that comes with another prompt."
    return _trace("compare", title, s, compare=True)


LEDGER_TRACES: Final = tuple(
    make()
    for make in (
        _inserts,
        _keyless,
        _joins,
        _too_late,
        _cancels,
        _cancelled_elsewhere,
        _cancelled_and_joined,
        _refuses,
        _loses,
        _orphans,
        _withdrawn_orphan,
        _live,
        _compares,
    )
)
