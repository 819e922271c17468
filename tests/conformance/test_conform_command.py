"""`acpgen conform` as people and build servers call it."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from acp_conformance.client_plans import CLIENT_PLANS
from acp_conformance.requirements import ASKED, Role
from acp_conformance.trace_script import scripts
from conform_calls import AGENT, ONE, conform, conform_apart, write_forgetful
from view_pages import session_in

INITIALIZED = """
import json

asked = json.loads(input())
capabilities = {"session": {}}
info = {"name": "agent", "version": "1"}
result = {"protocolVersion": 2, "capabilities": capabilities, "info": info}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
"""Answers one request, and ends."""
REFUSING = """
from acp_conformance import reference
from acp_conformance.reference_agent import ReferenceAgent
from acp_retry import RequestFailedError

class Agent(ReferenceAgent):
    async def prompt(self, call):
        if "idempotencyKey" in call.params:
            raise RequestFailedError.of(-32602, "Invalid params")
        return await super().prompt(call)

reference.ReferenceAgent = Agent
reference.main()
"""
BLABS = """
import os, sys
from acp_conformance import reference
from acp_conformance.reference_agent import ReferenceAgent

class Agent(ReferenceAgent):
    async def prompt(self, call):
        if key := call.params.get("idempotencyKey"):
            sys.stderr.write(f"no such key: {key}")
            sys.stderr.flush()
            os._exit(3)
        return await super().prompt(call)

reference.ReferenceAgent = Agent
reference.main()
"""
LEAKY = """
from acp_conformance import reference
from acp_conformance.reference_agent import ReferenceAgent

class Agent(ReferenceAgent):
    async def prompt(self, call):
        key = call.params.get("idempotencyKey", "none")
        update = {"sessionUpdate": "session_info_update", "title": key}
        await self.tell(call.params["sessionId"], update)
        return await super().prompt(call)

reference.ReferenceAgent = Agent
reference.main()
"""


@pytest.fixture
def forgetful(tmp_path: Path) -> list[str]:
    return write_forgetful(tmp_path)


def test_an_agent_that_is_right_passes() -> None:
    status, out, err = conform_apart(*ONE, "--", *AGENT)
    rule = "support-keys: An agent with sessions knows a prompt again by its key."
    assert out == f"pass           MUST    {rule}\n1 passed, 0 failed, 0 not exercised\n"
    assert (status, err) == (0, "")


def test_an_agent_that_is_wrong_fails(forgetful: list[str]) -> None:
    status, out, err = conform_apart(*ONE, "--", *forgetful)
    assert "\n               retry-answer: step 9, answer: r2 got a messageId other than" in out
    assert out.endswith("\n0 passed, 1 failed, 0 not exercised\n")
    assert (status, err) == (1, "")


def test_an_agent_that_refuses_keys_fails(tmp_path: Path) -> None:
    refusing = tmp_path / "refusing.py"
    refusing.write_text(REFUSING, "utf-8")
    status, out, err = conform(*ONE, "--", sys.executable, refusing)
    assert "\n               retry-answer: step 7, answer: r1 was answered with the error" in out
    assert (status, err) == (1, "")
    status, out, _ = conform("--trace", "insert-once", "--", sys.executable, refusing)
    assert "\n               retry-same-connection: a prompt with a new key got no messageId" in out
    assert status == 1


def test_the_death_of_an_agent_is_reported_once(tmp_path: Path) -> None:
    program = "import sys; sys.exit('no such model')"
    status, out, err = conform("--record", tmp_path, "--", sys.executable, "-c", program)
    words = "the connection ended (exit status 1; standard error: no such model)"
    why = "acpgen: the program under test does not answer: step 1, connect: initialize: "
    hint = "it wrote nothing to standard output: see that the command talks ACP on its pipes"
    assert (out, err) == ("", f"{why}{words}: {hint}\n")
    written = {file.suffix: file.read_bytes() for file in tmp_path.iterdir()}
    assert (len([*tmp_path.iterdir()]), written[".stderr"]) == (3, b"no such model\n")
    assert status == 2


def test_an_agent_that_never_answers_is_not_waited_for_again() -> None:
    hangs = (sys.executable, "-c", "import time; time.sleep(600)")
    status, out, err = conform("--timeout", "2", "--format", "json", "--", *hangs)
    document = json.loads(out)
    summary = "the program under test does not answer: step 1, connect: initialize: no answer came"
    assert document["problems"][0]["message"].startswith(summary)
    assert err.startswith(f"acpgen: {summary}")
    assert (status, document["complete"]) == (2, False)


def test_a_program_that_does_not_speak_gets_no_report() -> None:
    echo = ("--timeout", "300", "--", "cat")
    status, out, err = conform_apart(*echo)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("acpgen: the program under test can't be judged: step 1, connect: ")
    document = json.loads(conform("--format", "json", *echo)[1])
    assert (document["complete"], len(document["problems"])) == (False, 1)
    assert {each["status"] for each in document["requirements"]} == {"not exercised"}
    assert ET.fromstring(conform("--format", "junit", *echo)[1])[0].get("errors") == "1"


