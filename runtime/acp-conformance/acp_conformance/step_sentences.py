"""Steps of traces and faults of plans as sentences, for `acpgen explain`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from acp_conformance.client_plans import ClientPlan
from acp_conformance.evidence import expectation
from acp_conformance.faulty_agent import FailurePoint
from acp_conformance.trace_script import KINDS, Script, Step
from acp_conformance.transport_faults import TransportFault

__all__ = ["plan_sentences", "sentences"]

LONG: Final = 40
"""The maximum number of characters of a key that is shown."""


def sentences(script: Script) -> Iterator[str]:
    """A sentence for each step of a trace, in order."""
    opened = False
    for step in script.steps:
        write = _EVENTS.get(step.verb)
        if step.verb == "connect":
            yield _connect(step, again=opened)
            opened = True
        else:
            yield write(step) if write is not None else f"Expected: {expectation(step)}."


def _connect(step: Step, *, again: bool) -> str:
    name = step.word("connection")
    if "beside" in step.words:
        text = f"The client opens {name}, a second connection to the running agent"
    else:
        text = f"The client starts the agent{' again' * again} with the connection {name}"
    if "through" in step.words:
        text += ", through a proxy that can break it"
    if (version := step.number("version")) is not None:
        return f"{text}. {step.word('request')}: initialize asks for version {version}."
    return f"{text}. initialize has to succeed."


def _prompt(step: Step) -> str:
    request, where = step.word("request"), f"on {step.word('connection')}"
    if again := step.word("again"):
        return f"{request}: session/prompt {where} with the params of {again}."
    parts = [f"the text {step.word('text')!r}", f"{_key(step)}"]
    if "blocks" in step.words:
        parts.append("more content")
    if "meta" in step.words:
        parts.append("a _meta")
    return f"{request}: session/prompt {where} in {step.word('session')} with {_listed(parts)}."


def _key(step: Step) -> str:
    if "key" in step.words:
        return f"the key {step.word('key')}"
    if "literal" not in step.words:
        return "no key"
    value = step.words["literal"]
    if isinstance(value, str):
        short = value.isascii() and value.isprintable() and 0 < len(value) <= LONG
        return f"the key {value!r}" if short else f"a key of {len(value)} characters"
    if value is None:
        return "the key null"
    return f"a key that is {KINDS[type(value)]}"


def _prompts(step: Step) -> str:
    where = f"on {step.word('connection')} in {step.word('session')}"
    count = step.number("count") or len(step.texts("literals"))
    if again := step.word("again"):
        return f"The {count} prompts {again!r} are sent again {where}, one after the other."
    return f"{count} prompts {step.word('text')!r} are sent {where}, each under a key of its own."


def _call(step: Step) -> str:
    text = f"{step.word('request')}: {step.word('method')} on {step.word('connection')}"
    if session := step.word("session"):
        text += f" for {session}"
    if "option" in step.words:
        text += ", which sets the first option to the value that it has"
    elif own := step.words.get("params"):
        text += f" with {own}"
    return f"{text}."


def _crashes(step: Step) -> str:
    count = step.number("count") or 1
    sent = "a prompt is sent" if count == 1 else f"{count} prompts are sent at once"
    return (
        f"Again and again, {sent} in {step.word('session')}, the agent is killed before or after it"
        " inserts them, started again, and gets them again. Each has to be there once."
    )


def _wait(step: Step) -> str:
    silences, milliseconds = step.number("silences"), step.number("milliseconds")
    return f"The client waits for {f'{silences} silences' if silences else f'{milliseconds} ms'}."


def _words(text: str) -> Callable[[Step], str]:
    """A sentence with members of the step in it."""

    def write(step: Step) -> str:
        return text.format_map({name: step.word(name) for name in _NAMES})

    return write


_NAMES: Final = ("connection", "session", "of", "request", "text", "method")

_EVENTS: Final[Mapping[str, Callable[[Step], str]]] = {
    "kill": _words("The agent of {connection} is killed."),
    "end": _words("The client closes {connection} and lets the agent end."),
    "new": _words("session/new on {connection} opens {session}."),
    "fork": _words("session/fork on {connection} makes {session} of {of}."),
    "resume": _words("session/resume on {connection} opens {session} with a replay."),
    "cancel": _words("session/cancel on {connection} for {session}."),
    "cancel-request": _words("$/cancel_request on {connection} for {request}."),
    "notify": _words("The notification {method} on {connection}."),
    "lose": _words("{request} is answered with a result, and the client loses it."),
    "disturb": lambda step: f"{_FAULTS[TransportFault(step.word('fault'))]}.".replace(
        "CONNECTION", step.word("connection")
    ),
    "prompt": _prompt,
    "prompts": _prompts,
    "call": _call,
    "crashes": _crashes,
    "wait": _wait,
}
"""What the client does. All other verbs expect something."""

_FAULTS: Final[Mapping[TransportFault, str]] = {
    TransportFault.LOST_REQUEST: "The next prompt on CONNECTION will lack its last byte",
    TransportFault.LOST_POST: "The next POST with a prompt on CONNECTION will lack its last byte",
    TransportFault.LOST_ACCEPTANCE: "The response to the next POST on CONNECTION will get lost",
    TransportFault.LOST_ANSWER: "The next answer on CONNECTION will get lost with its stream",
    TransportFault.CUT_AFTER_UPDATE: "CONNECTION will be cut after the next update",
    TransportFault.CUT: "All streams and sockets of CONNECTION are cut",
    TransportFault.HALF_OPEN: "From the next answer on, CONNECTION will be dead, and open",
}


def plan_sentences(plan: ClientPlan) -> Iterator[str]:
    """What happens in a plan for a client: a sentence for each run, and for each failure."""
    for number, run in enumerate(plan.runs, 1):
        does = [f"submits {run.text!r}"] if run.text else []
        does += [f"submits {run.more!r} before that is answered"] if run.more else []
        first = "" if number == 1 else "resends what is pending" + (" and " if does else "")
        late = f", {run.clock // DAY} days later" if run.clock else ""
        yield f"Run {number}{late}: the client {first}{_listed(does) or ''}."
    for number, fault in enumerate(plan.faults):
        when = "After that, at" if number else "At"
        yield f"{when} the next {fault.method}, {_MOMENTS[fault.moment]}."
    if not plan.faults:
        yield "The agent never fails."


DAY: Final = 24 * 60 * 60

_MOMENTS: Final[Mapping[FailurePoint, str]] = {
    FailurePoint.READ: "the agent dies without any effect",
    FailurePoint.DONE: "the agent dies once the request took effect, without an answer",
    FailurePoint.HALF: "the agent dies in the middle of its answer",
    FailurePoint.ANSWERED: "the agent answers and dies",
    FailurePoint.HELD: ("the answer comes late, or when the client sends another request"),
    FailurePoint.LATE: "the answer comes late",
    FailurePoint.REFUSED: "the agent answers with an error, without any effect",
    FailurePoint.KILLED: "the client is killed once the request took effect",
    FailurePoint.KILLED_ANSWERED: "the agent answers, and the client is killed",
}


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts or [""]
    return f"{', '.join(first)} and {last}" if first else last
