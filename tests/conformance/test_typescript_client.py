"""Clients on the official TypeScript SDK: one keeps keys, one prompts as the SDK does."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import unavailable
from acp_conformance.client_rules import judge, judge_keys
from acp_conformance.clients import Patience, play_client
from acp_conformance.plans import PLANS
from acp_conformance.requirements import Role
from acp_conformance.verdict import Status, Verdict, gaps, status_of, verdicts

CLIENT = Path(__file__).with_name("client.mjs")
SDK = Path(__file__).parents[1] / "interop" / "node_modules"
PATIENCE = Patience(run=60.0, hold=0.3)
AT_ONCE = 4
ENOUGH = {
    "lost-after-insertion",
    "answer-held",
    "refused",
    "same-text-again",
    "held-for-long",
    "two-pending",
}
"""Plans that are about every requirement of clients."""


def judged(flag: str, plans: Collection[str]) -> list[Verdict]:
    if shutil.which("node") is None or not SDK.is_dir():
        unavailable.skip("the official peer is not installed: run `npm ci` in tests/interop")
    command = [
        "node",
        str(CLIENT),
        flag,
        "{folder}/outbox.json",
        "{clock}",
        "{text}",
        "{more}",
        "{agent}",
    ]
    played = [plan for plan in PLANS if plan.name in plans]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waits = [Patience(60.0, 60.0) if plan.more else PATIENCE for plan in played]
        said = list(pool.map(partial(play_client, command), played, waits))
    return verdicts([*map(judge, said), judge_keys(said)], Role.CLIENT)


def having(found: list[Verdict], status: Status) -> set[str]:
    return {v.requirement.id for v in found if v.status is status}


def test_a_client_on_the_sdk_can_keep_every_rule() -> None:
    found = judged("--keys", [plan.name for plan in PLANS])
    assert {v.requirement.id: v.details for v in found if v.status is not Status.PASS} == {}
    assert status_of(found, strict=True) == 0


def test_of_a_client_without_keys_little_can_be_told() -> None:
    found = judged("--no-keys", ENOUGH)
    assert having(found, Status.FAIL) == set()
    assert having(found, Status.PASS) == {"client-own-ids", "client-waits"}
    assert having(found, Status.NOT_EXERCISED) == {
        "client-random-key",
        "client-key-without-content",
        "client-one-key-one-prompt",
        "client-same-key",
        "client-new-key",
        "client-resends",
        "client-shows-old-prompts",
        "client-resumes-first",
        "client-resends-all",
    }
    assert gaps(found) == ["client-same-key", "client-resends"]
    assert status_of(found) == 2
