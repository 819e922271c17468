"""Clients are judged by what they send: right ones pass, wrong ones fail just what they break."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import sys
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

import wrong_clients
from acp_conformance.client_log import read
from acp_conformance.client_plans import CLIENT_PLANS, ClientPlan, ClientRun
from acp_conformance.client_rules import RANDOM, RULES, judge, judge_keys
from acp_conformance.client_runs import ClientTimeouts, judge_client, play_client
from acp_conformance.faulty_agent import FaultyAgent, write_plan
from acp_conformance.key_randomness import LEAST_KEYS
from acp_conformance.launchers import StartError
from acp_conformance.requirements import Role
from acp_conformance.verdict import TraceResult, VerdictStatus, verdicts
from inner_agent import Pipe, play
from plain_client import Client, RefusedError
from proofs import a_few, proving, scaled
from right_clients import (
    RIGHT,
    SendsOneAfterTheOther,
    SubmitsNothingWhileSomethingIsPending,
)
from wrong_clients import WRONG

CLIENT = [sys.executable, str(Path(__file__).with_name("client.py"))]
WRONG_CLIENT = [sys.executable, "-E", "-s", "-S", wrong_clients.__file__]
REST = ["{folder}/outbox", "{clock}", "{text}", "{more}", "{agent}"]
PLAN = {plan.name: plan for plan in CLIENT_PLANS}
LOST, TWICE = PLAN["lost-after-insertion"], PLAN["same-text-again"]
KEY, OTHER = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab", "9d4e2f10-1c3b-4a5d-8e6f-7a8b9c0d1e2f"
PATIENCE = ClientTimeouts(run=60.0, hold=0.3)
EAGER = ClientTimeouts(run=60.0, hold=60.0)
"""For clients that wait for nothing: an answer is held until they show it.

Those that submit two prompts at once have all the time to do so.
"""

AT_ONCE = 6
PROGRAMS = {"ForgetsAtTheNextStart"}
NOTHING = ClientPlan("nothing", (), (), ("",))

Message = dict[str, Any]
Story = list[list[Message]]


def played(
    command: Sequence[str], plans: Sequence[ClientPlan], timeouts: ClientTimeouts = PATIENCE
) -> list[TraceResult]:
    """As `judge_client`, with several plans at once."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waits = [EAGER if plan.more else timeouts for plan in plans]
        log = list(pool.map(partial(play_client, command), plans, waits))
    return [*map(judge, log), judge_keys(log)]


def played_within(client: type[Client], hasty: bool) -> list[TraceResult]:
    """All plans in this process."""

    def run(folder: Path, start: Callable[[], Pipe], run: ClientRun) -> None:
        with contextlib.suppress(RefusedError):
            client(folder / "outbox", run.clock, start).run(run.text, run.more)

    log = [play(run, plan, hasty=hasty) for plan in CLIENT_PLANS]
    return [*map(judge, log), judge_keys(log)]


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


def answered(message: Message, run: int, *, final: bool) -> list[Message]:
    """The lines for a request, which the agent answers unless it is a prompt and not `final`."""
    lines = [{"from": "client", "run": run, "message": message}]
    result = {"sessionId": "s"} if message["method"] == "session/new" else {}
    if message["method"] != "session/prompt" or final:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        lines.append({"from": "agent", "run": run, "message": answer})
    return lines


def summary(
    folder: Path, plan: ClientPlan, story: Story, late: Collection[int] = ()
) -> TraceResult:
    for number, messages in enumerate(story):
        lines = [
            json.dumps(line)
            for message in messages
            for line in answered(message, number, final=number > 0 and message is messages[-1])
        ]
        path = folder / f"connection-{number:02}.ndjson"
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return judge(read(folder, plan, late=frozenset(late)))


def key(value: str | None, *connections: int) -> Callable[[Story], object]:
    """Give the prompts of some connections another key."""

    def change(story: Story) -> None:
        for number in connections or range(len(story)):
            story[number][-1]["params"]["idempotencyKey"] = value

    return change


BROKEN: Final[dict[str, tuple[ClientPlan, Story, Callable[[Story], object], set[str]]]] = {
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
        lambda story: story[1].append(prompt(4, None)),
        {"client-waits", "client-same-key"},
    ),
    "no retry": (LOST, RETRIED, lambda story: story[1].pop(), {"client-resends"}),
    "no resume": (LOST, RETRIED, lambda story: story[1].pop(1), {"client-resumes-first"}),
    "no initialize": (LOST, RETRIED, lambda story: story[1].pop(0), {"client-resumes-first"}),
}


UNREPORTED: Final[dict[type[Client], set[str]]] = {
    SubmitsNothingWhileSomethingIsPending: {"client-shows-old-prompts"},
    SendsOneAfterTheOther: {"client-resends-all"},
}
"""What right clients never come to."""


