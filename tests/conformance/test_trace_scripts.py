"""The traces follow their guide, and so do the vectors made from them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from acp_conformance.agent_timeouts import SILENCE, SILENCES
from acp_conformance.directives import DIRECTIVES, Directive, read_directive, scaled
from acp_conformance.trace_script import (
    VERBS,
    ScriptError,
    Step,
    guide,
    parse,
    remote_scripts,
    scripts,
    texts,
)
from acp_conformance.trace_verbs import VERBS as PLAYED
from acp_conformance.transport_faults import TransportFault
from acpgen.load import load
from acpgen.targets.vectors import left_out, traces
from whole_schema import whole_schema

GOLDEN = Path(__file__).parents[1] / "golden" / "schema"
SCRIPTS = sorted((*scripts(), *remote_scripts()), key=lambda script: f"{script.name}.json")
SAID = {step.word("text") for script in SCRIPTS for step in script.steps}
HELD = {text for text in SAID if read_directive(text).verb == "hold"}
USED = {step.verb for script in SCRIPTS for step in script.steps}
BROKEN = {
    "no JSON": ("{", "t: Expecting"),
    "no steps": ('{"name": "t", "title": "T"}', "t: needs a name, a title and steps"),
    "step is not an object": ('{"name":"t","title":"T","steps":[1]}', "t: step 1 is not an object"),
    "unknown verb": ('{"name":"t","title":"T","steps":[{"do":"x"}]}', "has an unknown verb"),
    "unknown word": (
        '{"name":"t","title":"T","steps":[{"do":"kill","session":"s"}]}',
        "t: step 1: kill takes no session",
    ),
    "unknown transport": (
        '{"name":"t","title":"T","transport":"pigeon","steps":[]}',
        "t: the transport can only be remote",
    ),
    "proves no list": (
        '{"name":"t","title":"T","steps":[{"do":"private","proves":"x"}]}',
        "proves is a list of requirements",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_trace_is_refused(case: str) -> None:
    text, message = BROKEN[case]
    with pytest.raises(ScriptError, match=re.escape(message)):
        parse(text, "t")


def test_keys_that_are_not_strings_are_refused() -> None:
    step = Step("prompts", {"literals": ["k", 1]})
    with pytest.raises(ScriptError, match="prompts: literals must be a list of strings"):
        step.texts("literals")


def test_a_trace_is_named_like_its_file() -> None:
    assert [f"{script.name}.json" for script in SCRIPTS] == list(texts())


def test_every_verb_is_played_used_and_explained() -> None:
    steps = guide().partition("\n## Steps")[2].partition("\n## ")[0]
    explained = {
        verb
        for cell in re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|", steps, re.MULTILINE)
        for verb in re.findall(r"`([a-z-]+)`", cell)
    }
    assert VERBS.keys() == PLAYED.keys() == USED == explained - {"do"}


def test_every_fault_of_a_transport_is_explained_and_played() -> None:
    section = guide().partition("\n## Faults of the transport")[2].partition("\n## ")[0]
    explained = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    steps = [step for script in remote_scripts() for step in script.steps]
    played = {step.word("fault") for step in steps if step.verb == "disturb"}
    assert explained == list(TransportFault)
    assert played == set(explained)


def test_every_test_prompt_is_read_and_explained() -> None:
    explained = re.findall(r"^\| `(acp-conformance: [^`]+)` \|", guide(), re.MULTILINE)
    assert [read_directive(text).verb for text in explained] == list(DIRECTIVES)
    assert {text for text in SAID if text.startswith("acp-")} == set(explained)


def test_what_is_counted_has_a_control() -> None:
    """A count proves something only after a control on an agent that shows its messages."""

    def counted(step: Step) -> tuple[object, ...]:
        return tuple(step.words.get(word) for word in ("connection", "session", "replayed"))

    bare = set()
    for script in SCRIPTS:
        steps = [step for step in script.steps if step.verb == "messages"]
        for number, step in enumerate(steps):
            controls = [
                counted(other)
                for other in steps[:number]
                if other.needs and not other.proves and other.words["count"] == 1
            ]
            if counted(step) not in controls and not (step.needs and step.words["count"] == 1):
                bare.add((script.name, step.word("text")))
    assert bare == set()


def test_every_expectation_proves_something_or_says_what_to_do() -> None:
    """The kit itself gives the reasons for connections and sessions."""
    summary = {"answer", "answered", "lose", "shown", "unanswered", "messages", "resume", "fork"}
    summary |= {"disturbed", "work", "no-work", "working", "private", "prompts", "ids", "compacted"}
    steps = [(script.name, step) for script in SCRIPTS for step in script.steps]
    silent = [
        each for each in steps if each[1].verb in summary and not (each[1].proves or each[1].needs)
    ]
    assert silent == []
    assert [each for each in steps if each[1].needs and ": " not in each[1].needs] == []


def test_an_agent_that_refuses_prompts_proves_nothing_about_keys() -> None:
    """The first prompt with a key has to get a messageId; two traces prove that it does."""
    keyed = "a prompt with a new key got no messageId: see support-keys"
    unsure = set()
    for script in SCRIPTS:
        sent = [s for s in script.steps if s.verb == "prompt" and not malformed(s)]
        first = next((s for s in sent if s.words.get("key") or s.words.get("literal")), None)
        if first is not None:
            log = [s for s in script.steps if s.words.get("request") == first.words["request"]]
            if (log[1].verb, log[1].needs) not in (("answer", keyed), ("lose", keyed)):
                unsure.add(script.name)
    assert unsure == {"retry-answer", "valid-keys"}


def test_a_further_prompt_waits_until_the_agent_is_settled() -> None:
    """An agent may hold it, or refuse it, while it works on another one."""
    at_once = {  # it is what they are about
        "retry-mid-turn",
        "retry-steered",
        "cancel-held-other",
        "concurrent-after-restart",
        "retry-queued",
    }
    early = set()
    for script in SCRIPTS:
        at_work: set[str] = set()
        for step in script.steps:
            session = step.word("session")
            if step.verb in ("prompt", "prompts") and "again" not in step.words:
                if session in at_work:
                    early.add(script.name)
                at_work |= {session} if not malformed(step) else set()
            elif step.verb in ("settled", "kill", "end"):
                at_work -= {session} if session else at_work.copy()
    assert early == at_once


def malformed(step: Step) -> bool:
    key = step.words.get("literal")
    return key is not None and not (isinstance(key, str) and 1 <= len(key) <= 255)


def test_a_time_in_a_test_prompt_is_as_long_as_five_silences() -> None:
    assert scaled("acp-conformance: hold 1000ms", 3.0) == "acp-conformance: hold 3000ms"
    assert scaled("acp-conformance: steer", 3.0) == "acp-conformance: steer"
    assert scaled("after 10 ms", 3.0) == "after 10 ms"
    assert scaled("acp-conformance: dance 10ms", 3.0) == "acp-conformance: dance 10ms"
    longest = max(read_directive(text).seconds for text in HELD)
    assert longest == 5 * SILENCE
    assert max(read_directive(text).seconds for text in SAID) < SILENCES * SILENCE


def test_orders_are_read_from_the_beginning_of_a_text() -> None:
    assert read_directive("acp-conformance: hold 1500ms [ab]") == Directive("hold", 1.5)
    assert read_directive("Please hold. acp-conformance: hold 1500ms") == Directive()
    assert read_directive("acp-conformance: dance") == Directive()


def test_the_vectors_hold_the_same_traces() -> None:
    tree = traces(whole_schema())
    files = {path.rpartition("/")[2]: text for path, text in tree.items() if "traces/" in path}
    assert files.pop("README.md").endswith(guide())
    assert {name: parse(text, name) for name, text in files.items()} == {
        name: parse(text, name) for name, text in texts().items()
    }
    listed = json.loads(tree["vectors/traces.json"])["files"]
    assert [entry["file"] for entry in listed] == [f"traces/{name}" for name in texts()]


def test_a_trace_that_calls_an_unknown_method_is_left_out_alone() -> None:
    protocol = whole_schema()
    methods = tuple(m for m in protocol.methods if m.name != "session/fork")
    forkless = replace(protocol, methods=methods)
    path = "vectors/traces/fork.json"
    assert left_out(forkless) == {path: "the trace calls session/fork, which the schema lacks"}
    assert traces(protocol).keys() - traces(forkless).keys() == {path}


def test_a_protocol_without_keyed_prompts_has_no_traces() -> None:
    assert traces(load(GOLDEN / "v9")) == {}


def test_the_generator_needs_none_of_its_output_for_them() -> None:
    script = (
        "import sys, acpgen.targets.vectors.trace_vectors\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('acp_v2', 'acp_retry')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
