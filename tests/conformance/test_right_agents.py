"""Agents that are right in their own way fail nothing, and silence is taken for nothing."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID

import pytest

from acp_conformance import trace_events
from acp_conformance.directives import Directive
from acp_conformance.requirements import Role
from acp_conformance.shape_requirements import shape_ids
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import scripts
from acp_conformance.verdict import VerdictStatus, verdicts
from acp_retry import Call, Message, Peer, RequestFailedError
from acp_wire.keys import KEY
from broken_handling import (
    InsertsAgainUnderTheSameId,
    InsertsWhatWasCancelled,
    RefusesAndInserts,
    RefusesKeys,
)
from laboratory import MORE, PATIENCE, Laboratory, Mount, examine
from proofs import a_few
from variation import Variation

COUNTED = {
    id_
    for script in scripts()
    for step in script.steps
    if step.verb == "messages"
    for id_ in step.proves
}
"""The requirements that are judged by counting."""

UNTOLD = COUNTED | {"keys-stay-private", "known-live-only", "answer-with-first-id"}
"""These, and those that are judged only if messages are shown, or known to be left out."""

AT_ONCE = 6
RESTARTS = {
    "known-across-connections",
    "known-after-restart",
    "known-mid-turn",
    "stored-with-message",
    "negotiates-version",
    "refuses-old-versions",
}


class Unseen(Variation):
    """Shows no user messages."""

    async def show(self, peer: Peer, session: str, message_id: str, content: object) -> None:
        pass


class UnseenTwice(Unseen, InsertsAgainUnderTheSameId):
    pass


class UnseenMalformed(Unseen, RefusesAndInserts):
    pass


class UnseenCancelled(Unseen, InsertsWhatWasCancelled):
    pass


class LongTurns(Variation):
    """Works for longer than the kit waits to see that nothing happens, in its first turns."""

    turns = 0

    async def turn(self, session: str, asked: Directive) -> None:
        self.turns += 1
        await self.tell(session, {"sessionUpdate": "state_update", "state": "running"})
        await asyncio.sleep(0.7 if self.turns < 6 else 0.0)
        await super().turn(session, asked)


class EndlessTurns(Variation):
    """Works for longer than the kit has patience, and holds all other prompts."""

    async def turn(self, session: str, asked: Directive) -> None:
        del asked
        await self.tell(session, {"sessionUpdate": "state_update", "state": "running"})
        await asyncio.Event().wait()


class UnreportedTurns(EndlessTurns):
    """Does not report it."""

    async def tell(self, session: str, update: dict[str, Any]) -> None:
        pass


class OneAtATime(EndlessTurns):
    """Looks at no request of a session while it is at work."""

    async def prompt(self, call: Call) -> Any:
        session = str(call.params.get("sessionId"))
        while self._busy[session].locked():
            await asyncio.sleep(0.01)
        return await super().prompt(call)


class LosesTheNewest(Variation):
    """Writes a message down some time after its answer: a kill loses it, with its key."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.torn = not self.notes.pop("left", "begun" not in self.notes)
        self.notes["begun"] = True

    def left(self) -> None:
        self.notes["left"] = True

    async def resume(self, call: Call) -> object:
        if self.torn:
            self.torn = False
            session = str(call.params["sessionId"])
            kept = await self.store.messages(session)
            await self.store.forget(session)
            for message_id, body in kept[:-1]:
                await self.store.insert(Message(session, UUID(message_id), body))
        return await super().resume(call)

    async def _known(self, call: Call) -> str:
        return str(call.params["sessionId"])


