"""Plays the traces of generated/vectors/ledger with a core, as a port's test suite would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4, uuid5

from acp_retry.core import (
    AnswerAttempt,
    ArrivedPrompt,
    AttemptId,
    Claim,
    Core,
    Effect,
    PromoteAttempt,
    StartClaim,
    State,
    StopClaim,
)
from acp_retry.message_ids import NAMESPACE
from acp_retry.outcome import Inserted, Refused
from acp_retry.store import Found

LIVING = {State.CLAIMED, State.HELD, State.SUBMITTING}
Json = dict[str, Any]


def attempt_of(name: str) -> AttemptId:
    connection, _, number = name.partition("/")
    return AttemptId(connection, int(number))


class LedgerPlayer:
    """One process: a core, and its claims in the order in which they started."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.claims: dict[str, Claim] = {}
        self.ids: dict[str, str] = {}

    def faults(self, steps: list[Json]) -> Iterator[str]:
        """What differs from the trace, and ends it."""
        for number, step in enumerate(steps, 1):
            allowed, effects = self.play(step)
            reported = [self.members(each) for each in effects]
            if reported != step["effects"]:
                yield f"step {number}: {reported} instead of {step['effects']}"
                return
            if self.states() != step["claims"]:
                yield f"step {number}: {self.states()} instead of {step['claims']}"
                return
            if allowed is not step.get("allowed"):
                yield f"step {number}: allowed is {allowed}"
                return

    def states(self) -> dict[str, str]:
        """The state of every claim that is left, by its name."""
        return {n: c.state.value for n, c in self.claims.items() if c.state in LIVING}

    def play(self, step: Json) -> tuple[bool | None, list[Effect]]:
        """Give an event to the core. Returns whether an insertion is allowed, and the effects."""
        claim = self.claims.get(step.get("claim", ""))
        if claim is None:
            return None, self.play_message(step)
        if step["event"] == "begin":
            return self.core.begin(claim), []
        return None, self.play_progress(step, claim)

    def play_message(self, step: Json) -> list[Effect]:
        """An event about attempts, sessions and connections."""
        match step["event"]:
            case "prompt":
                key = step.get("key")
                prompt = ArrivedPrompt(
                    step["session"],
                    uuid4() if key is None else record_of(key, step["session"]),
                    keyed=key is not None,
                    digest=bytes_of(step),
                    size=step.get("size", 0),
                )
                return self.core.prompt(attempt_of(step["attempt"]), prompt)
            case "cancel":
                return self.core.cancel(attempt_of(step["attempt"]))
            case "cancel-elsewhere":
                return self.core.cancel_record(record_of(step["key"], step["session"]))
            case "withdraw":
                return self.core.withdraw(step["session"])
            case "lost":
                return self.core.lost(step["connection"])
        assert step["event"] == "ended"
        self.core.ended(step["session"])
        return []

    def play_progress(self, step: Json, claim: Claim) -> list[Effect]:
        """An event about a claim."""
        match step["event"]:
            case "found":
                found = step["messageId"]
                message = None if found is None else Found(found, bytes_of(step))
                return self.core.found(claim, message)
            case "found-elsewhere":
                return self.core.found_elsewhere(claim, Found(step["messageId"], bytes_of(step)))
            case "inserted" if step.get("live"):
                self.ids[str(claim.record)] = step["messageId"]
                live = Found(str(claim.record), claim.digest)
                return self.core.inserted(claim, live, retained=False)
            case "inserted":
                return self.core.inserted(claim, Found(step["messageId"], claim.digest))
            case "refuse":
                return self.core.refuse(claim, Refused(step["code"], ""))
            case "fail":
                return self.core.fail(claim, Refused(step["code"], ""))
            case event:
                raise AssertionError(f"unknown event {event}")

    def members(self, effect: Effect) -> Json:
        match effect:
            case StartClaim(claim):
                name = str(len(self.claims) + 1)
                self.claims[name] = claim
                return {"do": "start", "claim": name}
            case StopClaim(claim):
                return {"do": "stop", "claim": self.number(claim)}
            case PromoteAttempt(claim):
                return {"do": "promote", "claim": self.number(claim)}
            case AnswerAttempt(attempt, Inserted(message_id)):
                shown = self.ids.get(message_id, message_id)
                return {"do": "answer", "attempt": name_of(attempt), "messageId": shown}
            case AnswerAttempt(attempt, outcome):
                assert isinstance(outcome, Refused)
                return {"do": "answer", "attempt": name_of(attempt), "code": outcome.code}

    def number(self, claim: Claim) -> str:
        return next(name for name, each in self.claims.items() if each is claim)


def name_of(attempt: AttemptId) -> str:
    return f"{attempt.connection}/{attempt.request_id}"


def record_of(key: str, session: str = "s") -> UUID:
    return uuid5(NAMESPACE, f"{session} {key}")


def bytes_of(step: Json) -> bytes | None:
    """The digest of a step."""
    digest = step.get("digest")
    return None if digest is None else str(digest).encode()


def core_of(trace: Json, make: Callable[..., Core] = Core) -> Core:
    """A core with the options of a trace."""
    limits = {"most": trace["most"], "most_bytes": trace["mostBytes"]}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return make(compare=trace["compare"], keep_orphans=trace["keepOrphans"], **given)