def failing(results: Sequence[TraceResult]) -> dict[str, list[str]]:
    found = verdicts(results, Role.CLIENT)
    return {v.requirement.id: [*v.details] for v in found if v.status is VerdictStatus.FAIL}


def enough() -> list[ClientPlan]:
    """The first plan that is made for each requirement."""
    first = {each: plan for plan in reversed(CLIENT_PLANS) for each in plan.about}
    return [plan for plan in CLIENT_PLANS if plan in first.values()]


@scaled("plays all plans")
def test_the_outbox_keeps_every_rule() -> None:
    plans = CLIENT_PLANS if proving() else enough()
    found = verdicts(played([*CLIENT, *REST], plans), Role.CLIENT)
    assert {v.requirement.id: v.details for v in found if v.status is not VerdictStatus.PASS} == {}


@pytest.mark.prove("plays all plans with one more client")
def test_a_plain_client_can_keep_every_rule_too() -> None:
    found = verdicts(played([*WRONG_CLIENT, "Client", *REST], CLIENT_PLANS), Role.CLIENT)
    assert {v.requirement.id: v.details for v in found if v.status is not VerdictStatus.PASS} == {}


@pytest.mark.parametrize("hasty", a_few([False, True], {False}, "plays all plans again"))
@pytest.mark.parametrize("client", a_few(RIGHT, RIGHT[2::3], "plays all plans with each client"))
def test_clients_that_are_right_in_other_ways_fail_nothing(
    client: type[Client], hasty: bool
) -> None:
    found = verdicts(played_within(client, hasty), Role.CLIENT)
    assert {v.requirement.id: v.details for v in found if v.status is VerdictStatus.FAIL} == {}
    unreported = {v.requirement.id for v in found if v.status is VerdictStatus.NOT_EXERCISED}
    assert unreported == UNREPORTED.get(client, set())


@pytest.mark.parametrize("hasty", a_few([False, True], {False}, "plays all plans again"))
@pytest.mark.parametrize("name", a_few(WRONG, [*WRONG][::10], "plays all plans with each client"))
def test_a_wrong_client_fails_what_it_breaks_in_all_plans(name: str, hasty: bool) -> None:
    broken, plans = WRONG[name]
    results = played_within(getattr(wrong_clients, name), hasty)
    assert failing(results).keys() == broken
    blamed = {result.trace for result in results if result.broken}
    assert blamed >= ({"all keys"} if broken == {RANDOM} else {*plans})


@pytest.mark.parametrize("name", a_few(WRONG, PROGRAMS, "starts programs; threads show the same"))
def test_a_wrong_client_that_is_a_program_fails_as_well(name: str) -> None:
    broken, plans = WRONG[name]
    results = played([*WRONG_CLIENT, name, *REST], [PLAN[each] for each in plans], EAGER)
    assert failing(results).keys() == broken
    blamed = {result.trace for result in results if result.broken}
    assert blamed >= ({"all keys"} if broken == {RANDOM} else {*plans})


def test_every_requirement_of_clients_is_broken_alone_by_one() -> None:
    alone = {next(iter(broken)) for broken, _ in WRONG.values() if len(broken) == 1}
    assert alone == {RANDOM, *RULES}


@pytest.mark.parametrize(("plan", "story"), [(LOST, RETRIED), (TWICE, REPEATED)])
def test_the_stories_are_right_as_they_are(tmp_path: Path, plan: ClientPlan, story: Story) -> None:
    assert summary(tmp_path, plan, story).broken == ()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_story_breaks_one_rule(tmp_path: Path, name: str) -> None:
    plan, story, change, failing = BROKEN[name]
    story = copy.deepcopy(story)
    change(story)
    assert {id_ for id_, _ in summary(tmp_path, plan, story).broken} == failing


def test_a_prompt_without_text_has_no_content_to_find(tmp_path: Path) -> None:
    story = copy.deepcopy(RETRIED)
    for messages in story:
        messages[-1]["params"]["prompt"] = [{"type": "resource_link", "uri": "file:///a"}]
    assert summary(tmp_path, LOST, story).broken == ()


def test_a_client_without_keys_is_not_judged_by_them(tmp_path: Path) -> None:
    story = copy.deepcopy(RETRIED)
    key(None)(story)
    result = summary(tmp_path, LOST, story)
    assert (result.broken, result.reason) == ((), "the client sent no key")
    assert result.kept == {"client-own-ids", "client-resumes-first"}


def test_old_prompts_take_a_clock() -> None:
    plan = PLAN["held-for-long"]
    result, _ = judge_client([sys.executable, "-c", "", "{agent}"], [plan], PATIENCE)
    assert result.open == {"client-shows-old-prompts"}
    assert result.reason.startswith("COMMAND has no {clock}, ")


def test_a_failure_that_did_not_happen_proves_nothing(tmp_path: Path) -> None:
    plan = PLAN["answer-held"]
    assert "client-waits" in summary(tmp_path, plan, RETRIED).moot
    (tmp_path / "met-0").touch()
    assert "client-waits" in summary(tmp_path, plan, RETRIED).kept


