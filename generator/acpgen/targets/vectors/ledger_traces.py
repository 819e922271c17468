"""Traces of the ledger's rules: events, and the effects that each must have.

Every rule of `ledger_rules` is used in a trace.
"""

from __future__ import annotations

from typing import Final

from acpgen.targets.vectors.ledger_script import Json, LedgerScript, LedgerTrace

__all__ = ["LEDGER_TRACES"]


CANCELLED: Final = -32800
REUSED: Final = -32602
REPEATED: Final = -32600
REFUSED: Final = -32042
FAILED: Final = -32603


def _prompt(attempt: str, key: str | None = "k", **content: str | int) -> Json:
    named: Json = {} if key is None else {"key": key}
    return {"event": "prompt", "attempt": attempt, "session": "s", **named, **content}


def _found(claim: str, message_id: str | None = None, **digest: str) -> Json:
    return {"event": "found", "claim": claim, "messageId": message_id, **digest}


def _found_elsewhere(claim: str, message_id: str) -> Json:
    return {"event": "found-elsewhere", "claim": claim, "messageId": message_id}


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


def _cancel_elsewhere(key: str = "k") -> Json:
    return {"event": "cancel-elsewhere", "session": "s", "key": key}


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


def _inserts() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("inserted", _inserted("1", "m1"), _answer("a/1", "m1"))
    s.step("new", _prompt("a/2"), _start("2"), _2="claimed")
    s.step("found", _found("2", "m1"), _answer("a/2", "m1"))
    return s.trace("insert-and-retry", "A prompt is inserted, and its retry is answered.")


def _keyless() -> LedgerTrace:
    s = LedgerScript()
    s.step("new-keyless", _prompt("a/1", None), _start("1"), _1="held")
    s.step("new-keyless", _prompt("a/2", None), _start("2"), _1="held", _2="held")
    s.step("refuse-keyless", _refuse("1"), _answer("a/1", REFUSED), _2="held")
    s.step("cancel-keyless", _cancel("a/2"), _stop("2"), _answer("a/2", CANCELLED))
    s.step("new-keyless", _prompt("a/3", None), _start("3"), _3="held")
    s.step("begin", _begin("3"), _3="submitting")
    s.step("inserted", _inserted("3", "m1"), _answer("a/3", "m1"))
    return s.trace("keyless", "Prompts without a key are never searched for, and each is new.")


