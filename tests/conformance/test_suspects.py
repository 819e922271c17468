"""A failure shows the requests that caused it, and fails whatever a surplus message breaks."""

from __future__ import annotations

import uuid
from typing import Any

from acp_conformance.requirements import Role
from acp_conformance.run_report import RunReport
from acp_conformance.trace_costs import total
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import parse, remote_scripts, scripts
from acp_conformance.trace_selection import quick
from acp_conformance.verdict import TraceResult, VerdictStatus, verdicts
from acp_conformance.verdict_report import plain
from acp_retry import Call
from acp_wire.keys import KEY
from broken_handling import InsertsAgain, LooksBeforeItClaims
from broken_keys import FoldsCase
from laboratory import Laboratory, Make
from variation import Variation

OPEN = '{"do": "connect", "connection": "c1"}, {"do": "new", "connection": "c1", "session": "s1"}'
WHERE = '"connection": "c1", "session": "s1"'


def played(agent: Make, *steps: str) -> TraceResult:
    text = f'{{"name": "t", "title": "T", "steps": [{", ".join((OPEN, *steps))}]}}'
    return play(parse(text, "t"), Laboratory(agent), AgentTimeouts(60.0, 0.1))


def prompt(request: str, text: str, more: str) -> str:
    return f'{{"do": "prompt", {WHERE}, "request": "{request}", "text": "{text}", {more}}}'


COUNTED = (
    f'{{"do": "messages", {WHERE}, "text": "TEXT", "count": 1,'
    ' "proves": ["concurrent-attempts"], "breaks": ["insert-once"]}'
)


def test_too_many_messages_break_more() -> None:
    result = played(
        InsertsAgain,
        prompt("r1", "plain", '"key": "K"'),
        '{"do": "answer", "request": "r1"}',
        '{"do": "wait", "milliseconds": 300}',
        '{"do": "prompt", "connection": "c1", "request": "r2", "again": "r1"}',
        '{"do": "answer", "request": "r2"}',
        COUNTED.replace("TEXT", "plain"),
    )
    assert [id_ for id_, _ in result.broken] == ["concurrent-attempts", "insert-once"]


def test_too_few_messages_do_not() -> None:
    text = "acp-conformance: fail once"
    result = played(
        Variation,
        prompt("r1", text, '"key": "K"'),
        '{"do": "answer", "request": "r1", "code": "any"}',
        COUNTED.replace("TEXT", text),
    )
    assert [id_ for id_, _ in result.broken] == ["concurrent-attempts"]


def test_the_right_number_of_messages_proves_nothing_more() -> None:
    result = played(
        Variation, prompt("r1", "plain", '"key": "K"'), COUNTED.replace("TEXT", "plain")
    )
    assert (result.kept, [*result.broken]) == (frozenset({"concurrent-attempts"}), [])


def test_the_two_keys_that_are_one_are_named() -> None:
    keys = '["other", "Key", "key", "last"]'
    result = played(
        FoldsCase,
        f'{{"do": "prompts", {WHERE}, "text": "keys", "literals": {keys}}}',
        '{"do": "ids", "text": "keys", "proves": ["keys-are-case-sensitive"]}',
    )
    ((_, observed),) = result.broken
    first, second = 'keys 2, with the key "Key"', 'keys 3, with the key "key"'
    assert observed == f"step 4, ids: {second} got the messageId of {first}"
    assert result.facts.evidence is not None
    sent = result.facts.evidence.sent
    assert ["[key of 3 characters" in each for each in sent] == [True, True]


class TakesAnEmptyKey(Variation):
    """Takes an empty key for none, and refuses all others that are malformed."""

    async def prompt(self, call: Call) -> Any:
        if call.params.get(KEY) == "":
            return await self.ledger.prompt(call.peer, call.id, {**call.params, KEY: None})
        return await super().prompt(call)


def test_the_prompt_that_was_taken_is_shown() -> None:
    names = {"empty": '""', "number": "7", "boolean": "false", "array": "[]", "object": "{}"}
    result = played(
        TakesAnEmptyKey,
        *(prompt(name, "plain", f'"literal": {value}') for name, value in names.items()),
        *(f'{{"do": "answered", "request": "{name}"}}' for name in names),
        f'{{"do": "messages", {WHERE}, "text": "plain", "count": 0,'
        ' "proves": ["malformed-is-not-omitted"]}',
    )
    assert result.facts.evidence is not None
    (sent,) = result.facts.evidence.sent
    assert "[key of 0 characters" in sent


def test_what_was_not_chosen_is_one_line_and_a_long_reason_is_printed_once() -> None:
    reason = "step 1, connect: " + "the agent ended without an answer " * 5
    open_ = frozenset({"reused-key", "null-is-omitted"})
    result = TraceResult("odd", frozenset(), open=open_, reason=reason)
    parts = {"known-mid-turn": ["retry-mid-turn"], "known-live-only": ["live-only"]}
    found = [
        each
        for each in verdicts([result], Role.AGENT, parts)
        if each.requirement.id in {*open_, *parts}
    ]
    assert {each.status for each in found} == {VerdictStatus.NOT_EXERCISED}
    lines = plain(RunReport(found, ())).splitlines()
    chosen = (
        "not exercised  2, since no trace about them was chosen: known-mid-turn, known-live-only"
    )
    assert [line for line in lines if "chosen" in line] == [chosen]
    assert [line.strip() for line in lines if line.strip().startswith("odd: ")] == [
        f"odd: {reason.strip()}",
        "odd: the reason is that of null-is-omitted",
    ]


def test_two_messages_that_are_shown_break_more_than_two_ids() -> None:
    step = (
        '{"do": "answer", "request": "r2", "same": "r1", "proves": ["concurrent-attempts"],'
        ' "breaks": ["insert-once"]}'
    )
    sent = (
        prompt("r1", "plain", '"key": "K"'),
        '{"do": "prompt", "connection": "c1", "request": "r2", "again": "r1"}',
        step,
    )
    both = ["concurrent-attempts", "insert-once"]
    assert [id_ for id_, _ in played(LooksBeforeItClaims, *sent).broken] == both
    assert [id_ for id_, _ in played(MakesIdsUp, *sent).broken] == both[:1]


class MakesIdsUp(Variation):
    """Answers with an ID of its own, and inserts each prompt once."""

    async def prompt(self, call: Call) -> Any:
        await super().prompt(call)
        return {"messageId": uuid.uuid4().hex}


def test_quick_traces_wait_for_no_more_than_15_seconds() -> None:
    assert total(quick((*scripts(), *remote_scripts()))).seconds <= 15
