"""The core keeps the rules of generated/vectors/ledger, and a core that breaks one is caught."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from acp_retry.core import (
    AnswerAttempt,
    AttemptId,
    Claim,
    Core,
    Effect,
    StartClaim,
    State,
    StopClaim,
)
from acp_retry.outcome import CANCELLED, Inserted, Refused
from acp_retry.store import Found
from ledger_player import LIVING, LedgerPlayer, record_of

FOLDER = Path(__file__).parents[2] / "generated" / "vectors" / "ledger"
RULES = {each["id"]: each for each in json.loads((FOLDER / "rules.json").read_text())["rules"]}
TRACES = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != "rules")
Make = Callable[..., Core]


def trace(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def faults(name: str, make: Make = Core) -> list[str]:
    played = trace(name)
    core = make(compare=played["compare"], keep_orphans=played["keepOrphans"])
    return list(LedgerPlayer(core).faults(played["steps"]))


@pytest.mark.parametrize("name", TRACES)
def test_the_core_has_exactly_the_effects_of_each_trace(name: str) -> None:
    assert faults(name) == []


@pytest.mark.parametrize("name", TRACES)
def test_each_step_moves_its_claim_as_its_rule_says(name: str) -> None:
    played = trace(name)
    core = Core(compare=played["compare"], keep_orphans=played["keepOrphans"])
    assert list(LedgerPlayer(core).faults(played["steps"])) == []
    for step in played["steps"]:
        rule, (before, after) = RULES[step["rule"]], step["seen"]
        if step["event"] == "prompt" and "key" not in step:
            after = list(step["claims"].values())[-1]
        assert rule["event"] == step["event"], step
        assert rule["state"] in (before, "any"), step
        assert rule["next"] == (after if rule["next"] != "same" else "same"), step


def test_each_rule_is_used_in_a_trace() -> None:
    used = {step["rule"] for name in TRACES for step in trace(name)["steps"]}
    assert used == RULES.keys()


def random_step(chance: Random, player: LedgerPlayer) -> dict[str, Any]:
    """An event about one key, of which the claim may be in any state."""
    living = [name for name, claim in player.claims.items() if claim.state in LIVING]
    attempt = f"{chance.choice('abc')}/{chance.randrange(3)}"
    digest = chance.choice(["one", "one", "two"])
    about: list[dict[str, Any]] = [
        {"event": "prompt", "attempt": attempt, "session": "s", "key": "k", "digest": digest},
        {"event": "cancel", "attempt": attempt},
        {"event": "withdraw", "session": "s"},
        {"event": "lost", "connection": chance.choice("abc")},
    ]
    state = player.claims[living[-1]].state if living else None
    if state is State.CLAIMED:
        found = chance.choice([None, None, "m1"])
        about += 3 * [{"event": "found", "claim": living[-1], "messageId": found}]
        about += [{"event": "fail", "claim": living[-1], "code": -32603}]
    if state is State.HELD:
        about += 2 * [{"event": "begin", "claim": living[-1], "allowed": True}]
        about += [{"event": "refuse", "claim": living[-1], "code": -32042}]
    if state is State.SUBMITTING:
        about += [{"event": "inserted", "claim": living[-1], "messageId": "m1"}]
        about += [{"event": "fail", "claim": living[-1], "code": -32603}]
        about += [{"event": "refuse", "claim": living[-1], "code": -32042}]
    return chance.choice(about)


@pytest.mark.parametrize("compare", [False, True])
@pytest.mark.parametrize("keep_orphans", [False, True])
def test_no_change_that_the_core_makes_is_missing_in_the_table(
    compare: bool, keep_orphans: bool
) -> None:
    rows = {(each["state"], each["event"], each["next"]) for each in RULES.values()}
    for seed in range(100):
        chance = Random(seed)
        player = LedgerPlayer(Core(compare=compare, keep_orphans=keep_orphans))
        for _ in range(20):
            step = random_step(chance, player)
            before = state_of_key(player)
            _, effects = player.play(step)
            told = [player.members(each) for each in effects]
            after = state_of_key(player)
            if told or before != after:
                assert names(step["event"], before, after) & rows, (step, before, after, told)


def names(event: str, before: str, after: str) -> set[tuple[str, str, str]]:
    """The rows that may be about a change."""
    events = {event, "cancel"} if event == "withdraw" else {event}
    found = {(before, each, after) for each in events}
    return found | {("any", each, "same") for each in events if before == after}


def state_of_key(player: LedgerPlayer) -> str:
    claim = player.of(record_of("k"))
    return "none" if claim is None else claim.state.value


def test_the_index_lists_the_files() -> None:
    listed = json.loads((FOLDER.parent / "ledger.json").read_text())["files"]
    names = {Path(each["file"]).stem for each in listed}
    assert names == {*TRACES, "rules"}


class ClaimsNothing(Core):
    def _join(self, claim: Claim, attempt: AttemptId, *rest: Any) -> list[Effect]:
        del claim, rest
        return [AnswerAttempt(attempt, CANCELLED)]


class InsertsWithoutASearch(Core):
    def prompt(self, *args: Any, **kwargs: Any) -> list[Effect]:
        effects = super().prompt(*args, **kwargs)
        for effect in effects:
            if isinstance(effect, StartClaim):
                effect.claim.state = State.HELD
        return effects


class AnswersTheFirstAttemptOnly(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        return super().inserted(claim, found, retained=retained)[:1]


class CancelsAtOnce(Core):
    """It does not look whether another process has inserted the message."""

    def _reject(self, claim: Claim, refused: Refused) -> list[Effect]:
        return self._end(claim, refused)


class CancelsWhatIsBeingInserted(Core):
    def cancel(self, attempt: AttemptId) -> list[Effect]:
        claim = self._pending.get(attempt)
        if claim is not None and claim.state is State.SUBMITTING:
            return [StopClaim(claim), *self._end(claim, CANCELLED)]
        return super().cancel(attempt)


class CancelsByNumberAlone(Core):
    """The id of a request counts on every connection."""

    def cancel(self, attempt: AttemptId) -> list[Effect]:
        number = attempt.request_id
        same = next((each for each in self._pending if each.request_id == number), attempt)
        return super().cancel(attempt if attempt in self._pending else same)


class RecordsErrors(Core):
    def fail(self, claim: Claim, refused: Refused) -> list[Effect]:
        effects = super().fail(claim, refused)
        self._live.setdefault(claim.session_id, {})[claim.record.bytes] = None
        return effects


class DropsOrphansAlways(Core):
    def drop(self, attempt: AttemptId) -> list[Effect]:
        self._keep_orphans = False
        return super().drop(attempt)


class ForgetsLiveKeys(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        del retained
        return super().inserted(claim, found)


class KeepsLiveKeysForEver(Core):
    def ended(self, session_id: str) -> None:
        self._active.pop(session_id, None)


class ComparesNothing(Core):
    def _differs(self, first: bytes | None, second: bytes | None) -> bool:
        del first, second
        return False


class TakesARepeatedId(Core):
    def prompt(self, attempt: AttemptId, *args: Any, **kwargs: Any) -> list[Effect]:
        self._pending.pop(attempt, None)
        return super().prompt(attempt, *args, **kwargs)


class AnswersWithTheRecord(Core):
    def _retried(self, found: Found, digest: bytes | None) -> Inserted | Refused:
        outcome = super()._retried(found, digest)
        return Inserted("m9") if isinstance(outcome, Inserted) else outcome


BROKEN: dict[type[Core], str] = {
    ClaimsNothing: "join",
    InsertsWithoutASearch: "insert-and-retry",
    AnswersTheFirstAttemptOnly: "join",
    CancelsAtOnce: "cancel-inserted-elsewhere",
    CancelsWhatIsBeingInserted: "too-late",
    CancelsByNumberAlone: "cancel",
    RecordsErrors: "errors",
    DropsOrphansAlways: "lost-connections",
    ForgetsLiveKeys: "live-only",
    KeepsLiveKeysForEver: "live-only",
    ComparesNothing: "compare",
    TakesARepeatedId: "join",
    AnswersWithTheRecord: "insert-and-retry",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.__name__)
def test_a_broken_core_is_caught(broken: type[Core]) -> None:
    assert faults(BROKEN[broken], broken)
