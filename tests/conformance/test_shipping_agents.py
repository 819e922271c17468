"""Options for agents that ship, and what is reported if nothing can work with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_conformance.play_options import Permission, PlayOptions
from conform_calls import ONE, conform

SHIPPING = Path(__file__).parents[1] / "support" / "shipping_agent.py"


@pytest.fixture
def agent(tmp_path: Path) -> list[str]:
    return [sys.executable, str(SHIPPING), str(tmp_path)]


def seen(folder: Path, what: str) -> list[Any]:
    """What the agent noted, in order."""
    lines = map(json.loads, (folder / "log").read_text("utf-8").splitlines())
    return [line[what] for line in lines if what in line]


def test_each_trace_has_an_empty_folder_of_its_own(agent: list[str], tmp_path: Path) -> None:
    status, _, _ = conform(*ONE, "--trace", "keyless", "--", *agent)
    first, second = seen(tmp_path, "cwd")
    assert first != second
    assert seen(tmp_path, "files") == [0, 0]
    assert [Path(each).exists() for each in (first, second)] == [False, False]
    assert status == 0


def test_a_folder_and_a_variable_are_given(agent: list[str], tmp_path: Path) -> None:
    options = ("--cwd", tmp_path, "--env", "SHIPPING=secret", "--format", "json")
    status, out, err = conform(*ONE, *options, "--", *agent)
    assert (seen(tmp_path, "cwd"), seen(tmp_path, "env")) == ([str(tmp_path)], ["secret"])
    assert (status, "secret" in out + err) == (0, False)
    (trace,) = json.loads(out)["traces"]
    assert "--env SHIPPING=..." in trace["replay"]


@pytest.mark.parametrize(
    ("habit", "options", "words"),
    [
        (
            "login",
            (),
            'step 2, new: session/new was answered with the error -32000 "Authentication required":'
            " give --login METHOD with one of key, or log in before",
        ),
        (
            "login",
            ("--login", "other"),
            'step 2, new: auth/login was answered with the error -32602 "No such method"'
            ' {"given": "?"}: it offers key',
        ),
        (
            "broken",
            (),
            'step 2, new: session/new was answered with the error -32603 "No model"'
            ' {"reason": "disk"}',
        ),
        (
            "v1",
            (),
            "step 1, connect: the agent does not speak version 2: it answers initialize with"
            " version 1, which has no idempotency keys to judge",
        ),
        (
            "v1-shape",
            (),
            "step 1, connect: the agent answers initialize with version 2 in the shape of version"
            " 1, with agentCapabilities and agentInfo: version 2 has capabilities and info",
        ),
    ],
)
def test_it_stops_at_once_if_nothing_can_work(
    agent: list[str], habit: str, options: tuple[str, ...], words: str
) -> None:
    status, out, err = conform(*options, "--", *agent, habit)
    assert err == f"acpgen: the program under test can't be judged: {words}\n"
    assert (status, out) == (2, "")


def test_a_login_opens_sessions(agent: list[str]) -> None:
    options = ("--trace", "retry-after-restart", "--login", "key", "--format", "json")
    status, out, err = conform(*options, "--", *agent, "login")
    traces = {each["name"]: each["reason"] for each in json.loads(out)["traces"]}
    assert traces == {"retry-answer": None, "retry-after-restart": None}
    assert (status, err) == (0, "")


def test_prompts_are_not_tried_again_if_the_first_is_refused(
    agent: list[str], tmp_path: Path
) -> None:
    status, out, _ = conform(
        *ONE, "--trace", "insert-once", "--trace", "initialize-twice", "--", *agent, "refuses"
    )
    assert len(seen(tmp_path, "prompt")) == 1
    assert 'was answered with the error -32603 "Missing provider"' in out
    assert " more: not played, since the agent takes no prompts: a prompt without a key " in out
    assert "kept in initialize-twice\n" in out
    assert status == 2


@pytest.mark.parametrize(
    ("permission", "outcome"),
    [
        ("allow", {"outcome": "selected", "optionId": "y"}),
        ("reject", {"outcome": "selected", "optionId": "n"}),
        ("cancelled", {"outcome": "cancelled"}),
    ],
)
def test_requests_for_permission_are_answered(
    agent: list[str], tmp_path: Path, permission: str, outcome: dict[str, str]
) -> None:
    options = ("--permission", permission, "--format", "json")
    status, out, err = conform(*ONE, *options, "--", *agent, "asks")
    outcomes = seen(tmp_path, "outcome")  # the last may come after the kill
    assert outcomes == [outcome] * max(2, len(outcomes))
    assert json.loads(out)["run"]["permissions"] == 3
    assert err == (
        f"acpgen: the agent asked for permission 3 times: the answer was {permission},"
        " see --permission\n"
    )
    assert status == 0


def test_an_option_that_is_not_offered_is_not_chosen() -> None:
    assert Permission.ALLOW.outcome([{"optionId": "n", "kind": "reject_once"}]) == {
        "outcome": "cancelled"
    }
    assert Permission.ALLOW.outcome("broken") == {"outcome": "cancelled"}


def test_a_test_prompt_is_replaced(agent: list[str], tmp_path: Path) -> None:
    text = "Sleep for {seconds} seconds."
    status, out, _ = conform(
        "--trace", "retry-held", "--prompt-hold", text, "--strict", "--", *agent
    )
    prompts = [each for each in seen(tmp_path, "prompt") if each.startswith("Sleep")]
    assert {each.partition(" [")[0] for each in prompts} == {"Sleep for 1 seconds."}
    assert "the agent did not hold the prompt" in out
    assert status == 2


def test_other_test_prompts_stay() -> None:
    asked = PlayOptions(prompts={"work": "Count to ten."})
    assert asked.prompt("acp-conformance: hold 1000ms", 2.0).text == "acp-conformance: hold 2000ms"
    found = asked.prompt("acp-conformance: work 1500ms", 2.0)
    assert (found.text, found.seconds, found.is_own) == ("Count to ten.", 3.0, True)