def test_the_list_has_each_requirement_and_trace() -> None:
    status, out, err = conform("--list")
    assert (status, err) == (0, "")
    for each in ASKED:
        assert f"  {each.level:6}  {each.id}: {each.text}\n" in out
    for script in scripts():
        assert f"  {script.name}: {script.title}\n" in out
    assert "Traces for a client:\n" in out
    assert "Traces for a proxy:\n" in out


def test_the_list_is_json_too_and_of_one_role() -> None:
    status, out, _ = conform("--list", "--client", "--format", "json")
    document = json.loads(out)
    assert status == 0
    asked = [each for each in ASKED if each.role is Role.CLIENT]
    assert [each["id"] for each in document["requirements"]] == [each.id for each in asked]
    names = {trace["name"] for trace in document["traces"]}
    assert names == {plan.name for plan in CLIENT_PLANS}
    assert {name for each in document["requirements"] for name in each["traces"]} <= names
    assert conform("--list", "--format", "junit")[::2] == (
        2,
        "acpgen: --list has no junit: give --format text or json\n",
    )


def test_a_key_that_a_dying_agent_writes_is_not_printed(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(BLABS, "utf-8")
    status, out, err = conform(*ONE, "--record", tmp_path, "--", sys.executable, agent)
    assert "the connection ended (exit status 3; standard error: no such key: (an ID))" in out
    written = (tmp_path / "retry-answer.stderr").read_text("utf-8").removeprefix("no such key: ")
    assert (len(written), written in out + err) == (36, False)
    assert status == 1


@pytest.mark.prove("plays five traces; `make test` tries `--strict` with fewer")
def test_many_gaps_are_counted() -> None:
    names = ("cancel-elsewhere", "two-connections", "live-only-elsewhere", "retry-after-restart")
    traces = [word for name in (*names, "retry-mid-turn") for word in ("--trace", name)]
    _, _, err = conform(*traces, "--strict", "--", *AGENT)
    assert err == "acpgen: no verdict: nothing was exercised in full\n"


def test_an_agent_that_opens_no_session_is_not_tried_again() -> None:
    status, out, err = conform("--", sys.executable, "-c", INITIALIZED)
    summary = "step 2, new: session/new: the connection ended (exit status 0)"
    assert err == f"acpgen: the program under test can't be judged: {summary}\n"
    assert (status, out) == (2, "")


def test_json_has_what_text_has(forgetful: list[str]) -> None:
    status, out, _ = conform(*ONE, "--format", "json", "--", *forgetful)
    document = json.loads(out)
    (entry,) = document["requirements"]
    assert (entry["id"], entry["level"], entry["status"]) == ("support-keys", "MUST", "fail")
    assert entry["details"][0].startswith("retry-answer: step 9, answer: ")
    assert document["summary"] == {
        "pass": 0,
        "partly": 0,
        "fail": 1,
        "not exercised": 0,
        "advice": 0,
        "expected": 0,
    }
    assert (document["complete"], document["problems"]) == (True, [])
    assert status == 1


def test_junit_skips_what_was_not_exercised(forgetful: list[str]) -> None:
    traces = (*ONE, "--trace", "two-connections", "--trace", "keyless")
    status, out, _ = conform(*traces, "--format", "junit", "--", *forgetful)
    (suite,) = ET.fromstring(out)
    cases = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert cases == {
        "support-keys": ["failure"],
        "keyless-prompts-are-new": [],
        "known-on-any-connection": ["skipped"],
    }
    counts = {name: suite.get(name) for name in ("tests", "failures", "skipped", "errors")}
    assert counts == {"tests": "3", "failures": "1", "skipped": "1", "errors": "0"}
    assert status == 1


def test_strict_minds_what_was_not_exercised() -> None:
    traces = (*ONE, "--trace", "two-connections")
    assert conform(*traces, "--", *AGENT)[::2] == (0, "")
    missing = "acpgen: no verdict: known-on-any-connection was not exercised in full\n"
    assert conform(*traces, "--strict", "--", *AGENT)[::2] == (2, missing)


def test_a_requirement_selects_its_traces() -> None:
    status, out, _ = conform("--trace", "null-is-omitted", "--format", "json", "--", *AGENT)
    (entry,) = json.loads(out)["requirements"]
    assert (entry["id"], entry["traces"]) == ("null-is-omitted", ["null-key"])
    assert status == 0


def test_other_commands_restart_and_join() -> None:
    with tempfile.TemporaryDirectory() as folder:  # a socket's path has to be short
        place = shlex.quote(folder)
        command = f"{sys.executable} -m acp_conformance.reference --socket {place}/socket"
        stored = f"{command} --store {place}/store.db"
        traces = ("--trace", "two-connections", "--trace", "retry-after-restart")
        options = ("--restart-command", stored, "--second-command", f"{command} --join")
        status, out, _ = conform(*traces, *options, "--", *shlex.split(stored))
    assert "\n               kept in two-connections\n" in out
    assert out.endswith("0 passed, 3 passed partly, 0 failed, 0 not exercised\n")
    assert status == 0


def test_a_recording_is_a_transcript(tmp_path: Path) -> None:
    status, _, _ = conform(*ONE, "--record", tmp_path / "new", "--", *AGENT)
    lines = (tmp_path / "new" / "retry-answer.ndjson").read_text("utf-8").splitlines()
    first = json.loads(lines[0])
    assert (first["from"], first["connection"], first["message"]["id"]) == ("client", "c1", 1)
    assert status == 0


def test_a_key_is_never_printed(forgetful: list[str], tmp_path: Path) -> None:
    _, out, err = conform(*ONE, "--record", tmp_path, "--", *forgetful)
    lines = (tmp_path / "retry-answer.ndjson").read_text("utf-8").splitlines()
    messages = [json.loads(line)["message"] for line in lines]
    prompts = [m["params"] for m in messages if m.get("method") == "session/prompt"]
    keys = {prompt["idempotencyKey"] for prompt in prompts if "idempotencyKey" in prompt}
    assert (len(prompts), len(keys)) == (3, 1)
    assert keys.pop() not in out + err


def test_a_leaked_key_is_reported_whatever_was_chosen(tmp_path: Path) -> None:
    leaky = tmp_path / "leaky.py"
    leaky.write_text(LEAKY, "utf-8")
    status, out, _ = conform(*ONE, "--", sys.executable, leaky)
    assert "advice         stated  keys-stay-private: " in out
    assert "retry-answer: afterwards: session/update of the agent holds a key" in out
    assert (status, "1 passed, 0 failed, 1 as advice" in out) == (0, True)
    assert conform("--level", "stated", *ONE, "--", sys.executable, leaky)[0] == 1


def test_what_the_agent_writes_beside_messages_is_counted(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("print('hello')\n", "utf-8")
    _, _, err = conform(*ONE, "--", sys.executable, agent)
    assert err.startswith("acpgen: 1 line of the agent is not a message, in retry-answer\n")


def test_what_is_missing_is_a_problem() -> None:
    nobody = (*ONE, "--", sys.executable, "-c", "")
    _, out, err = conform("--format", "json", *nobody)
    document = json.loads(out)
    assert "".join(f"acpgen: {each['message']}\n" for each in document["problems"]) == err
    assert (document["complete"], document["summary"]["not exercised"]) == (False, 1)
    (suite,) = ET.fromstring(conform("--format", "junit", *nobody)[1])
    tags = [child.tag for case in suite.iter("testcase") for child in case]
    assert tags == ["skipped", "error"]
    assert (suite.get("tests"), suite.get("errors"), suite.get("skipped")) == ("2", "1", "1")


@pytest.mark.parametrize("result", ["null", "5", '"x"', "[1]", '{"sessionId": {}}'])
def test_a_malformed_session_is_reported(result: str) -> None:
    says = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    head = {'jsonrpc': '2.0', 'id': json.loads(line)['id']}\n"
        "    answer = {**head, 'result': json.loads(sys.argv[1])}\n"
        "    print(json.dumps(answer), flush=True)"
    )
    proxy = (sys.executable, "-c", says, result, "{agent}")
    status, out, _ = conform("--proxy", "--format", "json", "--", *proxy)
    document = json.loads(out)
    assert "could not be reached" in document["problems"][0]["message"]
    assert (status, document["summary"]["not exercised"]) == (2, 3)


def test_each_trace_that_failed_has_a_page(forgetful: list[str], tmp_path: Path) -> None:
    traces = (*ONE, "--trace", "keyless")
    status, _, _ = conform(*traces, "--view", tmp_path / "pages", "--", *forgetful)
    assert status == 1
    assert [page.name for page in (tmp_path / "pages").iterdir()] == ["retry-answer.html"]
    contents, texts = session_in(tmp_path / "pages" / "retry-answer.html")
    assert contents["notes"][0].startswith("`support-keys` fails: ")
    assert max(contents["messages"]["key"]) == 0
    assert "session/prompt" in "".join(texts)


def test_nothing_that_failed_is_not_a_page(tmp_path: Path) -> None:
    status, _, _ = conform(*ONE, "--view", tmp_path / "pages", "--", *AGENT)
    assert (status, [*(tmp_path / "pages").iterdir()]) == (0, [])


def test_pages_that_cannot_be_written_are_a_problem(forgetful: list[str], tmp_path: Path) -> None:
    (tmp_path / "retry-answer.html").mkdir()
    status, _, err = conform(*ONE, "--view", tmp_path, "--", *forgetful)
    assert status == 1
    assert "not all pages are written: " in err
