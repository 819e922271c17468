"""From what traces showed to verdicts: a failure counts most, and a gap is never a pass."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest

from acp_conformance.requirements import ASKED, NEED_KEYS, Level, Role
from acp_conformance.run_report import RunReport
from acp_conformance.trace_runner import PRIVATE, AgentTimeouts, play
from acp_conformance.trace_script import parse
from acp_conformance.verdict import (
    RequirementVerdict,
    TraceResult,
    VerdictStatus,
    gaps,
    status_of,
    verdicts,
    with_advice,
)
from acp_conformance.verdict_report import FORMATS
from acp_retry import Call
from broken_privacy import ShowsKeys
from laboratory import Laboratory, Make, patiently
from variation import Variation

KEPT = TraceResult("kept", frozenset({"insert-once"}))
KNOWN = TraceResult("known", frozenset({"support-keys"}))
SIDE = TraceResult("side", frozenset({"keys-stay-private"}))
BROKEN = TraceResult("broken", frozenset(), [("insert-once", "two messages")])
OPEN = TraceResult("open", frozenset(), open=frozenset({"insert-once"}), reason="no sessions")
STEPS = '{"do": "connect", "connection": "c"}, {"do": "new", "connection": "c", "session": "s"}'
SENT = '{"do": "prompt", "connection": "c", "session": "s", "request": "r", "text": "t"}'


def of(*results: TraceResult) -> RequirementVerdict:
    return next(v for v in verdicts(results, Role.AGENT) if v.requirement.id == "insert-once")


def played(*steps: str, agent: Make = Variation, seconds: float = 60.0) -> TraceResult:
    text = f'{{"name": "t", "title": "T", "steps": [{", ".join((STEPS, SENT, *steps))}]}}'
    return play(parse(text, "t"), Laboratory(agent), AgentTimeouts(seconds, 0.05))


def test_one_failure_fails_whatever_else_passed() -> None:
    found = of(KEPT, BROKEN, OPEN)
    assert (found.status, found.details) == (VerdictStatus.FAIL, ["broken: two messages"])


def test_a_gap_makes_a_pass_partial() -> None:
    found = of(OPEN, KEPT)
    assert (found.status, found.traces) == (VerdictStatus.PARTLY, ["kept"])
    assert found.details == ["kept in kept", "open: no sessions"]


def test_a_part_that_was_not_played_makes_a_pass_partial() -> None:
    parts = {"insert-once": ["kept", "other"]}
    (found,) = (v for v in verdicts([KEPT], Role.AGENT, parts) if v.requirement.id == "insert-once")
    assert (found.status, found.details) == (
        VerdictStatus.PARTLY,
        ["kept in kept", "other: not played"],
    )


def test_a_part_that_was_about_nothing_is_none() -> None:
    moot = TraceResult("moot", frozenset(), reason="nothing shows it", moot=OPEN.open)
    assert of(moot, KEPT).status is VerdictStatus.PASS
    assert of(moot).details == ["moot: nothing shows it"]


IGNORES = TraceResult("ignores", frozenset(), [("support-keys", "two messages")])
UNTRIED = TraceResult("untried", frozenset(), open=frozenset({"support-keys"}), reason="a login")


@pytest.mark.parametrize(
    ("support", "reason"),
    [(IGNORES, "needs support-keys, which fails"), (UNTRIED, "which was not exercised")],
)
def test_without_keys_little_counts(support: TraceResult, reason: str) -> None:
    kept = TraceResult("all", frozenset(asked.id for asked in ASKED) - {"support-keys"})
    roles = (Role.AGENT, Role.SERVER)
    found = {v.requirement.id: v for role in roles for v in verdicts([support, kept], role)}
    unproven = {id_ for id_, v in found.items() if v.details and reason in v.details[0]}
    assert unproven == NEED_KEYS
    assert {
        "accept-any-valid-key",
        "keys-are-case-sensitive",
        "null-is-omitted",
        "other-session",
        "fork-is-another-session",
        "keys-stay-private",
    } <= NEED_KEYS
    assert all(found[id_].status is VerdictStatus.NOT_EXERCISED for id_ in NEED_KEYS)
    assert found["repeatable-methods"].status is VerdictStatus.PASS


@pytest.mark.parametrize(
    ("level", "status"), [(Level.MUST, 0), (Level.SHOULD, 0), (Level.STATED, 1)]
)
def test_a_failure_below_the_level_is_advice(level: Level, status: int) -> None:
    leak = TraceResult("leak", frozenset(), [("keys-stay-private", "a key")])
    found = with_advice(verdicts([KEPT, KNOWN, leak], Role.AGENT), level)
    assert status_of(found) == status
    words = {
        "text": ("advice" if status == 0 else "fail").ljust(13),
        "json": f'"advice": {"true" if status == 0 else "false"}',
        "junit": '<skipped message="advice: ' if status == 0 else "<failure ",
    }
    for form, word in words.items():
        text = FORMATS[form](RunReport(found))
        assert word in text
        assert form == "junit" or "The Agent doesn't echo keys" in text


def test_a_gap_has_its_reason() -> None:
    found = of(OPEN)
    assert (found.status, found.details) == (VerdictStatus.NOT_EXERCISED, ["open: no sessions"])
    assert of().details == ["no trace was played for it"]


def test_a_shared_reason_appears_once() -> None:
    again = [replace(OPEN, trace=name) for name in ("second", "third")]
    other = replace(OPEN, trace="other", reason="no forks")
    assert of(OPEN, *again, other).details == ["open and 2 more: no sessions", "other: no forks"]


@pytest.mark.parametrize(
    ("results", "status", "strict"),
    [
        ((KEPT, KNOWN), 0, 2),
        ((KEPT,), 2, 2),
        ((SIDE,), 2, 2),
        ((KEPT, BROKEN), 1, 1),
        ((OPEN,), 2, 2),
        ((), 2, 2),
    ],
)
def test_the_exit_status(results: tuple[TraceResult, ...], status: int, strict: int) -> None:
    found = verdicts(results, Role.AGENT)
    assert (status_of(found), status_of(found, strict=True)) == (status, strict)


def test_what_is_missing_has_names() -> None:
    found = verdicts([KEPT, SIDE], Role.AGENT)
    everything = {asked.requirement.id for asked in found}
    assert gaps(found) == ["support-keys"]
    assert {*gaps(found, strict=True)} == everything - {"insert-once", "keys-stay-private"}
    assert {*gaps(verdicts([], Role.AGENT))} == everything


def test_the_core_counts_where_it_was_asked_for() -> None:
    side = [v for v in verdicts([SIDE], Role.AGENT) if v.requirement.id == "keys-stay-private"]
    assert (gaps(side), status_of(side)) == ([], 0)
    assert (gaps([]), status_of([])) == ([], 2)


@pytest.mark.parametrize(
    ("role", "core"),
    [
        (Role.AGENT, ["insert-once", "support-keys"]),
        (Role.CLIENT, ["client-resends", "client-same-key"]),
        (
            Role.PROXY,
            ["proxy-forwards-after-restart", "proxy-forwards-key", "proxy-forwards-retries"],
        ),
    ],
)
def test_each_role_has_a_core(role: Role, core: list[str]) -> None:
    found = verdicts([TraceResult("core", frozenset(core))], role)
    assert status_of(found) == 0
    for each in core:
        rest = verdicts([TraceResult("less", frozenset({*core, "other"} - {each}))], role)
        assert each in gaps(rest)
        assert status_of(rest) == 2


def test_a_requirement_is_kept_only_when_every_step_for_it_was_played() -> None:
    proof = '{"do": "answer", "request": "r", "proves": ["insert-once"]}'
    gap = '{"do": "unanswered", "request": "r", "needs": "it never waits"}'
    assert played(proof, proof).kept == {"insert-once"}
    result = played(proof, gap, proof)
    assert result.kept == frozenset()
    assert result.open == {"insert-once"}
    assert result.reason == "it never waits (step 5, unanswered: r was answered at once)"


class AnswersOnce(Variation):
    """Answers the first prompt and nothing later."""

    async def prompt(self, call: Call) -> Any:
        if self.before:
            await asyncio.Event().wait()
        return await super().prompt(call)

    async def list(self, call: Call) -> Any:
        del call
        await asyncio.Event().wait()


@pytest.mark.parametrize(
    "steps",
    [
        (
            '{"do": "settled", "connection": "c", "session": "s"}',
            '{"do": "prompt", "connection": "c", "request": "q", "again": "r"}',
        ),
        ('{"do": "call", "connection": "c", "method": "session/list", "request": "q"}',),
    ],
    ids=["prompt", "list"],
)
def test_an_agent_that_is_idle_and_does_not_answer_fails(steps: tuple[str, ...]) -> None:
    proof = '{"do": "answered", "request": "q", "proves": ["insert-once"]}'
    steps = ('{"do": "answered", "request": "r"}', *steps, proof)
    result = patiently(
        lambda timeouts: played(*steps, agent=AnswersOnce, seconds=timeouts.answer),
        lambda result: result.broken,
        AgentTimeouts(1.0, 0.05),
    )
    ((id_, text),) = result.broken
    assert id_ == "insert-once"
    assert re.fullmatch(r".*: q: no answer came in \d+ seconds", text)


def test_a_key_that_was_shown_is_found_however_the_trace_ends() -> None:
    keyed = SENT.replace('"r"', '"k"').replace("}", ', "key": "K"}')
    settled = '{"do": "settled", "connection": "c", "session": "s"}'
    gap = '{"do": "unanswered", "request": "k", "needs": "it never waits"}'
    result = played(settled, keyed, settled, gap, agent=ShowsKeys)
    assert result.reason.startswith("it never waits")
    shown = "afterwards: session/update of the agent holds a key, in title"
    assert result.broken == ((PRIVATE, shown),)


def test_a_step_that_proves_nothing_fails_nothing() -> None:
    result = played('{"do": "answer", "request": "r", "code": -1}')
    assert (result.broken, result.reason) == (
        (),
        "step 4, answer: r was answered with a result, not an error",
    )
