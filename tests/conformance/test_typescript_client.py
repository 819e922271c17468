"""Clients on the official TypeScript SDK: one keeps keys, one prompts as the SDK does."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

import unavailable
from acp_conformance.client_plans import CLIENT_PLANS
from acp_conformance.client_rules import judge, judge_keys
from acp_conformance.client_runs import ClientTimeouts, play_client
from acp_conformance.requirements import Role
from acp_conformance.verdict import RequirementVerdict, VerdictStatus, gaps, status_of, verdicts

CLIENT = Path(__file__).with_name("client.mjs")
SDK = Path(__file__).parents[1] / "interop" / "node_modules"
PATIENCE = ClientTimeouts(run=60.0, hold=0.3)
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


def judged(flag: str, plans: Collection[str]) -> list[RequirementVerdict]:
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
    played = [plan for plan in CLIENT_PLANS if plan.name in plans]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waits = [ClientTimeouts(60.0, 60.0) if plan.more else PATIENCE for plan in played]
        log = list(pool.map(partial(play_client, command), played, waits))
    return verdicts([*map(judge, log), judge_keys(log)], Role.CLIENT)


def having(found: list[RequirementVerdict], status: VerdictStatus) -> set[str]:
    return {v.requirement.id for v in found if v.status is status}


def test_a_client_on_the_sdk_sends_a_lost_prompt_again() -> None:
    found = judged("--keys", {"lost-after-insertion"})
    assert having(found, VerdictStatus.FAIL) == set()
    assert having(found, VerdictStatus.PASS) >= {"client-resends", "client-same-key"}


@pytest.mark.prove("runs all plans with processes of Node.js")
def test_a_client_on_the_sdk_can_keep_every_rule() -> None:
    found = judged("--keys", [plan.name for plan in CLIENT_PLANS])
    assert {v.requirement.id: v.details for v in found if v.status is not VerdictStatus.PASS} == {}
    assert status_of(found, strict=True) == 0


@pytest.mark.prove("waits for many processes of Node.js")
def test_a_client_without_keys_leaves_most_requirements_open() -> None:
    found = judged("--no-keys", ENOUGH)
    assert having(found, VerdictStatus.FAIL) == set()
    assert having(found, VerdictStatus.PASS) == {"client-own-ids", "client-waits"}
    assert having(found, VerdictStatus.NOT_EXERCISED) == {
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