def test_a_prompt_may_be_sent_again_on_its_pipe_under_its_key(tmp_path: Path) -> None:
    story = copy.deepcopy(RETRIED)
    story[1].append(prompt(4))
    assert summary(tmp_path, LOST, story).broken == ()


def test_a_client_that_hangs_is_ended() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)", "{agent}"]
    log = play_client(command, LOST, ClientTimeouts(run=0.2))
    ended = " (a run took too long and was ended: see --timeout)"
    result, keys = judge(log), judge_keys([log])
    assert (result.kept, result.reason) == (frozenset(), f"the client sent no prompt{ended}")
    assert keys.reason == f"it takes {LEAST_KEYS} keys, and the client sent 0{ended}"


ENDED = "nothing that it sent shows it (a run took too long and was ended: see --timeout)"


def test_a_run_that_was_killed_fails_nothing(tmp_path: Path) -> None:
    result = summary(tmp_path, LOST, RETRIED[:1], {1})
    assert (result.broken, result.reason) == ((), ENDED)
    assert "client-resends" in result.open


def test_what_is_left_undone_after_a_run_that_was_ended_is_one(tmp_path: Path) -> None:
    result = summary(tmp_path, LOST, RETRIED[:1], {0})
    assert {id_ for id_, _ in result.broken} == {"client-resends"}


def test_a_prompt_of_a_run_that_was_ended_may_come_instead_of_a_new_one(tmp_path: Path) -> None:
    story = copy.deepcopy(REPEATED)
    key(KEY)(story)
    assert summary(tmp_path, TWICE, story, {0}).broken == ()
    assert {id_ for id_, _ in summary(tmp_path, TWICE, story, {2}).broken} == {"client-new-key"}


@pytest.mark.parametrize("name", BROKEN)
def test_what_was_done_wrong_counts_though_a_run_was_ended(tmp_path: Path, name: str) -> None:
    plan, story, change, failing = BROKEN[name]
    story = copy.deepcopy(story)
    change(story)
    final = len(plan.texts) - 1
    found = {id_ for id_, _ in summary(tmp_path, plan, story, {final}).broken}
    assert found == failing - {"client-resends"}


ODD: Final = {
    "no JSON": "{",
    "no object": "[]",
    "no method": '{"id": 1}',
    "a method that is not a text": '{"id": 1, "method": []}',
    "bytes that are no UTF-8": '{"id": 1, "method": "\udcff"}',
    "a byte order mark": '\ufeff{"id": 1, "method": "session/list"}',
    "half a character": '{"id": 1, "method": "session/prompt", "params": {"idempotencyKey": "k", '
    '"prompt": [{"text": "\\ud800"}]}}',
    "params that are no object": '{"id": 1, "method": "session/prompt", "params": [1]}',
    "a prompt that is a notification": '{"method": "session/prompt", "params": {}}',
    "a prompt that is not a list": '{"id": 1, "method": "session/prompt", "params": {"prompt": 5}}',
    "a block that is a number": '{"id": 1, "method": "session/prompt", "params": {"prompt": [5]}}',
}
SENDS = """
import os, subprocess, sys
odd, *command = sys.argv[1:]
agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
agent.communicate(os.fsencode(odd) + b'\\n{"id": 2, "method": "session/list"}\\n')
"""


@pytest.mark.parametrize("name", a_few(ODD, [*ODD][::4], "starts a client for each"))
def test_whatever_a_client_sends_is_judged(name: str) -> None:
    log = play_client([sys.executable, "-c", SENDS, ODD[name], "{agent}"], NOTHING, PATIENCE)
    got = {json.dumps(line.message.get("id")) for lines in log.connections for line in lines}
    assert "2" in got
    assert isinstance(judge(log), TraceResult)
    assert isinstance(judge_keys([log]), TraceResult)


def never() -> NoReturn:
    raise AssertionError


@pytest.mark.parametrize(
    "where",
    a_few(
        ("id", "method", "prompt", "idempotencyKey", "sessionId"),
        {"prompt"},
        "reads at a hundred depths",
    ),
)
def test_whatever_depth_it_sends_is_judged(tmp_path: Path, where: str) -> None:
    write_plan(tmp_path, (), None)
    agent = FaultyAgent(tmp_path, 0, lambda _: None, never)
    for depth in range(700, 1010, 3):
        message = prompt(depth)
        (message if where in message else message["params"])[where] = "DEEP"
        deep = json.dumps(message).replace('"DEEP"', "[" * depth + "]" * depth)
        agent.take(deep.encode())
    log = read(tmp_path, NOTHING)
    assert isinstance(judge(log), TraceResult)
    assert isinstance(judge_keys([log]), TraceResult)


def test_a_client_that_is_not_there_is_an_error() -> None:
    with pytest.raises(StartError, match="no-such-client can't be started"):
        play_client(["no-such-client", "{agent}"], LOST, PATIENCE)
