"""Traces as data: the steps, their connections, and the requirements that each expectation proves.

A trace is a JSON file, so that any language can play it. `traces/README.md` describes the steps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

__all__ = [
    "KINDS",
    "VERBS",
    "Json",
    "Script",
    "ScriptError",
    "Step",
    "guide",
    "parse",
    "remote_scripts",
    "scripts",
    "texts",
]

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

VERBS: Final[Mapping[str, frozenset[str]]] = {
    "connect": frozenset({"connection", "beside", "through", "version", "request"}),
    "disturb": frozenset({"connection", "fault"}),
    "disturbed": frozenset({"connection"}),
    "kill": frozenset({"connection"}),
    "end": frozenset({"connection"}),
    "new": frozenset({"connection", "session"}),
    "resume": frozenset({"connection", "session"}),
    "fork": frozenset({"connection", "session", "of"}),
    "call": frozenset({"connection", "session", "method", "request", "params", "option"}),
    "prompt": frozenset(
        {"connection", "session", "request", "text", "key", "literal", "again", "blocks", "meta"}
    ),
    "prompts": frozenset({"connection", "session", "text", "count", "literals", "again"}),
    "cancel-request": frozenset({"connection", "request"}),
    "cancel": frozenset({"connection", "session"}),
    "answer": frozenset({"request", "code", "same", "other", "or"}),
    "answered": frozenset({"request", "with"}),
    "crashes": frozenset({"connection", "session", "count"}),
    "ids": frozenset({"text", "same"}),
    "lose": frozenset({"request"}),
    "shown": frozenset({"connection", "text", "request"}),
    "working": frozenset({"connection", "session"}),
    "unanswered": frozenset({"request", "while"}),
    "settled": frozenset({"connection", "session"}),
    "wait": frozenset({"milliseconds", "silences"}),
    "messages": frozenset({"connection", "session", "text", "count", "replayed"}),
    "compacted": frozenset({"connection", "session"}),
    "work": frozenset({"connection", "session", "after"}),
    "no-work": frozenset({"connection", "session", "after"}),
    "still-working": frozenset({"connection", "session", "after"}),
    "private": frozenset(),
    "negotiated": frozenset({"request", "below"}),
    "shaped": frozenset({"request"}),
    "notify": frozenset({"connection", "method"}),
    "ignored": frozenset({"connection"}),
    "synchronized": frozenset({"request"}),
    "replayed": frozenset({"request", "texts"}),
    "kept": frozenset({"connection", "session", "request"}),
    "identified": frozenset({"connection", "session", "request"}),
}
"""The members that each verb takes, besides `proves` and `needs`."""

KINDS: Final[Mapping[type, str]] = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
    type(None): "null",
}
"""The types of JSON, by those of Python."""


METHODS: Final[Mapping[str, str]] = {
    "connect": "initialize",
    "new": "session/new",
    "resume": "session/resume",
    "messages": "session/resume",
    "kept": "session/resume",
    "fork": "session/fork",
    "prompt": "session/prompt",
    "prompts": "session/prompt",
    "crashes": "session/prompt",
    "cancel-request": "$/cancel_request",
    "cancel": "session/cancel",
}
"""The method that a verb calls, for each verb that calls one."""


class ScriptError(ValueError):
    """A trace does not follow `traces/README.md`; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event or one expectation.

    An expectation that is not met fails the requirements in `proves`. With `needs`, or with neither
    member, it means that the agent can't play the trace: what it would prove is not exercised.
    Messages that are too many fail those in `breaks` as well, about which nothing else is proved.
    """

    verb: str
    words: Mapping[str, Json]
    proves: tuple[str, ...] = ()
    needs: str | None = None
    breaks: tuple[str, ...] = ()

    def word(self, name: str, otherwise: str = "") -> str:
        """Return a member that is a string."""
        value = self.words.get(name, otherwise)
        if not isinstance(value, str):
            raise ScriptError(f"{self.verb}: {name} must be a string")
        return value

    def texts(self, name: str) -> list[str]:
        """Return a member that is a list of strings. Empty if it is missing."""
        value = self.words.get(name, [])
        texts = [t for t in value if isinstance(t, str)] if isinstance(value, list) else []
        if texts != value:
            raise ScriptError(f"{self.verb}: {name} must be a list of strings")
        return texts

    def number(self, name: str) -> int | None:
        """Return a member that is an integer, or None if it is missing."""
        value = self.words.get(name)
        if value is not None and not isinstance(value, int):
            raise ScriptError(f"{self.verb}: {name} must be an integer")
        return value


@dataclass(frozen=True, slots=True)
class Script:
    """One trace: its name, one sentence, and its steps in order."""

    name: str
    title: str
    steps: tuple[Step, ...]
    is_remote: bool = False
    """True if it is for agents behind HTTP or WebSocket only."""

    @property
    def proves(self) -> frozenset[str]:
        """The requirements that the trace can prove."""
        return frozenset(id_ for step in self.steps for id_ in step.proves)

    @property
    def methods(self) -> frozenset[str]:
        """The methods that the trace calls, also those that no agent knows."""
        named = {step.word("method") for step in self.steps if step.verb in ("call", "notify")}
        return frozenset(named | {METHODS[s.verb] for s in self.steps if s.verb in METHODS})


@cache
def texts() -> Mapping[str, str]:
    """The JSON text of each trace of the kit by its file name."""
    folder = resources.files("acp_conformance") / "traces"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".json"))
    return {name: (folder / name).read_text("utf-8") for name in names}


def guide() -> str:
    """The guide to the traces, in Markdown."""
    return (resources.files("acp_conformance") / "traces" / "README.md").read_text("utf-8")


@cache
def scripts() -> tuple[Script, ...]:
    """The traces for every agent, sorted by name."""
    return tuple(each for each in _all_scripts() if not each.is_remote)


@cache
def remote_scripts() -> tuple[Script, ...]:
    """The traces for agents behind HTTP or WebSocket, sorted by name."""
    return tuple(each for each in _all_scripts() if each.is_remote)


@cache
def _all_scripts() -> tuple[Script, ...]:
    return tuple(parse(text, name) for name, text in texts().items())


def parse(text: str, name: str) -> Script:
    """Parse a trace. `name` is the name of its file.

    Raises:
        ScriptError: the text is not a trace.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ScriptError(f"{name}: {error}") from error
    match value:
        case {"name": str(own), "title": str(title), "steps": [*steps]}:
            transport = value.get("transport")
            if transport not in (None, "remote"):
                raise ScriptError(f"{name}: the transport can only be remote")
            parsed = tuple(_step(each, f"{name}: step {n}") for n, each in enumerate(steps, 1))
            return Script(own, title, parsed, transport == "remote")
        case _:
            raise ScriptError(f"{name}: needs a name, a title and steps")


def _step(value: Json, where: str) -> Step:
    if not isinstance(value, dict):
        raise ScriptError(f"{where} is not an object")
    verb, needs = value.get("do"), value.get("needs")
    if not isinstance(verb, str) or verb not in VERBS:
        raise ScriptError(f"{where} has an unknown verb")
    proves, breaks = value.get("proves", []), value.get("breaks", [])
    words = {k: v for k, v in value.items() if k not in ("do", "proves", "breaks", "needs")}
    if unknown := words.keys() - VERBS[verb]:
        raise ScriptError(f"{where}: {verb} takes no {', '.join(sorted(unknown))}")
    if not isinstance(needs, str | None):
        raise ScriptError(f"{where}: needs is a text")
    if not isinstance(proves, list) or not isinstance(breaks, list):
        raise ScriptError(f"{where}: proves is a list of requirements, and so is breaks")
    return Step(verb, words, tuple(map(str, proves)), needs, tuple(map(str, breaks)))
