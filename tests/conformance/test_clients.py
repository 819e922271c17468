"""Clients are judged by what they send: a real one is right, each broken story breaks one rule."""

from __future__ import annotations

import copy
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from acp_conformance.clients import PLANS, RULES, Plan, judge, play_client, read
from acp_conformance.faults import Fault
from acp_conformance.requirements import UNSHOWN, Role
from acp_conformance.verdict import Outcome, Status, verdicts
from acp_conformance.wire import StartError

CLIENT = [sys.executable, str(Path(__file__).with_name("client.py"))]
COMMAND = [*CLIENT, "{folder}/outbox.db", "{text}", "{agent}"]
LOST = Plan("lost", (Fault.INSERTED,), ("one", ""))
TWICE = Plan("twice", (), ("same", "same"))
KEY, OTHER = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab", "9d4e2f10-1c3b-4a5d-8e6f-7a8b9c0d1e2f"

Message = dict[str, Any]
Story = list[list[Message]]


def call(id_: int, method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def prompt(id_: int, key: str | None = KEY, text: str = "one [ab]") -> Message:
    content = [{"type": "text", "text": text}]
    return call(id_, "session/prompt", sessionId="s", prompt=content, idempotencyKey=key)


RETRIED: Final[Story] = [
    [call(1, "initialize"), call(2, "session/new"), prompt(3)],
    [call(1, "initialize"), call(2, "session/resume", sessionId="s"), prompt(3)],
]
REPEATED: Final[Story] = [
    [call(1, "initialize"), call(2, "session/new"), prompt(3)],
    [call(1, "initialize"), call(2, "session/new"), prompt(3, OTHER)],
]


def told(folder: Path, plan: Plan, story: Story) -> Outcome:
    for number, messages in enumerate(story):
        lines = [json.dumps({"from": "client", "message": each}) for each in messages]
        path = folder / f"connection-{number:02}.ndjson"
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return judge(read(folder, plan))


def key(value: str | None, *connections: int) -> Callable[[Story], object]:
    """Give the prompts of some connections another key."""

    def change(story: Story) -> None:
        for number in connections or range(len(story)):
            story[number][-1]["params"]["idempotencyKey"] = value

    return change


def later(story: Story) -> None:
    story[1][-1]["params"]["sessionId"] = "s"
    story[1].append(prompt(4, text="another"))


BROKEN: Final[dict[str, tuple[Plan, Story, Callable[[Story], object], set[str]]]] = {
    "short key": (LOST, RETRIED, key("1"), {"client-random-key"}),
    "key from a name": (
        LOST,
        RETRIED,
        key("cfbff0d1-9375-5685-968c-48ce8b15ae17"),
        {"client-random-key"},
    ),
    "key is a hash of the text": (
        LOST,
        RETRIED,
        key(hashlib.sha256(b"one [ab]").hexdigest()),
        {"client-key-without-content"},
    ),
    "key holds the text": (LOST, RETRIED, key(f"{KEY}one [ab]"), {"client-key-without-content"}),
    "another prompt": (LOST, RETRIED, later, {"client-one-key-one-prompt"}),
    "another key": (LOST, RETRIED, key(OTHER, 1), {"client-same-key"}),
    "no key on the retry": (LOST, RETRIED, key(None, 1), {"client-same-key"}),
    "one key for two": (TWICE, REPEATED, key(KEY), {"client-new-key"}),
    "one id for two": (
        LOST,
        RETRIED,
        lambda story: story[1][-1].update(id=2),
        {"client-own-ids"},
    ),
    "no retry": (LOST, RETRIED, lambda story: story[1].pop(), {"client-resends"}),
    "no resume": (LOST, RETRIED, lambda story: story[1].pop(1), {"client-resumes-first"}),
}


def test_the_outbox_keeps_every_rule() -> None:
    found = verdicts([play_client(COMMAND, plan, 20.0) for plan in PLANS], Role.CLIENT)
    wrong = {v.requirement.id: v.details for v in found if v.status is not Status.PASS}
    assert wrong.keys() == {id_ for id_ in UNSHOWN if id_.startswith("client-")}


@pytest.mark.parametrize(("plan", "story"), [(LOST, RETRIED), (TWICE, REPEATED)])
def test_the_stories_are_right_as_they_are(tmp_path: Path, plan: Plan, story: Story) -> None:
    assert told(tmp_path, plan, story).broken == ()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_client_fails_what_it_breaks(tmp_path: Path, name: str) -> None:
    plan, story, change, failing = BROKEN[name]
    story = copy.deepcopy(story)
    change(story)
    assert {id_ for id_, _ in told(tmp_path, plan, story).broken} == failing


def test_every_rule_is_broken_by_a_story() -> None:
    assert set[str]().union(*(failing for *_, failing in BROKEN.values())) == RULES.keys()


def test_a_client_without_keys_is_not_judged_by_them(tmp_path: Path) -> None:
    story = copy.deepcopy(RETRIED)
    key(None)(story)
    outcome = told(tmp_path, LOST, story)
    assert (outcome.broken, outcome.reason) == ((), "the client sent no key")
    assert outcome.kept == {"client-own-ids", "client-resumes-first"}


def test_a_client_that_hangs_is_ended() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)", "{agent}"]
    outcome = play_client(command, LOST, 0.2)
    assert (outcome.kept, outcome.reason) == (frozenset(), "the client sent no prompt")


def test_a_client_that_is_not_there_is_an_error() -> None:
    with pytest.raises(StartError, match="no-such-client can't be started"):
        play_client(["no-such-client", "{agent}"], LOST, 1.0)
