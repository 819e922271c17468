"""Clients are judged by what they send: right ones pass, wrong ones fail just what they break."""

from __future__ import annotations

import copy
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

import wrong_clients
from acp_conformance.client_rules import RANDOM, RULES, judge, judge_keys
from acp_conformance.clients import Patience, judge_client, play_client
from acp_conformance.plans import PLANS, Plan
from acp_conformance.requirements import Role
from acp_conformance.said import read
from acp_conformance.verdict import Outcome, Status, verdicts
from acp_conformance.wire import StartError
from wrong_clients import WRONG

CLIENT = [sys.executable, str(Path(__file__).with_name("client.py"))]
WRONG_CLIENT = [sys.executable, "-I", "-S", wrong_clients.__file__]
REST = ["{folder}/outbox", "{clock}", "{text}", "{agent}"]
PLAN = {plan.name: plan for plan in PLANS}
LOST, TWICE = PLAN["lost-after-insertion"], PLAN["same-text-again"]
KEY, OTHER = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab", "9d4e2f10-1c3b-4a5d-8e6f-7a8b9c0d1e2f"
PATIENCE = Patience(run=60.0, hold=0.3)
EAGER = Patience(run=60.0, hold=60.0)
"""For clients that wait for nothing: an answer is held until they show it."""

AT_ONCE = 6
NOTHING = Plan("nothing", (), (), ("",))

Message = dict[str, Any]
Story = list[list[Message]]


