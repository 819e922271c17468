"""Kills that follow the speed of an agent, until they hit both sides of an insertion."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from acp_conformance.crash_rounds import AT_ONCE, ENOUGH, ROUNDS, KillTimes
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import scripts
from acp_conformance.verdict import TraceResult
from acp_retry import Call
from broken_handling import IgnoresKeys
from broken_lifetimes import KeepsKeysInMemory
from laboratory import Laboratory
from variation import Variation

SHORT = AgentTimeouts(answer=60.0, quiet=0.05)


def search(insertion: float, latency: float) -> tuple[KillTimes, list[float]]:
    """Search with an agent that inserts a prompt after so many seconds."""
    times, tried = KillTimes(latency, 10.0), list[float]()
    while (delay := times.next()) is not None:
        tried.append(delay)
        times.note(delay, int(delay >= insertion), 1)
    return times, tried


@pytest.mark.parametrize("insertion", [0.001, 0.02, 0.5, 1.1, 1.2])
def test_both_sides_are_hit(insertion: float) -> None:
    times, tried = search(insertion, latency=1.2)
    assert times.found
    assert ENOUGH <= len(tried) <= ROUNDS
    assert times.before is not None
    assert times.after is not None
    assert times.before < insertion <= times.after


def test_a_first_prompt_that_took_long_misleads_no_search() -> None:
    times, tried = search(0.002, latency=30.0)
    assert times.found
    assert len(tried) < ROUNDS


def test_the_times_close_in() -> None:
    times, _ = search(0.5, latency=1.2)
    assert times.before is not None
    assert times.after is not None
    assert times.after - times.before < 0.7


def test_an_insertion_that_comes_late_is_waited_for() -> None:
    times, _ = search(8.0, latency=0.001)
    assert times.found


def test_an_insertion_that_never_comes_is_not_found() -> None:
    times, tried = search(float("inf"), latency=0.1)
    assert (times.found, times.after) == (False, None)
    assert max(tried) <= 10.0


def test_an_insertion_at_once_needs_a_kill_that_waits_for_nothing() -> None:
    times, tried = search(0.0, latency=0.002)
    assert AT_ONCE in tried
    assert times.found


def test_a_kill_among_several_hits_both_sides() -> None:
    times = KillTimes(0.1, 10.0)
    times.note(0.1, 3, 6)
    assert times.found


class Slow(Variation):
    """Inserts a prompt after a second, as an agent that starts a runtime first."""

    async def prompt(self, call: Call) -> Any:
        await asyncio.sleep(0.4)
        return await super().prompt(call)


class SlowAndForgetful(Slow, KeepsKeysInMemory):
    pass


class SlowAtFirst(Variation):
    """Takes two seconds for the first prompt of each process."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.begun = asyncio.Lock()
        self.is_warm = False

    async def prompt(self, call: Call) -> Any:
        async with self.begun:
            await asyncio.sleep(0 if self.is_warm else 2)
            self.is_warm = True
        return await super().prompt(call)


class NeverStored(Variation):
    """Loses each message with its key when it is killed."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        store.disk._bodies.clear()  # noqa: SLF001 - what a disk of its own would lose

    async def _known(self, call: Call) -> str:
        return str(call.params["sessionId"])


class Joins(Variation):
    """Replays all prompts after the first as one message, as a runtime that joins what waits."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        each_alone = store.messages

        async def joined(session_id: str) -> list[tuple[str, bytes]]:
            messages = await each_alone(session_id)
            blocks = [block for _, body in messages[1:] for block in json.loads(body)]
            last = [(messages[-1][0], json.dumps(blocks).encode())] if blocks else []
            return [*messages[:1], *last]

        store.messages = joined


def crash(agent: type[Variation], name: str = "crash-at-any-time") -> TraceResult:
    (script,) = (script for script in scripts() if script.name == name)
    return play(script, Laboratory(agent), SHORT)


@pytest.mark.parametrize("agent", [IgnoresKeys, SlowAndForgetful])
def test_an_agent_that_stores_no_keys_fails_at_any_speed(agent: type[Variation]) -> None:
    assert dict(crash(agent).broken).keys() == {"stored-with-message"}


def test_a_slow_agent_that_stores_keys_passes() -> None:
    result = crash(Slow)
    assert result.kept == {"stored-with-message"}
    assert not result.broken


@pytest.mark.prove("waits for two seconds after each kill")
def test_an_agent_that_is_slow_at_first_is_judged() -> None:
    assert crash(SlowAtFirst).kept == {"stored-with-message"}


@pytest.mark.parametrize("name", ["retry-queued", "concurrent-after-restart"])
def test_an_agent_that_joins_what_waits_fails_nothing(name: str) -> None:
    assert [*crash(Joins, name).broken] == []


def test_kills_on_one_side_prove_nothing() -> None:
    result = crash(NeverStored)
    assert not result.kept
    assert not result.broken
    assert "stored-with-message" in result.open


def test_several_prompts_at_once_are_inserted_once() -> None:
    result = crash(Variation, "crash-with-several")
    assert result.kept == {"known-after-restart", "stored-with-message"}
    assert not result.broken
    assert dict(crash(KeepsKeysInMemory, "crash-with-several").broken).keys() == {
        "known-after-restart",
        "stored-with-message",
    }


def test_prompts_that_are_joined_into_one_message_were_inserted_once() -> None:
    result = crash(Joins, "crash-with-several")
    assert result.kept == {"known-after-restart", "stored-with-message"}
    assert not result.broken
