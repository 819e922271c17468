"""The rules by which an agent handles keyed prompts, as a table.

They are those of `acp_retry.core`, which a test compares with the table and with the traces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["EFFECTS", "EVENTS", "RULES", "STATES", "LedgerRule"]


@dataclass(frozen=True, slots=True)
class LedgerRule:
    """One row: what an event does to the claim of a prompt.

    Fields:
        id: names the rule in traces.
        state: the state of the claim before, or `any`.
        event: what happens.
        condition: what else has to hold; empty if nothing.
        next: the state afterwards, or `same`.
        effects: what the agent does, in words.
    """

    id: str
    state: str
    event: str
    condition: str
    next: str
    effects: str


STATES: Final[Mapping[str, str]] = {
    "none": "There is no claim. Nothing is recorded, or the message is in the session.",
    "claimed": "The store is searched for the message. It is not known whether it is there.",
    "held": "The agent has the prompt, and has not inserted it. It can be withdrawn.",
    "submitting": "It is being inserted. It can't be withdrawn any more.",
}

EVENTS: Final[Mapping[str, str]] = {
    "prompt": "`session/prompt` has arrived as `attempt`, in `session`, with `key` or without one. "
    "`digest` stands for its content blocks.",
    "found": "The search for `claim` has ended, with the `messageId` of the message, or null.",
    "begin": "The agent is about to insert `claim`. `allowed` is whether it may.",
    "inserted": "`claim` is in the session as `messageId`. With `live`, no history keeps it.",
    "refuse": "The agent refuses the prompt `claim` that it holds, with the error `code`.",
    "fail": "`claim` could not be searched for, or was not inserted: the error `code`.",
    "cancel": "`$/cancel_request` for `attempt`.",
    "withdraw": "`session/cancel`, close or delete of `session`: every prompt that is not being "
    "inserted is cancelled.",
    "lost": "`connection` has ended.",
    "ended": "`session` is active on no connection any more.",
}

EFFECTS: Final[Mapping[str, str]] = {
    "start": "`claim` is new. If it is `claimed`, search the store for it; if it is `held`, hand "
    "it to the agent.",
    "stop": "The agent must not insert `claim`.",
    "promote": "The oldest attempt of `claim` was lost, and the next one replaces it. For reports.",
    "answer": "Answer `attempt` with the `messageId`, or with the error `code`.",
}

RULES: Final = (
    LedgerRule(
        "new",
        "none",
        "prompt",
        "it has a key that is not live",
        "claimed",
        "start",
    ),
    LedgerRule("new-keyless", "none", "prompt", "it has no key", "held", "start"),
    LedgerRule(
        "repeated-id",
        "any",
        "prompt",
        "the attempt waits already",
        "same",
        "answer the copy with -32600",
    ),
    LedgerRule(
        "known-live",
        "none",
        "prompt",
        "the key is that of a live message of the session",
        "none",
        "answer with the messageId; if prompts are compared, another digest gets -32602",
    ),
    LedgerRule("join", "claimed", "prompt", "", "claimed", ""),
    LedgerRule("join-held", "held", "prompt", "its digest is the same", "held", ""),
    LedgerRule(
        "join-submitting", "submitting", "prompt", "its digest is the same", "submitting", ""
    ),
    LedgerRule(
        "reused",
        "held",
        "prompt",
        "prompts are compared, and its digest differs",
        "held",
        "answer with -32602",
    ),
    LedgerRule(
        "reused-submitting",
        "submitting",
        "prompt",
        "prompts are compared, and its digest differs",
        "submitting",
        "answer with -32602",
    ),
    LedgerRule(
        "found",
        "claimed",
        "found",
        "the message is there",
        "none",
        "answer every attempt with the messageId, also those that were cancelled or refused; "
        "if prompts are compared, one with another digest gets -32602",
    ),
    LedgerRule(
        "missing",
        "claimed",
        "found",
        "it is not there, and an attempt wants it",
        "held",
        "answer the attempts that were cancelled or refused with their error; "
        "if prompts are compared, one with another digest gets -32602",
    ),
    LedgerRule(
        "missing-unwanted",
        "claimed",
        "found",
        "it is not there, and every attempt was cancelled or refused",
        "none",
        "answer them with their error",
    ),
    LedgerRule(
        "missing-orphan",
        "claimed",
        "found",
        "it is not there, no attempt is left, and orphans are not kept",
        "none",
        "",
    ),
    LedgerRule("late-search", "none", "found", "the claim has ended", "none", ""),
    LedgerRule(
        "search-failed", "claimed", "fail", "", "none", "answer every attempt with the error"
    ),
    LedgerRule("begin", "held", "begin", "", "submitting", "it is allowed"),
    LedgerRule("begin-late", "none", "begin", "the claim has ended", "none", "it is not allowed"),
    LedgerRule(
        "inserted",
        "submitting",
        "inserted",
        "",
        "none",
        "answer every attempt with the messageId",
    ),
    LedgerRule(
        "inserted-live",
        "submitting",
        "inserted",
        "no history keeps it",
        "none",
        "answer every attempt with the messageId, and know the key while the session is active",
    ),
    LedgerRule(
        "insertion-failed",
        "submitting",
        "fail",
        "",
        "none",
        "answer every attempt with the error",
    ),
    LedgerRule(
        "refuse",
        "held",
        "refuse",
        "it has a key, and attempts",
        "claimed",
        "start another claim: only a search can tell that no other process has inserted it",
    ),
    LedgerRule(
        "refuse-keyless",
        "held",
        "refuse",
        "it has no key",
        "none",
        "answer its attempt with the error",
    ),
    LedgerRule("refuse-orphan", "held", "refuse", "it has no attempts", "none", ""),
    LedgerRule("refuse-late", "submitting", "refuse", "", "submitting", ""),
    LedgerRule(
        "cancel",
        "held",
        "cancel",
        "it has a key",
        "claimed",
        "stop, then start another claim, in which every attempt was cancelled",
    ),
    LedgerRule(
        "cancel-search",
        "claimed",
        "cancel",
        "not every attempt was cancelled or refused",
        "claimed",
        "stop, then start another claim, in which every attempt was cancelled",
    ),
    LedgerRule(
        "cancel-again",
        "claimed",
        "cancel",
        "every attempt was cancelled or refused",
        "claimed",
        "",
    ),
    LedgerRule(
        "cancel-keyless",
        "held",
        "cancel",
        "it has no key",
        "none",
        "stop, then answer its attempt with -32800",
    ),
    LedgerRule("cancel-late", "submitting", "cancel", "", "submitting", ""),
    LedgerRule("cancel-unknown", "none", "cancel", "the attempt waits for nothing", "none", ""),
    LedgerRule(
        "withdraw",
        "held",
        "withdraw",
        "it has a key, and attempts",
        "claimed",
        "as cancel, for each prompt of the session",
    ),
    LedgerRule(
        "withdraw-orphan",
        "held",
        "withdraw",
        "it has no attempts",
        "none",
        "stop",
    ),
    LedgerRule("withdraw-searched", "claimed", "withdraw", "it has no attempts", "none", "stop"),
    LedgerRule("withdraw-late", "submitting", "withdraw", "", "submitting", ""),
    LedgerRule(
        "promote",
        "any",
        "lost",
        "the oldest attempt was on the connection, and another is left",
        "same",
        "promote",
    ),
    LedgerRule("lose-one", "any", "lost", "the oldest attempt is left", "same", ""),
    LedgerRule("orphan", "held", "lost", "no attempt is left, and orphans are kept", "held", ""),
    LedgerRule(
        "drop-orphan",
        "held",
        "lost",
        "no attempt is left, and orphans are not kept",
        "none",
        "stop",
    ),
    LedgerRule("lose-search", "claimed", "lost", "no attempt is left", "claimed", ""),
    LedgerRule("lose-submitting", "submitting", "lost", "no attempt is left", "submitting", ""),
    LedgerRule("forget-live", "none", "ended", "", "none", "the session's live keys are unknown"),
)
