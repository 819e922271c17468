"""The claims of a ledger, and what the core wants done with them.

Internal to `acp_retry.core`, which passes them on.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from acp_retry.outcome import Inserted, Refused

__all__ = [
    "AnswerAttempt",
    "AttemptId",
    "Claim",
    "Effect",
    "Params",
    "PromoteAttempt",
    "Rejection",
    "StartClaim",
    "State",
    "StopClaim",
]

Params = Mapping[str, object]


class State(StrEnum):
    """The state of a prompt between its arrival and its insertion."""

    CLAIMED = "claimed"
    """The store is searched for it. A second attempt joins; nothing is known of the key yet."""

    HELD = "held"
    """The agent has it and has not inserted it. It can be withdrawn."""

    SUBMITTING = "submitting"
    """It is being inserted. It can't be withdrawn any more."""

    INSERTED = "inserted"
    """It is recorded with its message."""

    NONE = "none"
    """Nothing is recorded: it was refused, failed or was withdrawn. The key stays unused."""


class AttemptId(NamedTuple):
    """A request's id and connection. The same id on another connection is another attempt."""

    connection: Hashable
    request_id: str | int | None


@dataclass(frozen=True, slots=True)
class ArrivedPrompt:
    """What the core needs to know of a prompt that arrived.

    Args:
        session_id: the session that the request names.
        record: the ID derived from session and key, or a random one without a key.
        keyed: whether the request carries a key. Without a key nothing is looked up, and the claim
            is held at once.
        digest: the digest of the prompt if prompts are compared.
        payload: what the claim keeps if this attempt is the one that is inserted.
        size: the bytes of the payload.
    """

    session_id: str
    record: UUID
    keyed: bool = True
    digest: bytes | None = field(default=None, repr=False)
    payload: Params = field(default_factory=dict, repr=False)
    size: int = 0


class Rejection(NamedTuple):
    """An attempt that gets an error, unless the lookup finds its message."""

    digest: bytes | None
    refused: Refused


@dataclass(slots=True, eq=False)
class Claim:
    """One prompt and all attempts that wait for it.

    `attempts` maps each waiting attempt to the digest of its prompt; the first one owns the claim.
    `rejecting` holds the attempts of a prompt that was withdrawn or refused. An error says that
    nothing was inserted. Only a lookup can tell, since another process may have inserted it.
    `wanted` is false if there are no other attempts. `payload` holds the params without the key of
    the attempt that will be inserted, or of the one that was withdrawn, if no other is wanted.
    `size` is the bytes of that attempt.
    """

    session_id: str
    record: UUID
    keyed: bool = True
    state: State = State.CLAIMED
    payload: Params = field(default_factory=dict, repr=False)
    digest: bytes | None = field(default=None, repr=False)
    attempts: dict[AttemptId, bytes | None] = field(default_factory=dict)
    rejecting: dict[AttemptId, Rejection] = field(default_factory=dict)
    wanted: bool = True
    size: int = 0

    @property
    def owner(self) -> AttemptId | None:
        """The oldest attempt whose connection is open, or None if no attempt waits."""
        return next(iter(self.attempts), None)


@dataclass(frozen=True, slots=True)
class StartClaim:
    """The claim is new.

    `CLAIMED`: look its record up in the store, then call `Core.found` or `Core.fail`. `HELD`: it
    has no key, and the agent inserts it.
    """

    claim: Claim


@dataclass(frozen=True, slots=True)
class StopClaim:
    """The claim was withdrawn: the agent must not insert it.

    Later effects answer its attempts, or move them to the claim of a `StartClaim`.
    """

    claim: Claim


@dataclass(frozen=True, slots=True)
class PromoteAttempt:
    """The attempt that owned the claim was lost, and the next one owns it: for reports only."""

    claim: Claim


class AnswerAttempt(NamedTuple):
    """Answer an attempt."""

    attempt: AttemptId
    outcome: Inserted | Refused


Effect = StartClaim | StopClaim | PromoteAttempt | AnswerAttempt
