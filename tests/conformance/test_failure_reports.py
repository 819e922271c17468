"""A failure shows what was expected, sent and received, and how to play its trace again."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from acp_conformance.agent_timeouts import AgentTimeouts
from acp_conformance.evidence import expectation
from acp_conformance.expected_failures import ExpectationError, expected_failures
from acp_conformance.likely_causes import UNSEEN
from acp_conformance.played_steps import described
from acp_conformance.requirements import Role
from acp_conformance.run_report import ReplayCommand
from acp_conformance.trace_runner import play
from acp_conformance.trace_script import Step, remote_scripts, scripts
from acp_retry import Call, Peer
from acpgen import __version__
from broken_handling import IgnoresKeys
from conform_calls import AGENT, ONE, conform, write_forgetful
from laboratory import Laboratory
from view_pages import session_in


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_forgetful(tmp_path_factory.mktemp("forgetful"))


@pytest.fixture(scope="module")
def document(forgetful: list[str]) -> Any:
    return json.loads(conform(*ONE, "--format", "json", "--", *forgetful)[1])


def test_json_has_everything_about_a_failure(document: Any) -> None:
    ((failure,),) = (each["failures"] for each in document["requirements"])
    assert (failure["trace"], failure["step"]) == ("retry-answer", 9)
    assert failure["expected"] == "r2 is answered with a result whose messageId is that of r1"
    first, second = (json.loads(each.partition(" ")[2]) for each in failure["sent"])
    assert (first["id"], second["id"]) == (4, 5)
    assert first["params"] == second["params"]
    assert re.fullmatch(
        r"\[key of 36 characters, #[0-9a-f]{6}\]", first["params"]["idempotencyKey"]
    )
    assert [re.sub(r"[0-9a-f-]{36}|\d+\.\d+", "?", each) for each in failure["came"]] == [
        'c1 {"id": 4, "result": {"messageId": "?"}} after ? s',
        'c1 {"id": 5, "result": {"messageId": "?"}} after ? s',
    ]
    assert [each["number"] for each in failure["steps"]] == [*range(1, 10)]
    assert failure["steps"][-1]["fault"].startswith("r2 got a messageId other than")
    assert all(each["at"] >= 0 and each["seconds"] >= 0 for each in failure["steps"])


def test_json_has_the_facts_of_the_run(document: Any) -> None:
    assert document["tool"] == {"name": "acpgen", "version": __version__}
    assert document["agent"] == {"name": "acp-conformance-reference", "version": "1"}
    run = document["run"]
    assert (run["prompts"], run["starts"], run["permissions"], run["noise"]) == (3, 1, 0, 0)
    assert (run["timeout"] >= 10, run["seconds"] > 0) == (True, True)
    (trace,) = document["traces"]
    assert (trace["name"], trace["broken"], trace["prompts"]) == (
        "retry-answer",
        ["support-keys"],
        3,
    )


def test_the_command_plays_the_trace_again(document: Any) -> None:
    replay = document["requirements"][0]["failures"][0]["replay"]
    program, *words = shlex.split(replay)
    assert program == "acpgen"
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "retry-answer: step 9, answer: r2 got a messageId other than" in done.stdout


def test_all_keys_of_a_client_are_judged_again_by_their_requirement() -> None:
    command = ReplayCommand("acpgen conform --client", " -- c {agent}")
    assert command.of("all keys").split(" -- ")[0].endswith(" --trace client-random-key")
    assert command.of("refused").split(" -- ")[0].endswith(" --trace refused")


def test_text_has_the_sentence_what_was_seen_and_the_cause(forgetful: list[str]) -> None:
    _, out, _ = conform(*ONE, "--", *forgetful)
    heads = [line.split()[0] for line in out.splitlines()[1:-1]]
    assert heads == [
        "RFD,",
        "retry-answer:",
        "expected",
        *["sent"] * 2,
        *["came"] * 2,
        *["step"] * 5,
        "replay",
    ]
    assert 'RFD, The idempotencyKey parameter: "Agents that advertise' in out


def test_junit_has_it_too(forgetful: list[str]) -> None:
    _, out, _ = conform(*ONE, "--format", "junit", "--", *forgetful)
    (suite,) = ET.fromstring(out)
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert properties["agent"] == "acp-conformance-reference 1"
    assert properties["tool"] == f"acpgen {__version__}"
    (failure,) = suite.iter("failure")
    assert "expected  r2 is answered with a result" in str(failure.text)
    assert "replay    acpgen conform --trace retry-answer" in str(failure.text)


def test_the_page_and_the_record_have_the_steps(forgetful: list[str], tmp_path: Path) -> None:
    options = ("--view", tmp_path, "--record", tmp_path)
    conform(*ONE, *options, "--", *forgetful)
    notes = session_in(tmp_path / "retry-answer.html")[0]["notes"]
    assert notes[0].startswith("`support-keys` fails: ")
    assert notes[1].startswith("RFD, ")
    assert notes[-1].startswith("replay acpgen conform --trace retry-answer")
    steps = json.loads((tmp_path / "retry-answer.steps.json").read_text("utf-8"))
    assert [each["number"] for each in steps] == [*range(1, 10)]


@pytest.mark.prove("kills an agent several times")
def test_kills_and_starts_are_among_the_steps(tmp_path: Path) -> None:
    agent = (*AGENT, "--store", "{folder}/store")
    options = ("--trace", "crash-at-any-time", "--record", tmp_path, "--jobs", "1")
    assert conform(*options, "--", *agent)[0] == 0
    steps = json.loads((tmp_path / "crash-at-any-time.steps.json").read_text("utf-8"))
    verbs = [each["text"].split()[0] for each in steps]
    assert verbs[:3] == ["connect", "new", "crashes"]
    assert verbs.count("kill") == verbs.count("connect") - 1 >= 4


def test_every_expectation_has_words() -> None:
    steps = [step for each in (*scripts(), *remote_scripts()) for step in each.steps]
    bare = {step.verb for step in steps if step.proves and expectation(step).endswith(" succeeds")}
    assert bare <= {"prompts", "crashes", "fork", "new"}


def test_the_key_of_a_step_is_hidden() -> None:
    assert described(Step("prompt", {"text": "t", "literal": "secret-key"})) == (
        "prompt text t, literal key of 10 characters, #85dbe1"
    )
    assert described(Step("prompts", {"literals": ["a", "b"]})) == "prompts literals 2 keys"


def test_the_typed_handler_of_the_sdk_is_named() -> None:
    assert "TypeScript SDK 2.4.0" in UNSEEN
    assert 'onRequest("*", ...)' in UNSEEN


class EmbedsKeys(IgnoresKeys):
    """Shows each message under an id that holds the newest key."""

    newest = ""

    async def prompt(self, call: Call) -> Any:
        self.newest = str(call.params.get("idempotencyKey"))
        return await super().prompt(call)

    async def show(self, peer: Peer, session: str, message_id: str, content: object) -> None:
        await super().show(peer, session, f"{self.newest}-{message_id}", content)


def test_no_key_is_shown_in_the_id_of_a_message() -> None:
    (script,) = (each for each in scripts() if each.name == "retry-same-connection")
    result = play(script, Laboratory(EmbedsKeys), AgentTimeouts(60.0, 0.05))
    assert {id_ for id_, _ in result.broken} == {"insert-once", "keys-stay-private"}
    assert result.facts.evidence is not None
    shown = " ".join(result.facts.evidence.came)
    assert re.search(
        r'a user message with messageId "\[key of 36 characters, #[0-9a-f]{6}\]-', shown
    )
    assert not re.search(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-", shown
    )


def test_a_failure_of_a_server_may_be_expected(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    path.write_text("server-knows-lost-answer\n", "utf-8")
    assert expected_failures(path, [Role.AGENT, Role.SERVER]) == {"server-knows-lost-answer": 1}
    _, _, err = conform("--expected-failures", path, "--", *AGENT)
    assert err.endswith("server-knows-lost-answer is for the role server, not agent\n")


def test_an_expected_failure_is_not_a_failure(forgetful: list[str], tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("# of the store\n\nsupport-keys  # see the plan\n", "utf-8")
    options = (*ONE, "--expected-failures", known)
    status, out, err = conform(*options, "--", *forgetful)
    assert out.startswith("expected       MUST    support-keys: ")
    assert out.endswith("\n0 passed, 0 failed, 1 failed as expected, 0 not exercised\n")
    assert (status, err) == (0, "")
    document = json.loads(conform(*options, "--format", "json", "--", *forgetful)[1])
    assert (document["summary"]["expected"], document["unexpected"]) == (1, [])


def test_one_that_passes_now_is_an_error(tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("support-keys\n", "utf-8")
    options = (*ONE, "--expected-failures", known)
    status, _, err = conform(*options, "--", *AGENT)
    assert err == f"acpgen: {known}:1: support-keys passes now: remove this line\n"
    assert status == 1
    status, out, _ = conform(*options, "--format", "junit", "--", *AGENT)
    (failure,) = ET.fromstring(out).iter("failure")
    assert (status, failure.get("type")) == (1, "expected-failures")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("insert-onc\n", "1: there is no requirement insert-onc: did you mean insert-once?"),
        ("zzz\n", "1: there is no requirement zzz: see --list"),
        ("\nclient-waits\n", "2: client-waits is for the role client, not agent"),
        ("insert-once\ninsert-once\n", "2: insert-once is on line 1 already: remove one"),
    ],
)
def test_an_entry_that_means_nothing_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(ExpectationError) as caught:
        expected_failures(path, [Role.AGENT])
    assert str(caught.value) == f"{path}:{reason}"


def test_a_dry_run_counts_one_thing_in_the_singular() -> None:
    dry = conform("--dry-run", "--trace", "retry-answer", "--", "no-such-agent")[1].splitlines()
    assert dry[0].split()[1:5] == ["3", "prompts", "1", "start"]
    assert dry[1].split()[:2] == ["1", "trace"]


def test_a_dry_run_starts_nothing() -> None:
    status, out, err = conform("--dry-run", "--quick", "--", "no-such-agent")
    lines = out.splitlines()
    assert (status, err, len(lines)) == (0, "", 17)
    assert lines[-2].startswith("15 traces ")
    document = json.loads(conform("--dry-run", "--format", "json", "--", "no-such-agent")[1])
    assert len(document["traces"]) == len(scripts())
    assert document["total"]["prompts"]["most"] > document["total"]["prompts"]["least"] > 600
