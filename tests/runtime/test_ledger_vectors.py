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
from ledger_player import LedgerPlayer, core_of
from proofs import amount, scaled
from table_ledger import TableLedger

FOLDER = Path(__file__).parents[2] / "generated" / "vectors" / "ledger"
RULES: list[dict[str, Any]] = json.loads((FOLDER / "rules.json").read_text())["rules"]
TRACES = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != "rules")
Make = Callable[..., Core]


def trace(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def faults(name: str, make: Make = Core) -> list[str]:
    played = trace(name)
    return list(LedgerPlayer(core_of(played, make)).faults(played["steps"]))


@pytest.mark.parametrize("name", TRACES)
def test_the_core_has_exactly_the_effects_of_each_trace(name: str) -> None:
    assert faults(name) == []


@pytest.mark.parametrize("name", TRACES)
def test_the_table_leads_to_each_trace(name: str) -> None:
    played = trace(name)
    table = TableLedger(RULES, played)
    for step in played["steps"]:
        table.used.clear()
        assert table.play(step) == step["effects"], step
        assert table.states() == step["claims"], step
        assert table.allowed is step.get("allowed"), step
        assert step["rule"] in table.used, (step, table.used)


def test_each_rule_is_used_in_a_trace() -> None:
    used = {step["rule"] for name in TRACES for step in trace(name)["steps"]}
    assert used == {rule["id"] for rule in RULES}


def about(chance: Random, player: LedgerPlayer) -> dict[str, Any]:
    """An event about one claim, of the last ones more often."""
    name = chance.choice([*player.claims][-3:])
    claim = player.claims[name]
    message = {"claim": name, "messageId": "m" + str(claim.record)[:4]}
    digest = chance.choice([{}, {"digest": "one"}, {"digest": "two"}])
    events: list[dict[str, Any]] = [
        {"event": "found", **message, **digest},
        {"event": "found", "claim": name, "messageId": None},
        {"event": "found", "claim": name, "messageId": None},
        {"event": "begin", "claim": name},
        {"event": "fail", "claim": name, "code": -32603},
        {"event": "refuse", "claim": name, "code": -32042},
    ]
    if claim.keyed:
        events.append({"event": "found-elsewhere", **message, **digest})
    if claim.state is State.SUBMITTING:
        events += 3 * [{"event": "inserted", **message, "live": chance.random() < 0.5}]
    return chance.choice(events)


def random_step(chance: Random, player: LedgerPlayer) -> dict[str, Any]:
    """Any event about two keys of two sessions, and about prompts without a key."""
    attempt = f"{chance.choice('abc')}/{chance.randrange(4)}"
    session = {"session": chance.choice("sst")}
    key = {"key": chance.choice("kkl")}
    prompt = {"event": "prompt", "attempt": attempt, **session, "size": chance.randrange(1, 50)}
    prompt |= chance.choice([{}, {"digest": "one"}, {"digest": "one"}, {"digest": "two"}])
    others: list[dict[str, Any]] = [
        {"event": "cancel", "attempt": attempt},
        {"event": "cancel-elsewhere", **session, **key},
        {"event": "withdraw", **session},
        {"event": "lost", "connection": chance.choice("abc")},
        {"event": "ended", **session},
    ]
    kind = chance.random()
    if kind < 0.4 or not player.claims:
        return prompt | (key if chance.random() < 0.8 else {})
    return about(chance, player) if kind < 0.85 else chance.choice(others)


OPTIONS = [
    {"compare": compare, "keepOrphans": keep, "most": most, "mostBytes": most_bytes}
    for compare in (False, True)
    for keep in (False, True)
    for most, most_bytes in ((None, None), (2, None), (None, 60))
]


@pytest.mark.bulk
@scaled("random events")
@pytest.mark.parametrize("options", OPTIONS, ids=lambda each: "-".join(map(str, each.values())))
def test_the_core_does_at_random_events_exactly_what_the_table_says(
    options: dict[str, Any],
) -> None:
    for seed in range(amount(40, 1000)):
        chance = Random(seed)
        player, table = LedgerPlayer(core_of(options)), TableLedger(RULES, options)
        for number in range(60):
            step = random_step(chance, player)
            allowed, effects = player.play(step)
            done = [player.members(each) for each in effects]
            assert done == table.play(step), (seed, number, step)
            assert player.states() == table.states(), (seed, number, step)
            assert allowed is table.allowed, (seed, number, step)


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