def played(
    command: Sequence[str], plans: Sequence[Plan], patience: Patience = PATIENCE
) -> list[Outcome]:
    """As `judge_client`, with several plans at once."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        said = list(pool.map(lambda plan: play_client(command, plan, patience), plans))
    return [*map(judge, said), judge_keys(said)]


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


def answered(message: Message) -> list[Message]:
    """The lines for a request that the agent answers, unless it is a prompt."""
    lines = [{"from": "client", "message": message}]
    result = {"sessionId": "s"} if message["method"] == "session/new" else {}
    if message["method"] != "session/prompt":
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        lines.append({"from": "agent", "message": answer})
    return lines


def told(folder: Path, plan: Plan, story: Story) -> Outcome:
    for number, messages in enumerate(story):
        lines = [json.dumps(line) for message in messages for line in answered(message)]
        path = folder / f"connection-{number:02}.ndjson"
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return judge(read(folder, plan))


def key(value: str | None, *connections: int) -> Callable[[Story], object]:
    """Give the prompts of some connections another key."""

    def change(story: Story) -> None:
        for number in connections or range(len(story)):
            story[number][-1]["params"]["idempotencyKey"] = value

    return change


BROKEN: Final[dict[str, tuple[Plan, Story, Callable[[Story], object], set[str]]]] = {
    "key is a hash of the text": (
        LOST,
        RETRIED,
        key(hashlib.sha256(b"one [ab]").hexdigest()),
        {"client-key-without-content"},
    ),
    "another prompt": (
        LOST,
        RETRIED,
        lambda story: story[1].append(prompt(4, text="another")),
        {"client-one-key-one-prompt"},
    ),
    "no key on the retry": (LOST, RETRIED, key(None, 1), {"client-same-key"}),
    "one key for two": (TWICE, REPEATED, key(KEY), {"client-new-key"}),
    "one id for two": (LOST, RETRIED, lambda story: story[1][-1].update(id=2), {"client-own-ids"}),
    "twice on one pipe": (
        LOST,
        RETRIED,
        lambda story: story[1].append(prompt(4)),
        {"client-waits"},
    ),
    "no retry": (LOST, RETRIED, lambda story: story[1].pop(), {"client-resends"}),
    "no resume": (LOST, RETRIED, lambda story: story[1].pop(1), {"client-resumes-first"}),
    "no initialize": (LOST, RETRIED, lambda story: story[1].pop(0), {"client-resumes-first"}),
}


def failing(outcomes: Sequence[Outcome]) -> dict[str, list[str]]:
    found = verdicts(outcomes, Role.CLIENT)
    return {v.requirement.id: [*v.details] for v in found if v.status is Status.FAIL}


def test_the_outbox_keeps_every_rule() -> None:
    found = verdicts(played([*CLIENT, *REST], PLANS), Role.CLIENT)
    assert {v.requirement.id: v.details for v in found if v.status is not Status.PASS} == {}


@pytest.mark.parametrize("name", ["Client", "Reconnects"])
def test_a_plain_client_can_keep_every_rule_too(name: str) -> None:
    found = verdicts(played([*WRONG_CLIENT, name, *REST], PLANS), Role.CLIENT)
    assert {v.requirement.id: v.details for v in found if v.status is not Status.PASS} == {}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_client_fails_what_it_breaks(name: str) -> None:
    requirement, plans = WRONG[name]
    outcomes = played([*WRONG_CLIENT, name, *REST], [PLAN[each] for each in plans], EAGER)
    assert failing(outcomes).keys() == {requirement}
    blamed = {outcome.trace for outcome in outcomes if outcome.broken}
    assert blamed == ({"all keys"} if requirement == RANDOM else {*plans})


def test_every_requirement_of_clients_is_broken_by_one() -> None:
    assert {requirement for requirement, _ in WRONG.values()} == {RANDOM, *RULES}


@pytest.mark.parametrize(("plan", "story"), [(LOST, RETRIED), (TWICE, REPEATED)])
def test_the_stories_are_right_as_they_are(tmp_path: Path, plan: Plan, story: Story) -> None:
    assert told(tmp_path, plan, story).broken == ()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_story_breaks_one_rule(tmp_path: Path, name: str) -> None:
    plan, story, change, failing = BROKEN[name]
    story = copy.deepcopy(story)
    change(story)
    assert {id_ for id_, _ in told(tmp_path, plan, story).broken} == failing


def test_a_prompt_without_text_holds_none(tmp_path: Path) -> None:
    story = copy.deepcopy(RETRIED)
    for messages in story:
        messages[-1]["params"]["prompt"] = [{"type": "resource_link", "uri": "file:///a"}]
    assert told(tmp_path, LOST, story).broken == ()


def test_a_client_without_keys_is_not_judged_by_them(tmp_path: Path) -> None:
    story = copy.deepcopy(RETRIED)
    key(None)(story)
    outcome = told(tmp_path, LOST, story)
    assert (outcome.broken, outcome.reason) == ((), "the client sent no key")
    assert outcome.kept == {"client-own-ids", "client-resumes-first"}


def test_old_prompts_take_a_clock() -> None:
    plan = PLAN["held-for-long"]
    outcome, _ = judge_client([sys.executable, "-c", "", "{agent}"], [plan], PATIENCE)
    assert outcome.open == {"client-shows-old-prompts"}
    assert outcome.reason.startswith("COMMAND has no {clock}, ")


def test_a_client_that_hangs_is_ended() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)", "{agent}"]
    outcome = judge(play_client(command, LOST, Patience(run=0.2)))
    reason = "the client sent no prompt (a run took too long and was ended)"
    assert (outcome.kept, outcome.reason) == (frozenset(), reason)


ODD: Final = {
    "no JSON": "{",
    "no object": "[]",
    "no method": '{"id": 1}',
    "a method that is no text": '{"id": 1, "method": []}',
    "params that are no object": '{"id": 1, "method": "session/prompt", "params": [1]}',
    "a prompt that is a notification": '{"method": "session/prompt", "params": {}}',
    "a prompt that is no list": '{"id": 1, "method": "session/prompt", "params": {"prompt": 5}}',
    "a block that is no object": '{"id": 1, "method": "session/prompt", "params": {"prompt": [5]}}',
}
SENDS = """
import subprocess, sys
odd, *command = sys.argv[1:]
agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
agent.communicate(odd.encode() + b'\\n{"id": 2, "method": "session/list"}\\n')
"""


@pytest.mark.parametrize("name", ODD)
def test_whatever_a_client_sends_is_judged(name: str) -> None:
    said = play_client([sys.executable, "-c", SENDS, ODD[name], "{agent}"], NOTHING, PATIENCE)
    got = {json.dumps(line.message.get("id")) for lines in said.connections for line in lines}
    assert "2" in got
    assert isinstance(judge(said), Outcome)
    assert isinstance(judge_keys([said]), Outcome)


def test_a_client_that_is_not_there_is_an_error() -> None:
    with pytest.raises(StartError, match="no-such-client can't be started"):
        play_client(["no-such-client", "{agent}"], LOST, PATIENCE)
