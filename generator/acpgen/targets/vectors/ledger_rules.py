"""The rules by which an agent handles keyed prompts, as a table.

They are those of `acp_retry.core`. A test plays random events with the table and with the core, and
compares every effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["CONDITIONS", "EFFECTS", "EVENTS", "OPERATIONS", "RULES", "STATES", "LedgerRule"]


@dataclass(frozen=True, slots=True)
class LedgerRule:
    """One row: what an event does to the claim of a prompt.

    Fields:
        id: names the rule in traces.
        state: the state of the claim before, or `any`.
        event: what happens.
        when: what else has to hold, each one of `CONDITIONS`.
        next: the state afterwards, or `same`.
        does: what the agent does, in order, each one of `OPERATIONS`.
    """

    id: str
    state: str
    event: str
    when: tuple[str, ...]
    next: str
    does: tuple[str, ...]


STATES: Final[Mapping[str, str]] = {
    "none": "There is no claim. Nothing is recorded, or the message is in the session.",
    "claimed": "The store is searched for the message. It is not known whether it is there.",
    "held": "The agent has the prompt, and has not inserted it. It can be withdrawn.",
    "submitting": "It is being inserted. It can't be withdrawn any more.",
}

EVENTS: Final[Mapping[str, str]] = {
    "prompt": "`session/prompt` has arrived as `attempt`, in `session`, with `key` or without one. "
    "`digest` sums up its content blocks, and `size` counts its bytes.",
    "found": "The search for `claim` has ended, with the `messageId` of the message, or null. "
    "`digest` is that of the message, if it is known.",
    "found-elsewhere": "A notice of another node has led to the message of `claim`: its "
    "`messageId`, and its `digest` if it is known.",
    "begin": "The agent is about to insert `claim`. `allowed` is whether it may.",
    "inserted": "`claim` is in the session as `messageId`. With `live`, no history keeps it.",
    "refuse": "The agent refuses the prompt `claim` that it holds, with the error `code`.",
    "fail": "`claim` could not be searched for, or was not inserted: the error `code`.",
    "cancel": "`$/cancel_request` for `attempt`, and its claim.",
    "cancel-elsewhere": "A notice of another node: it was asked to cancel `key` in `session`. It "
    "does what `cancel` does.",
    "withdraw": "`session/cancel`, close or delete of `session`, here or by a notice of another "
    "node. It does what `cancel` does, to each claim of the session, the oldest first.",
    "lost": "`connection` has ended: once for each of its attempts, in the order in which they "
    "began to wait. An attempt begins to wait again when its claim is replaced.",
    "ended": "`session` is active on no connection any more.",
}

CONDITIONS: Final[Mapping[str, str]] = {
    "repeated": "An attempt of this connection and id waits.",
    "keyed": "The prompt has a key.",
    "keyless": "It has none.",
    "live": "The key is that of a live message of the session.",
    "room": "Fewer than `most` other claims wait, and their sizes and that of the prompt are "
    "`mostBytes` at most, or no other claim waits.",
    "full": "There is no `room`.",
    "wanted": "An attempt was neither cancelled nor refused when it came, even if it is lost.",
    "unwanted": "Every attempt was cancelled or refused.",
    "differs": "Prompts are compared, both digests are known, and they differ.",
    "there": "The message is in the session.",
    "missing": "It is not.",
    "kept": "Orphans are kept, or an attempt is left that is not rejected and whose digest does "
    "not differ from that of the claim.",
    "attended": "An attempt of the claim is left, rejected or not.",
    "live-only": "No history keeps the message, and its session is active.",
    "first": "The attempt is the oldest that is not rejected, and another such attempt is left.",
    "last": "No other attempt is left that is not rejected.",
    "dropped": "Orphans are not kept.",
}

OPERATIONS: Final[Mapping[str, str]] = {
    "answer -32600": "Answer the attempt with this error.",
    "answer -32602": "Answer the attempt with this error.",
    "answer -32603": "Answer the attempt with this error.",
    "answer live": "Answer the attempt with the `messageId`, or with -32602 if its digest `differs`"
    " from that of the live message.",
    "start": "Start a claim with the attempt. Its digest is the claim's.",
    "start rejected": "Start a claim that is not wanted. The attempt is rejected with -32603.",
    "join": "Add the attempt to the claim. If the claim was not wanted, it is wanted now, and its "
    "digest and size are the attempt's.",
    "reject": "Start another claim for the same key, which is not wanted, since the search under "
    "way may miss what was inserted before the attempt came. The attempt is rejected with -32603, "
    "and stays after those that were rejected already.",
    "answer rejected": "Answer each rejected attempt with its own error.",
    "answer differing": "Answer each attempt whose digest `differs` from the claim's with -32602.",
    "answer all": "Answer the rejected attempts, then the others, with the `messageId`, or with "
    "-32602 if the attempt's digest `differs` from that of the message.",
    "fail all": "Answer the rejected attempts, then the others, with the error of the event: its "
    "`code`, or -32800.",
    "again": "Start another claim for the same key, which is not wanted. The attempts are rejected "
    "with the error of the event, and stay before those that were rejected already.",
    "stop": "The agent must not insert the claim.",
    "promote": "The next attempt is the oldest.",
    "leave": "Take the attempt out of the claim.",
    "allow": "The agent may insert the claim.",
    "deny": "It may not.",
    "know live": "The key is that of a live message of the session until the session ends.",
    "forget live": "Forget the live messages of the session.",
}

EFFECTS: Final[Mapping[str, str]] = {
    "start": "`claim` is new. If it is `claimed`, search the store for it; if it is `held`, hand "
    "it to the agent.",
    "stop": "The agent must not insert `claim`.",
    "promote": "The oldest attempt of `claim` was lost, and the next one replaces it. For reports.",
    "answer": "Answer `attempt` with the `messageId`, or with the error `code`.",
}


def _rule(id_: str, state: str, event: str, when: str, next_: str, does: str) -> LedgerRule:
    """A rule whose conditions and operations are texts, separated by commas."""
    return LedgerRule(id_, state, event, _split(when), next_, _split(does))


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split(", ")) if text else ()


RULES: Final = (
    _rule("repeated-id", "any", "prompt", "repeated", "same", "answer -32600"),
    _rule("known-live", "none", "prompt", "keyed, live", "none", "answer live"),
    _rule("new", "none", "prompt", "keyed, room", "claimed", "start"),
    _rule("full", "none", "prompt", "keyed, full", "claimed", "start rejected"),
    _rule("new-keyless", "none", "prompt", "keyless, room", "held", "start"),
    _rule("full-keyless", "none", "prompt", "keyless, full", "none", "answer -32603"),
    _rule("join", "claimed", "prompt", "wanted", "claimed", "join"),
    _rule("join-cancelled", "claimed", "prompt", "unwanted, room", "claimed", "join"),
    _rule("join-full", "claimed", "prompt", "unwanted, full", "claimed", "reject"),
    _rule("reused", "held", "prompt", "differs", "held", "answer -32602"),
    _rule("join-held", "held", "prompt", "", "held", "join"),
    _rule("reused-submitting", "submitting", "prompt", "differs", "submitting", "answer -32602"),
    _rule("join-submitting", "submitting", "prompt", "", "submitting", "join"),
    _rule("found", "claimed", "found", "there", "none", "answer all"),
    _rule(
        "missing",
        "claimed",
        "found",
        "missing, wanted, kept",
        "held",
        "answer rejected, answer differing",
    ),
    _rule(
        "missing-orphan",
        "claimed",
        "found",
        "missing, wanted",
        "none",
        "answer rejected, answer differing",
    ),
    _rule("missing-unwanted", "claimed", "found", "missing, unwanted", "none", "answer rejected"),
    _rule("late-search", "none", "found", "", "none", ""),
    _rule("found-elsewhere", "claimed", "found-elsewhere", "", "none", "answer all"),
    _rule("found-elsewhere-held", "held", "found-elsewhere", "", "none", "answer all"),
    _rule("found-elsewhere-late", "submitting", "found-elsewhere", "", "submitting", ""),
    _rule("search-failed", "claimed", "fail", "", "none", "fail all"),
    _rule("insertion-failed", "submitting", "fail", "", "none", "fail all"),
    _rule("begin", "held", "begin", "", "submitting", "allow"),
    _rule("begin-early", "claimed", "begin", "", "claimed", "deny"),
    _rule("begin-again", "submitting", "begin", "", "submitting", "deny"),
    _rule("begin-late", "none", "begin", "", "none", "deny"),
    _rule(
        "inserted-live",
        "submitting",
        "inserted",
        "live-only, keyed",
        "none",
        "know live, answer all",
    ),
    _rule("inserted", "submitting", "inserted", "", "none", "answer all"),
    _rule("refuse", "held", "refuse", "keyed, attended", "claimed", "again"),
    _rule("refuse-keyless", "held", "refuse", "keyless", "none", "fail all"),
    _rule("refuse-orphan", "held", "refuse", "", "none", ""),
    _rule("refuse-late", "submitting", "refuse", "", "submitting", ""),
    _rule("cancel", "held", "cancel", "keyed, attended", "claimed", "stop, again"),
    _rule("cancel-search", "claimed", "cancel", "wanted, attended", "claimed", "stop, again"),
    _rule("cancel-again", "claimed", "cancel", "unwanted", "claimed", ""),
    _rule("cancel-keyless", "held", "cancel", "keyless", "none", "stop, fail all"),
    _rule("cancel-orphan", "held", "cancel", "", "none", "stop"),
    _rule("cancel-searched-orphan", "claimed", "cancel", "", "none", "stop"),
    _rule("cancel-late", "submitting", "cancel", "", "submitting", ""),
    _rule("cancel-unknown", "none", "cancel", "", "none", ""),
    _rule("promote", "any", "lost", "first", "same", "leave, promote"),
    _rule("drop-orphan", "held", "lost", "last, dropped", "none", "leave, stop"),
    _rule("orphan", "held", "lost", "last", "held", "leave"),
    _rule("lose-search", "claimed", "lost", "last", "claimed", "leave"),
    _rule("lose-submitting", "submitting", "lost", "last", "submitting", "leave"),
    _rule("lose-one", "any", "lost", "", "same", "leave"),
    _rule("forget-live", "none", "ended", "", "none", "forget live"),
)
"""The first row that fits is the rule. Events that no row fits change nothing."""