def _joins() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("repeated-id", _prompt("a/1"), _answer("a/1", REPEATED), _1="claimed")
    s.step("join", _prompt("a/2"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("join-held", _prompt("b/1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("join-submitting", _prompt("b/2"), _1="submitting")
    answers = (_answer(each, "m1") for each in ("a/1", "a/2", "b/1", "b/2"))
    s.step("inserted", _inserted("1", "m1"), *answers)
    return s.trace("join", "Attempts join a prompt in each state, and get one answer.")


def _too_late() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("cancel-late", _cancel("a/1"), _1="submitting")
    s.step("cancel-late", _WITHDRAW, _1="submitting")
    s.step("begin-again", _begin("1", allowed=False), _1="submitting")
    s.step("found-elsewhere-late", _found_elsewhere("1", "m9"), _1="submitting")
    s.step("refuse-late", _refuse("1"), _1="submitting")
    s.step("lose-submitting", _lost("a"), _1="submitting")
    s.step("inserted", _inserted("1", "m1"))
    s.step("cancel-unknown", _cancel("a/1"))
    return s.trace("too-late", "What is being inserted can't be withdrawn or refused.")


def _cancels() -> LedgerTrace:
    s = LedgerScript()
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
    return s.trace("cancel", "A cancellation withdraws a prompt for all its attempts.")


def _cancelled_elsewhere() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("cancel-search", _cancel("a/1"), _stop("1"), _start("2"), _2="claimed")
    s.step("found", _found("2", "m1"), _answer("a/1", "m1"))
    title = "A cancelled prompt that another process has inserted is answered with its messageId."
    return s.trace("cancel-inserted-elsewhere", title)


def _cancelled_and_joined() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("cancel", _WITHDRAW, _stop("1"), _start("2"), _2="claimed")
    s.step("join-cancelled", _prompt("a/2"), _2="claimed")
    s.step("begin-early", _begin("2", allowed=False), _2="claimed")
    s.step("missing", _found("2"), _answer("a/1", CANCELLED), _2="held")
    s.step("begin", _begin("2"), _2="submitting")
    s.step("inserted", _inserted("2", "m1"), _answer("a/2", "m1"))
    title = "An attempt that arrives after the cancellation is a new submission under the same key."
    return s.trace("cancel-then-join", title)


def _refuses() -> LedgerTrace:
    s = LedgerScript()
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
    return s.trace("errors", "An error leaves the key unused, whatever it comes from.")


def _loses() -> LedgerTrace:
    s = LedgerScript()
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
    return s.trace(
        "lost-connections",
        "A prompt outlives its connections, and a retry joins it.",
    )


def _orphans() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("drop-orphan", _lost("a"), _stop("1"))
    s.step("new", _prompt("b/1"), _start("2"), _2="claimed")
    s.step("lose-search", _lost("b"), _2="claimed")
    s.step("missing-orphan", _found("2"))
    s.step("new", _prompt("c/1"), _start("3"), _3="claimed")
    title = "An agent that keeps no orphans drops a prompt with its last connection."
    return s.trace("dropped-orphans", title, keep_orphans=False)


def _withdrawn_orphan() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("orphan", _lost("a"), _1="held")
    s.step("cancel-orphan", _WITHDRAW, _stop("1"))
    s.step("new", _prompt("b/1"), _start("2"), _2="claimed")
    s.step("missing", _found("2"), _2="held")
    s.step("orphan", _lost("b"), _2="held")
    s.step("refuse-orphan", _refuse("2"))
    s.step("new", _prompt("c/1"), _start("3"), _3="claimed")
    s.step("lose-search", _lost("c"), _3="claimed")
    s.step("cancel-searched-orphan", _WITHDRAW, _stop("3"))
    return s.trace("ended-orphans", "Orphans can be withdrawn and refused like others.")


def _live() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("inserted-live", _inserted("1", "m1", live=True), _answer("a/1", "m1"))
    s.step("known-live", _prompt("b/1"), _answer("b/1", "m1"))
    s.step("forget-live", _ENDED)
    s.step("new", _prompt("a/2"), _start("2"), _2="claimed")
    title = "The key of a message that no history keeps lasts while its session is active."
    return s.trace("live-only", title)


def _compares() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1", digest="one"), _start("1"), _1="claimed")
    s.step("join", _prompt("b/1", digest="two"), _1="claimed")
    s.step("missing", _found("1"), _answer("b/1", REUSED), _1="held")
    s.step("reused", _prompt("b/2", digest="two"), _answer("b/2", REUSED), _1="held")
    s.step("join-held", _prompt("b/3", digest="one"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    again = _prompt("b/4", digest="two")
    s.step("reused-submitting", again, _answer("b/4", REUSED), _1="submitting")
    s.step("inserted", _inserted("1", "m1"), _answer("a/1", "m1"), _answer("b/3", "m1"))
    s.step("new", _prompt("b/5", digest="two"), _start("2"), _2="claimed")
    s.step("join", _prompt("b/6", digest="one"), _2="claimed")
    found = _found("2", "m1", digest="one")
    s.step("found", found, _answer("b/5", REUSED), _answer("b/6", "m1"))
    title = "An agent that compares prompts refuses a key that comes with another prompt."
    return s.trace("compare", title, compare=True)


def _live_unwanted() -> LedgerTrace:
    s = LedgerScript()
    s.step("new-keyless", _prompt("a/1", None), _start("1"), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("inserted", _inserted("1", "m1", live=True), _answer("a/1", "m1"))
    s.step("new", _prompt("a/2"), _start("2"), _2="claimed")
    s.step("missing", _found("2"), _2="held")
    s.step("orphan", _lost("a"), _2="held")
    s.step("begin", _begin("2"), _2="submitting")
    s.step("inserted", _inserted("2", "m2", live=True))
    s.step("new", _prompt("b/1"), _start("3"), _3="claimed")
    title = "A message without a key, or of a session that is not active, is not known afterwards."
    return s.trace("live-only-unknown", title)


def _crowds() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1", "one"), _start("1"), _1="claimed")
    s.step("new-keyless", _prompt("a/2", None), _start("2"), _1="claimed", _2="held")
    s.step("full-keyless", _prompt("a/3", None), _answer("a/3", FAILED), _1="claimed", _2="held")
    s.step("join", _prompt("b/1", "one"), _1="claimed", _2="held")
    s.step("full", _prompt("a/4"), _start("3"), _1="claimed", _2="held", _3="claimed")
    s.step("join-full", _prompt("b/4"), _start("4"), _1="claimed", _2="held", _4="claimed")
    s.step("late-search", _found("3"), _1="claimed", _2="held", _4="claimed")
    answers = _answer("a/4", FAILED), _answer("b/4", FAILED)
    s.step("missing-unwanted", _found("4"), *answers, _1="claimed", _2="held")
    s.step("full", _prompt("a/5"), _start("5"), _1="claimed", _2="held", _5="claimed")
    s.step("found", _found("5", "m5"), _answer("a/5", "m5"), _1="claimed", _2="held")
    s.step("cancel-keyless", _cancel("a/2"), _stop("2"), _answer("a/2", CANCELLED), _1="claimed")
    s.step("new", _prompt("a/6"), _start("6"), _1="claimed", _6="claimed")
    title = "Prompts beyond the limit are refused, unless their message is there."
    return s.trace("most", title, most=2)


def _weighs() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1", "one", size=300), _start("1"), _1="claimed")
    s.step("missing", _found("1"), _1="held")
    s.step("full", _prompt("a/2", "two", size=1), _start("2"), _1="held", _2="claimed")
    s.step("missing-unwanted", _found("2"), _answer("a/2", FAILED), _1="held")
    s.step("begin", _begin("1"), _1="submitting")
    s.step("inserted", _inserted("1", "m1"), _answer("a/1", "m1"))
    s.step("new", _prompt("a/3", "two", size=60), _start("3"), _3="claimed")
    s.step("new", _prompt("a/4", "three", size=40), _start("4"), _3="claimed", _4="claimed")
    s.step("full", _prompt("a/5", "four", size=1), _start("5"), **_claimed("345"))
    s.step("cancel-search", _cancel("a/4"), _stop("4"), _start("6"), **_claimed("356"))
    s.step("join-cancelled", _prompt("b/4", "three", size=39), **_claimed("356"))
    s.step("missing-unwanted", _found("5"), _answer("a/5", FAILED), **_claimed("36"))
    s.step("new", _prompt("a/6", "five", size=1), _start("7"), **_claimed("367"))
    title = "A prompt may be larger than the limit in bytes, but not beside others."
    return s.trace("most-bytes", title, most_bytes=100)


def _claimed(names: str) -> dict[str, str]:
    return {f"_{name}": "claimed" for name in names}


def _hears() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("found-elsewhere", _found_elsewhere("1", "m1"), _answer("a/1", "m1"))
    s.step("late-search", _found("1"))
    s.step("new", _prompt("a/2"), _start("2"), _2="claimed")
    s.step("missing", _found("2"), _2="held")
    s.step("join-held", _prompt("b/2"), _2="held")
    heard = _found_elsewhere("2", "m1")
    s.step("found-elsewhere-held", heard, _answer("a/2", "m1"), _answer("b/2", "m1"))
    s.step("begin-late", _begin("2", allowed=False))
    s.step("new", _prompt("a/3"), _start("3"), _3="claimed")
    s.step("missing", _found("3"), _3="held")
    s.step("cancel", _cancel_elsewhere(), _stop("3"), _start("4"), _4="claimed")
    s.step("missing-unwanted", _found("4"), _answer("a/3", CANCELLED))
    s.step("cancel-unknown", _cancel_elsewhere())
    s.step("new", _prompt("a/4"), _start("5"), _5="claimed")
    s.step("cancel-search", _cancel_elsewhere(), _stop("5"), _start("6"), _6="claimed")
    s.step("cancel-again", _cancel_elsewhere(), _6="claimed")
    s.step("lose-search", _lost("a"), _6="claimed")
    s.step("missing-unwanted", _found("6"))
    title = "Notices of other nodes cancel a prompt, and answer one whose message is there."
    return s.trace("notices", title)


def _rejects_and_loses() -> LedgerTrace:
    s = LedgerScript()
    s.step("new", _prompt("a/1"), _start("1"), _1="claimed")
    s.step("cancel-search", _cancel("a/1"), _stop("1"), _start("2"), _2="claimed")
    s.step("join-cancelled", _prompt("b/1"), _2="claimed")
    s.step("lose-search", _lost("b"), _2="claimed")
    s.step("missing-orphan", _found("2"), _answer("a/1", CANCELLED))
    title = "An attempt that was cancelled is answered also if a later one is lost."
    return s.trace("cancelled-and-lost", title, keep_orphans=False)


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
        _live_unwanted,
        _compares,
        _crowds,
        _weighs,
        _hears,
        _rejects_and_loses,
    )
)
