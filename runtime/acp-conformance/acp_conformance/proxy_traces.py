"""Judges a proxy: compares the keys that arrive at its agent with those that were sent."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from acp_conformance.client_runs import filled, temporary_folder
from acp_conformance.faulty_agent import AgentFailure, FailurePoint, write_plan
from acp_conformance.launchers import Programs, UnusableProgramError
from acp_conformance.proxy_harness import (
    AgentUnreachedError,
    ProxyAttempt,
    ProxyHarness,
    TraceEndedError,
    compare,
)
from acp_conformance.verdict import TraceResult

__all__ = ["KEYS", "PROXY_TRACES", "ProxyTrace", "judge_proxy", "play_proxy"]


@dataclass(frozen=True, slots=True)
class ProxyTrace:
    """One scenario for a proxy.

    Attributes:
        name: the name of the trace.
        title: what is sent, in sentences.
        proves: the requirements that it can show to be kept.
        play: what happens at the client's end.
        faults: how the agents fail that the proxy starts.
    """

    name: str
    title: str
    proves: frozenset[str]
    play: Callable[[ProxyHarness], None]
    faults: tuple[AgentFailure, ...] = ()


Key = dict[str, object]

KEYS: Final[tuple[Key, ...]] = (
    {},
    {"idempotencyKey": None},
    {"idempotencyKey": "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"},
    {"idempotencyKey": "Case"},
    {"idempotencyKey": " \t\n\u0001"},
    {"idempotencyKey": "\"\\/{}<>&'`$;\u2028"},
    {"idempotencyKey": "e\u0301 \u00e9"},
    {"idempotencyKey": "\U0001f511" * 255},
    {"idempotencyKey": ""},
    {"idempotencyKey": 7},
)
"""Keys of all kinds, no key, and malformed keys. Only the agent may refuse a malformed key."""

SOUND: Final = KEYS[:-2]
"""The keys with which an agent accepts a prompt."""

HOLD: Final = 1.0
"""Seconds for which a prompt is held before it is cancelled."""


def _first(harness: ProxyHarness) -> None:
    """Send each prompt once."""
    harness.start()
    _send(harness, harness.new(), KEYS)


def _again(harness: ProxyHarness) -> None:
    """Send prompts again on one connection, after each event that may come between."""
    harness.start()
    session, other = harness.new(), harness.new()
    harness.prompt(0, session, _key("cancelled"))
    harness.withdraw()
    harness.settle()
    _repeat(harness, [0], "sent again after $/cancel_request")
    numbers = _send(harness, session, SOUND, 1)
    _repeat(harness, numbers, "sent again")
    others = _send(harness, other, SOUND, 101, "with a key that another session has")
    _repeat(harness, [*others, *numbers], "sent again in turns with another session")
    harness.prompt(numbers[2], session, _key("anew"), "submitted anew")
    harness.settle()
    harness.cancel(session)
    _repeat(harness, numbers, "sent again after session/cancel")
    harness.resume(session, "on the same connection")
    _repeat(harness, numbers, "sent again after session/resume")
    _send(harness, session, SOUND, 201, "sent after session/resume")
    harness.close(session)
    harness.resume(session, "after session/close")
    _repeat(harness, numbers, "sent again after session/close")


def _anew(harness: ProxyHarness) -> None:
    """Send prompts again to a restarted proxy with a restarted agent."""
    harness.start()
    session = harness.new()
    harness.prompt(0, session, _key("lost"))
    harness.lose()
    how = "to a new process of the proxy"
    harness.start()
    harness.resume(session, how)
    _repeat(harness, [0], f"sent again {how} after the agent died")
    numbers = _send(harness, session, SOUND, 1, f"sent {how}")
    _send(harness, harness.new(), SOUND, 101, "with a key that another session has")
    harness.start()
    harness.resume(session, how)
    _repeat(harness, [0, *numbers], f"sent again {how}")
    _send(harness, session, SOUND, 201, f"sent {how}")


def _key(name: str) -> Key:
    return {"idempotencyKey": name}


def _send(
    harness: ProxyHarness, session: str, keys: Sequence[Key], first: int = 0, how: str = ""
) -> list[int]:
    """Send a prompt with each key, and return the numbers of the prompts."""
    numbers = list(range(first, first + len(keys)))
    for number, key in zip(numbers, keys, strict=True):
        harness.prompt(number, session, key, how)
    harness.settle()
    return numbers


def _repeat(harness: ProxyHarness, numbers: Iterable[int], how: str) -> None:
    for number in numbers:
        harness.again(number, how)
    harness.settle()


PROXY_TRACES: Final = (
    ProxyTrace(
        "keys-through-a-proxy",
        "Prompts with keys of all kinds, without a key, and with malformed keys.",
        frozenset({"proxy-forwards-key"}),
        _first,
    ),
    ProxyTrace(
        "retries-through-a-proxy",
        "The prompts come again on the same connection: at once, after `$/cancel_request`,"
        " session/cancel, session/resume and session/close, and in turns with prompts that have the"
        " same keys in another session. One text comes with a new key.",
        frozenset({"proxy-forwards-retries"}),
        _again,
        (AgentFailure("session/prompt", FailurePoint.HELD),),
    ),
    ProxyTrace(
        "restart-of-a-proxy",
        "The agent dies of a prompt, and the proxy is killed. A new one resumes the session and"
        " gets the prompt again, and others; so does a third.",
        frozenset({"proxy-forwards-after-restart"}),
        _anew,
        (AgentFailure("session/prompt", FailurePoint.DONE),),
    ),
)
"""All traces, in the order in which they are played."""


def judge_proxy(
    command: Sequence[str], traces: Iterable[ProxyTrace], seconds: float
) -> Generator[TraceResult]:
    """Play traces with a proxy, and yield what each showed as soon as it is known.

    Raises:
        StartError: the proxy can't be started.
        UnusableProgramError: the agent behind it can't be reached.
    """
    for trace in traces:
        result = play_proxy(command, trace, seconds)
        yield result
        if not result.begun:
            raise UnusableProgramError(result.reason)


def play_proxy(command: Sequence[str], trace: ProxyTrace, seconds: float) -> TraceResult:
    """Play a trace with a proxy, and compare the keys that arrived with those that were sent.

    Args:
        command: the proxy's command. `{agent}` becomes the command of the agent behind it.
        trace: what is sent through it.
        seconds: how long to wait for an answer.

    Raises:
        StartError: the proxy can't be started.
    """
    with temporary_folder() as folder:
        write_plan(folder, trace.faults, HOLD)
        (folder / "client").mkdir()
        with contextlib.ExitStack() as running:
            programs = Programs(list(filled(command, folder)))
            running.callback(programs.kill_strays)
            harness = ProxyHarness(programs, folder, seconds, running)
            cut = _cut(harness, trace)
            harness.leave()
        wrong, missing = _faults(harness, harness.arrived())
        reason = str(cut or "")
        if missing and not harness.passed:
            reason = reason or f"{missing} in {seconds:g} seconds: give more --timeout"
        broken = [(id_, text) for id_ in sorted(trace.proves) for text in wrong]
        return TraceResult(
            trace.name,
            frozenset() if broken or reason else trace.proves,
            broken,
            trace.proves if reason and not broken else frozenset(),
            reason,
            harness.transcript.text(),
            harness.unparsed,
            begun=bool(harness.sent) or not isinstance(cut, AgentUnreachedError),
        )


def _cut(harness: ProxyHarness, trace: ProxyTrace) -> TraceEndedError | None:
    """Play a trace. Return the error that ended it early, or None."""
    try:
        trace.play(harness)
    except TraceEndedError as cut:
        return cut
    return None


def _faults(harness: ProxyHarness, arrived: Mapping[int, Sequence[str]]) -> tuple[list[str], str]:
    """What the proxy did wrong, and a prompt that is missing while another is still on its way."""
    changed, lost = compare(harness.sent, arrived)
    wrong = [f"{each} arrived with another key, or without its own" for each in _named(changed)]
    missing = [f"{each} did not arrive with its key" for each in _named(lost)]
    if harness.passed:
        return wrong + missing, ""
    return wrong, missing[0] if missing else ""


def _named(attempts: Iterable[ProxyAttempt]) -> Iterator[str]:
    """Yield the first attempt of each way of sending, and the number of the others."""
    ways: dict[str, list[ProxyAttempt]] = {}
    for each in attempts:
        ways.setdefault(each.how, []).append(each)
    for first, *others in ways.values():
        yield f"{first} and {len(others)} more" if others else str(first)
