"""Stands at both ends of a proxy, and sees whether keys come out as they went in."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from acp_conformance.clients import filled, temporary_folder
from acp_conformance.connection import Connection, Transcript
from acp_conformance.faults import write_plan
from acp_conformance.interruption import postponed
from acp_conformance.said import params_of, read_lines
from acp_conformance.verdict import Outcome
from acp_conformance.wire import Programs

__all__ = ["FORWARDS", "KEYS", "TRACE", "Trace", "play_proxy"]


@dataclass(frozen=True, slots=True)
class Trace:
    """What is played with a proxy: its name, and the requirements that it can show to be kept."""

    name: str
    proves: frozenset[str]


FORWARDS: Final = "proxy-forwards-key"
TRACE: Final = Trace("keys-through-a-proxy", frozenset({FORWARDS}))
KEYS: Final[tuple[dict[str, object], ...]] = (
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


def play_proxy(command: Sequence[str], seconds: float) -> Outcome:
    """Send prompts through a proxy to an agent that writes down what arrives.

    Args:
        command: the proxy; `{agent}` stands for the command of the agent behind it.
        seconds: how long to wait for an answer, and for those of all prompts. Of a prompt that
            did not arrive in that time nothing can be told, unless what was sent after it did.

    Raises:
        StartError: the proxy can't be started.
    """
    with temporary_folder() as folder:
        transcript = Transcript()
        write_plan(folder, (), 0.0)
        programs = Programs(list(filled(command, folder)))
        with contextlib.ExitStack() as running:
            with postponed():
                connection = Connection(programs.start(partial(transcript.add, "c1")))
                running.callback(connection.wire.kill)
            sent = _send(connection, seconds)
            told = "" if sent else connection.wire.remains().told
            passed = connection.wire.closed or _lists(connection, seconds)
        arrived = _arrived(folder)
        wrong = [(FORWARDS, text) for text in _changed(sent, arrived)]
        missing = _missing(sent, arrived)
        if passed:
            wrong += [(FORWARDS, f"{name} did not arrive") for name in missing]
        reason = ""
        if not sent:
            reason = f"the agent behind the proxy could not be reached{told}"
        elif missing and not passed:
            reason = f"{missing[0]} did not arrive in {seconds:g} seconds: give more --timeout"
        return Outcome(
            TRACE.name,
            TRACE.proves if not wrong and not reason else frozenset(),
            wrong,
            TRACE.proves if reason and not wrong else frozenset(),
            reason,
            transcript.text(),
            len(connection.wire.noise),
        )


def _send(connection: Connection, seconds: float) -> list[dict[str, Any]]:
    """Send a prompt for each of `KEYS` and return their params; none if there is no session."""
    new = {"cwd": tempfile.gettempdir(), "mcpServers": []}
    connection.answer(connection.initialize(), seconds)
    answer = connection.answer(connection.request("session/new", new), seconds) or {}
    session = (answer.get("result") or {}).get("sessionId")
    if session is None:
        return []
    prompts = [
        {"sessionId": session, "prompt": [{"type": "text", "text": f"prompt {number}"}], **key}
        for number, key in enumerate(KEYS)
    ]
    sent = [connection.request("session/prompt", params) for params in prompts]
    connection.wait(lambda: all(connection.peek(each) for each in sent), seconds)
    return prompts


def _lists(connection: Connection, seconds: float) -> bool:
    """Whether a request gets through that was sent after all prompts."""
    return connection.answer(connection.request("session/list", {}), seconds) is not None


def _arrived(folder: Path) -> dict[str, list[Mapping[str, Any]]]:
    """The params of the prompts that the agent got, by the last text in each."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for line in chain(*read_lines(folder)):
        params = params_of(line.message)
        if line.message.get("method") == "session/prompt":
            text = json.dumps(params.get("prompt"))
            for number in range(len(KEYS)):
                if f'"prompt {number}"' in text:
                    found.setdefault(f"prompt {number}", []).append(params)
    return found


def _missing(
    sent: Sequence[Mapping[str, Any]], arrived: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[str]:
    """Prompts that did not arrive, but for malformed ones, which a proxy may refuse."""
    names = [
        f"prompt {number}"
        for number, params in enumerate(sent)
        if params.get("idempotencyKey") not in ("", 7)
    ]
    return [name for name in names if name not in arrived]


def _changed(
    sent: Sequence[Mapping[str, Any]], arrived: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[str]:
    for number, params in enumerate(sent):
        if any(not _same(params, each) for each in arrived.get(f"prompt {number}", [])):
            yield f"prompt {number} arrived with another key, or without its own"


def _same(sent: Mapping[str, Any], got: Mapping[str, Any]) -> bool:
    """Whether a key is the same to the letter; null and omitted are one."""
    return json.dumps(sent.get("idempotencyKey")) == json.dumps(got.get("idempotencyKey"))
