"""Stands at both ends of a proxy, and sees whether keys come out as they went in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from acp_conformance.clients import filled, temporary_folder
from acp_conformance.faults import Fault, Moment, write_plan
from acp_conformance.stand import Attempt, CutError, Stand, UnreachedError, compare
from acp_conformance.verdict import Outcome
from acp_conformance.wire import DownError, Programs

__all__ = ["KEYS", "TRACES", "Trace", "judge_proxy", "play_proxy"]


@dataclass(frozen=True, slots=True)
class Trace:
    """What is played with a proxy.

    Attributes:
        name: of the trace.
        proves: the requirements that it can show to be kept.
        play: what is done at the client's end.
        faults: of the agents that the proxy starts.
    """

    name: str
    proves: frozenset[str]
    play: Callable[[Stand], None]
    faults: tuple[Fault, ...] = ()


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
"""What prompts carry: keys of all kinds, none, and malformed ones, which are the agent's to see."""

SOUND: Final = KEYS[:-2]
"""Those with which a prompt is taken."""

HOLD: Final = 1.0
"""Seconds for which a prompt is held that is cancelled."""


def _first(stand: Stand) -> None:
    """Send each prompt once."""
    stand.start()
    _send(stand, stand.new(), KEYS)


def _again(stand: Stand) -> None:
    """Send prompts again on one connection, whatever came between."""
    stand.start()
    session, other = stand.new(), stand.new()
    stand.prompt(0, session, _key("cancelled"))
    stand.withdraw()
    stand.settle()
    _repeat(stand, [0], "sent again after $/cancel_request")
    numbers = _send(stand, session, SOUND, 1)
    _repeat(stand, numbers, "sent again")
    others = _send(stand, other, SOUND, 101, "with a key that another session has")
    _repeat(stand, [*others, *numbers], "sent again in turns with another session")
    stand.prompt(numbers[2], session, _key("anew"), "submitted anew")
    stand.settle()
    stand.cancel(session)
    _repeat(stand, numbers, "sent again after session/cancel")
    stand.resume(session, "on the same connection")
    _repeat(stand, numbers, "sent again after session/resume")
    _send(stand, session, SOUND, 201, "sent after session/resume")
    stand.close(session)
    stand.resume(session, "after session/close")
    _repeat(stand, numbers, "sent again after session/close")


def _anew(stand: Stand) -> None:
    """Send prompts again to a proxy that was started again, as was the agent behind it."""
    stand.start()
    session = stand.new()
    stand.prompt(0, session, _key("lost"))
    stand.lose()
    how = "to a new process of the proxy"
    stand.start()
    stand.resume(session, how)
    _repeat(stand, [0], f"sent again {how} after the agent died")
    numbers = _send(stand, session, SOUND, 1, f"sent {how}")
    _send(stand, stand.new(), SOUND, 101, "with a key that another session has")
    stand.start()
    stand.resume(session, how)
    _repeat(stand, [0, *numbers], f"sent again {how}")
    _send(stand, session, SOUND, 201, f"sent {how}")


def _key(name: str) -> Key:
    return {"idempotencyKey": name}


def _send(
    stand: Stand, session: str, keys: Sequence[Key], first: int = 0, how: str = ""
) -> list[int]:
    """Send a prompt with each key, and return their numbers."""
    numbers = list(range(first, first + len(keys)))
    for number, key in zip(numbers, keys, strict=True):
        stand.prompt(number, session, key, how)
    stand.settle()
    return numbers


def _repeat(stand: Stand, numbers: Iterable[int], how: str) -> None:
    for number in numbers:
        stand.again(number, how)
    stand.settle()


TRACES: Final = (
    Trace("keys-through-a-proxy", frozenset({"proxy-forwards-key"}), _first),
    Trace(
        "retries-through-a-proxy",
        frozenset({"proxy-forwards-retries"}),
        _again,
        (Fault("session/prompt", Moment.HELD),),
    ),
    Trace(
        "restart-of-a-proxy",
        frozenset({"proxy-forwards-after-restart"}),
        _anew,
        (Fault("session/prompt", Moment.DONE),),
    ),
)
"""All traces, in the order in which they are played."""


def judge_proxy(
    command: Sequence[str], traces: Iterable[Trace], seconds: float
) -> Iterator[Outcome]:
    """Play traces with a proxy, and give what each showed as soon as it is known.

    Raises:
        StartError: the proxy can't be started.
        DownError: the agent behind it can't be reached.
    """
    for trace in traces:
        outcome = play_proxy(command, trace, seconds)
        yield outcome
        if not outcome.begun:
            raise DownError(outcome.reason)


def play_proxy(command: Sequence[str], trace: Trace, seconds: float) -> Outcome:
    """Play a trace with a proxy, and compare what came out with what went in.

    Args:
        command: the proxy. `{agent}` stands for the command of the agent behind it.
        trace: what is sent through it.
        seconds: how long to wait for an answer.

    Raises:
        StartError: the proxy can't be started.
    """
    with temporary_folder() as folder:
        write_plan(folder, trace.faults, HOLD)
        (folder / "client").mkdir()
        with contextlib.ExitStack() as running:
            stand = Stand(Programs(list(filled(command, folder))), folder, seconds, running)
            cut = _cut(stand, trace)
            stand.leave()
        wrong, missing = _faults(stand, stand.arrived())
        reason = str(cut or "")
        if missing and not stand.passed:
            reason = reason or f"{missing} in {seconds:g} seconds: give more --timeout"
        broken = [(id_, text) for id_ in sorted(trace.proves) for text in wrong]
        return Outcome(
            trace.name,
            frozenset() if broken or reason else trace.proves,
            broken,
            trace.proves if reason and not broken else frozenset(),
            reason,
            stand.transcript.text(),
            stand.noise,
            begun=bool(stand.sent) or not isinstance(cut, UnreachedError),
        )


def _cut(stand: Stand, trace: Trace) -> CutError | None:
    """Play a trace. Returns what ended it before its end."""
    try:
        trace.play(stand)
    except CutError as cut:
        return cut
    return None


def _faults(stand: Stand, arrived: Mapping[int, Sequence[str]]) -> tuple[list[str], str]:
    """What the proxy did wrong, and else what did not arrive while something was on its way."""
    changed, lost = compare(stand.sent, arrived)
    wrong = [f"{each} arrived with another key, or without its own" for each in _told(changed)]
    missing = [f"{each} did not arrive with its key" for each in _told(lost)]
    if stand.passed:
        return wrong + missing, ""
    return wrong, missing[0] if missing else ""


def _told(attempts: Iterable[Attempt]) -> Iterator[str]:
    """The first attempt of each way of sending, and how many others there were."""
    ways: dict[str, list[Attempt]] = {}
    for each in attempts:
        ways.setdefault(each.how, []).append(each)
    for first, *others in ways.values():
        yield f"{first} and {len(others)} more" if others else str(first)