class NeverAgain(Variation):
    """Can't be started again."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.again = self.notes.setdefault("begun", self.process) != self.process

    async def initialize(self, call: Call) -> Any:
        if self.again:
            await call.peer.close()
        return await super().initialize(call)


class ShowsTwice(Variation):
    """Updates each message under its ID: when it is inserted, and in a replay once more."""

    async def show(self, peer: Peer, session: str, message_id: str, content: object) -> None:
        await super().show(peer, session, message_id, content)
        await super().show(peer, session, message_id, content)
        patch = {"sessionUpdate": "user_message", "messageId": message_id, "_meta": {"read": True}}
        await self._update(peer, session, patch)


class ShowsAgainAtARetry(Variation):
    """Answers a retry, and shows its message once more, under its ID."""

    async def prompt(self, call: Call) -> Any:
        known, result = self.known(call), await super().prompt(call)
        if known:
            session, prompt = str(call.params["sessionId"]), call.params["prompt"]
            await self.show(call.peer, session, result["messageId"], prompt)
        return result


class TellsTheAskerItsKey(Variation):
    """Names the key where the RFD does not speak of it: in its answer, and in a request."""

    async def prompt(self, call: Call) -> Any:
        key = call.params.get(KEY)
        asked: dict[str, Any] = {"sessionId": call.params.get("sessionId"), "_meta": {"key": key}}
        self.tasks.add(asyncio.create_task(call.peer.request("session/request_permission", asked)))
        result: Any = await super().prompt(call)
        return {**result, "_meta": {"key": key}}


class OneLetterAtATime(Variation):
    """Shows each message in chunks of one letter."""

    async def show(self, peer: Peer, session: str, message_id: str, content: Any) -> None:
        for block in content:
            letters = [{"type": "text", "text": letter} for letter in block.get("text", "")]
            for chunk in letters or [block]:
                shown = {"messageId": message_id, "content": chunk}
                await self._update(peer, session, {"sessionUpdate": "user_message_chunk", **shown})


class AddsToPrompts(Variation):
    """Shows a message with text of its own around the prompt."""

    async def show(self, peer: Peer, session: str, message_id: str, content: Any) -> None:
        first, last = ({"type": "text", "text": each} for each in ("<user>", "</user>"))
        await super().show(peer, session, message_id, [first, *content, last])


class AnswersRetriesWhenIdle(Variation):
    """Lets a retry wait for the end of the work."""

    async def prompt(self, call: Call) -> Any:
        if self.known(call):
            async with self._busy[str(call.params["sessionId"])]:
                pass
        return await super().prompt(call)


class TakesNoPrompts(Variation):
    """Answers each prompt with the error that a login is needed."""

    async def prompt(self, call: Call) -> Any:
        del call
        raise RequestFailedError.of(-32000, "Authentication required")


RIGHT = (
    Unseen,
    LongTurns,
    EndlessTurns,
    UnreportedTurns,
    OneAtATime,
    LosesTheNewest,
    NeverAgain,
    ShowsTwice,
    ShowsAgainAtARetry,
    TellsTheAskerItsKey,
    OneLetterAtATime,
    AddsToPrompts,
    AnswersRetriesWhenIdle,
    TakesNoPrompts,
)
FULL = (
    LongTurns,
    ShowsTwice,
    ShowsAgainAtARetry,
    TellsTheAskerItsKey,
    OneLetterAtATime,
    AddsToPrompts,
)
"""Those that are judged in full."""

AGENTS = (*RIGHT, UnseenTwice, UnseenMalformed, UnseenCancelled)
REASONS = [
    (Unseen, "concurrent-attempts", "a message that was inserted once is not shown once: send it"),
    (EndlessTurns, "insert-once", "settled: the session is still at work"),
    (UnreportedTurns, "accept-any-valid-key", " seconds, but the session may be at work"),
    (OneAtATime, "support-keys", "settled: the session is still at work"),
    (LosesTheNewest, "known-mid-turn", "the message is not in the replay once after the"),
    (
        TakesNoPrompts,
        "support-keys",
        "got no messageId: let the agent take prompts without a login",
    ),
    (NeverAgain, "known-after-restart", "step 6, connect: the agent did not start again: "),
]

Found = dict[VerdictStatus, dict[str, str]]
"""What was seen of each requirement, by its status."""


@pytest.fixture(scope="module")
def found() -> dict[type[Variation], Found]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(AGENTS, pool.map(judge, AGENTS), strict=True))
        again = [agent for agent in AGENTS if late(agent, found[agent])]
        found |= zip(again, pool.map(partial(judge, timeouts=MORE), again), strict=True)
    return found


def late(agent: type[Variation], found: Found) -> bool:
    """Whether a busy machine may have made of an agent what it is not."""
    wrong = agent in RIGHT and found[VerdictStatus.FAIL]
    return bool(wrong or (agent in FULL and found[VerdictStatus.NOT_EXERCISED]))


def judge(agent: type[Variation], timeouts: AgentTimeouts = PATIENCE) -> Found:
    def make(mount: Mount) -> Variation:
        return agent(mount)

    found: Found = {status: {} for status in VerdictStatus}
    for verdict in verdicts(examine(make, scripts(), timeouts), Role.AGENT):
        found[verdict.status][verdict.requirement.id] = "; ".join(verdict.details)
    return found


@pytest.mark.prove("plays all traces with 17 agents")
@pytest.mark.parametrize("agent", RIGHT)
def test_an_agent_that_is_right_fails_nothing(
    agent: type[Variation], found: dict[type[Variation], Found]
) -> None:
    assert found[agent][VerdictStatus.FAIL] == {}


@pytest.mark.prove("plays all traces with 17 agents")
@pytest.mark.parametrize("agent", FULL)
def test_an_agent_that_is_right_in_its_own_way_is_judged_in_full(
    agent: type[Variation], found: dict[type[Variation], Found]
) -> None:
    assert found[agent][VerdictStatus.NOT_EXERCISED] == {}


@pytest.mark.prove("plays all traces with 17 agents")
def test_an_agent_that_refuses_prompts_leaves_most_requirements_open(
    found: dict[type[Variation], Found],
) -> None:
    needing = {id_ for each in scripts() if "session/prompt" in each.methods for id_ in each.proves}
    assert (
        found[TakesNoPrompts][VerdictStatus.PASS].keys()
        == ({"initialize-once"} | shape_ids()) - needing
    )


A_FEW = ("retry-answer", "retry-same-connection", "keyless", "reused-key", "shape-replay")


@pytest.mark.parametrize(
    "agent",
    [ShowsTwice, ShowsAgainAtARetry, TellsTheAskerItsKey, OneLetterAtATime, AddsToPrompts, Unseen],
)
def test_a_few_that_are_right_fail_nothing_in_a_few_traces(agent: type[Variation]) -> None:
    played = tuple(script for script in scripts() if script.name in A_FEW)
    results = examine(agent, played, PATIENCE)
    assert [(result.trace, [*result.broken]) for result in results] == [
        (script.name, []) for script in played
    ]


@pytest.mark.prove("plays all traces")
def test_an_agent_that_refuses_keys_fails_two_requirements() -> None:
    found = judge(RefusesKeys)
    assert found[VerdictStatus.FAIL].keys() == {"support-keys", "accept-any-valid-key"}
    reasons = found[VerdictStatus.NOT_EXERCISED].values()
    rest = {r for r in reasons if "a prompt with a new key got no messageId" not in r}
    assert rest == {"needs support-keys, which fails"}


@pytest.mark.prove("plays all traces with 17 agents")
@pytest.mark.parametrize("agent", [Unseen, UnseenTwice, UnseenMalformed, UnseenCancelled])
def test_what_is_never_shown_is_not_counted(
    agent: type[Variation], found: dict[type[Variation], Found]
) -> None:
    assert found[agent][VerdictStatus.NOT_EXERCISED].keys() >= UNTOLD
    assert found[agent][VerdictStatus.FAIL].keys() & UNTOLD == set()


@pytest.mark.prove("plays all traces with 17 agents")
@pytest.mark.parametrize(("agent", "id_", "reason"), REASONS)
def test_what_was_not_exercised_has_its_reason(
    agent: type[Variation], id_: str, reason: str, found: dict[type[Variation], Found]
) -> None:
    assert reason in found[agent][VerdictStatus.NOT_EXERCISED][id_]


@pytest.mark.prove("plays all traces with 17 agents")
def test_only_restarts_take_an_agent_that_comes_up_again(
    found: dict[type[Variation], Found],
) -> None:
    assert found[NeverAgain][VerdictStatus.NOT_EXERCISED].keys() == RESTARTS


class WithdrawsNothing(Variation):
    """Reads whatever withdraws a prompt when the prompt has been held for its time."""

    async def cancel_request(self, call: Call) -> None:
        pass

    async def cancel(self, call: Call) -> None:
        pass

    async def close(self, call: Call) -> object:
        del call
        return {}


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize(
    "name",
    a_few(
        ("cancel-held", "session-cancel-held", "session-close-held"),
        {"cancel-held"},
        "waits for held prompts",
    ),
)
def test_what_is_withdrawn_too_late_proves_nothing(
    name: str, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count(0.0, 100.0 if late else 0.0)
    monkeypatch.setattr(trace_events, "monotonic", lambda: next(ticks))
    (script,) = (script for script in scripts() if script.name == name)
    result = play(script, Laboratory(WithdrawsNothing), PATIENCE)
    assert result.reason.endswith("r1 was withdrawn too late: give more --silence") is late
    assert bool([*result.broken]) is not late


@pytest.mark.prove("waits for held prompts")
def test_prompts_are_held_for_longer_where_silence_is_longer() -> None:
    names = ("retry-held", "session-cancel-held")
    chosen = [script for script in scripts() if script.name in names]
    with ThreadPoolExecutor() as pool:
        timeouts = AgentTimeouts(6.0, 0.6)
        results = pool.map(lambda each: play(each, Laboratory(Variation), timeouts), chosen)
    assert [(o.kept, o.reason) for o in results] == [(each.proves, "") for each in chosen]


class ClosesOnce(Variation):
    """Does not know a closed session any more, which the schema allows."""

    async def close(self, call: Call) -> object:
        if not self.sessions[str(call.params["sessionId"])]:
            raise RequestFailedError.of(-32002, "Resource not found")
        return await super().close(call)


def test_a_closed_session_may_be_unknown() -> None:
    (script,) = (script for script in scripts() if script.name == "repeatable-methods")
    result = play(script, Laboratory(ClosesOnce), PATIENCE)
    assert result.kept == {"repeatable-methods"}
