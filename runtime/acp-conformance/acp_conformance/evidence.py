"""What was sent, what came and what was expected at the step with which a trace ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from acp_conformance.played_steps import StepEvidence
from acp_conformance.scenario import Scenario, SentRequest
from acp_conformance.trace_script import Step
from acp_wire.redaction import Key, masked

__all__ = ["evidence_of", "expectation"]

SHOWN: Final = 3
"""The maximum number of messages that are shown, sent or received."""

LONGEST: Final = 400
"""The maximum number of characters of a message that are shown."""

AROUND: Final = 40
"""The maximum number of steps that are shown."""


def evidence_of(scenario: Scenario, number: int, step: Step) -> StepEvidence:
    """Gather what was seen at a step.

    Args:
        scenario: the state of the trace when it ended.
        number: the number of the step in the trace.
        step: the step that failed, which may be part of that one.
    """
    sent = list(_requests(scenario, step))
    shown = sent[-SHOWN:]
    seen = [*_answers(scenario, shown), *_messages(scenario, step)]
    return StepEvidence(
        number,
        expectation(step),
        tuple(_short(_request(scenario, each)) for each in shown),
        tuple(_short(each) for each in seen),
        tuple(scenario.log.steps[-AROUND:]),
        _stderr(scenario),
    )


def expectation(step: Step) -> str:
    """What a step expects, in a sentence without its subject's values."""
    request, text = step.word("request"), step.word("text")
    match step.verb:
        case "answer" | "answered" if "code" in step.words:
            wanted = step.words["code"]
            code = "an error" if wanted == "any" else f"the error {wanted}"
            return f"{request} is answered with {code}"
        case "answer":
            return f"{request} is answered with a result{_which(step)}"
        case "answered":
            kind = "a result" if step.word("with") else "a result or an error"
            return f"{request} is answered with {kind}"
        case "ids":
            same = step.word("same")
            own = f"that is the one of {same!r} with its number" if same else "of its own"
            return f"each prompt {text!r} has a messageId {own}"
        case "messages":
            count, where = step.words.get("count"), "in the replay" if _replayed(step) else "so far"
            hold = "message holds" if count == 1 else "messages hold"
            return f"{count} user {hold} the text {text!r}, {where}"
        case other:
            return _EXPECTED.get(other, f"{other} succeeds").format(request=request, text=text)


_EXPECTED: Final[Mapping[str, str]] = {
    "connect": "the agent starts and answers initialize with version 2 and capabilities.session",
    "disturb": "the kit can break the connection",
    "disturbed": "a message comes that the fault breaks",
    "new": "session/new succeeds",
    "resume": "session/resume succeeds, with a replay",
    "fork": "session/fork succeeds",
    "lose": "{request} is answered with a result",
    "shown": "the user message {text!r} is shown, or its prompt answered",
    "unanswered": "{request} is not answered within a silence",
    "settled": "the session becomes idle",
    "working": "the session is at work",
    "work": "work is reported, and its end",
    "no-work": "no work begins after the retry",
    "still-working": "the session goes on with the work that it was at",
    "compacted": "a compaction_update is reported as completed",
    "private": "no session/update and no session/list holds a key",
    "negotiated": "{request} is answered with the highest version that both sides speak",
    "shaped": "{request} has info, and capabilities that are objects or null",
    "ignored": "nothing answers the notification",
    "synchronized": "a state_update comes before the answer to {request}",
    "replayed": "before the answer to {request} comes just what is retained and asked for",
    "identified": "the message of {request} is shown under the messageId of its answer only",
    "kept": "the replay shows all content of {request} as it was sent",
}


def _which(step: Step) -> str:
    if "same" in step.words:
        return f" whose messageId is that of {step.word('same')}"
    if "other" in step.words:
        return f" whose messageId is not that of {step.word('other')}"
    if "or" in step.words:
        return f", or with the error {step.words['or']}"
    return ""


def _replayed(step: Step) -> bool:
    return step.words.get("replayed") is True


def _requests(scenario: Scenario, step: Step) -> Iterator[SentRequest]:
    """The requests that a step is about, the oldest first."""
    if scenario.suspects:
        yield from (scenario.requests[name] for name in scenario.suspects)
        return
    text = step.word("text")
    names = [step.word(word) for word in ("same", "other", "request", "after", "while")]
    mark = scenario.marks.get(text)
    for name, sent in scenario.requests.items():
        about = mark is not None and sent.prompt is not None and mark in sent.prompt.text
        if name in names or about:
            yield sent


def _request(scenario: Scenario, sent: SentRequest) -> str:
    params: dict[str, object] = {**sent.params}
    if isinstance(key := params.get("idempotencyKey"), str):
        params["idempotencyKey"] = f"[{Key.of(key)}]"
    message = {"id": sent.id, "method": sent.method, "params": params}
    return f"{_lane(scenario, sent)} {_json(message)}"


def _answers(scenario: Scenario, all_: list[SentRequest]) -> Iterator[str]:
    for sent in all_:
        line = sent.connection.peek(sent.id)
        if line is None:
            yield f"{_lane(scenario, sent)} nothing with the id {sent.id}"
            continue
        shown = {name: value for name, value in line.items() if name != "jsonrpc"}
        seconds = sent.connection.came[sent.id] - sent.at
        text = masked(_json(shown), scenario.secrets)
        yield f"{_lane(scenario, sent)} {text} after {seconds:.3f} s"


def _messages(scenario: Scenario, step: Step) -> Iterator[str]:
    """The user messages that hold the text of a `messages` step, or of a request's prompt."""
    mark = scenario.marks.get(step.word("text"))
    if step.verb == "identified":
        mark = scenario.mark(scenario.sent(step))
    if step.verb not in ("messages", "identified") or mark is None:
        return
    shown = scenario.on(step).user_messages(scenario.session(step))
    for id_ in [id_ for id_, text in shown.items() if mark in text][: SHOWN + 1]:
        hidden = scenario.hidden(_json(id_))
        yield f"{step.word('connection')} a user message with messageId {hidden}"


def _lane(scenario: Scenario, sent: SentRequest) -> str:
    """The name of a request's connection."""
    lanes = (name for name, each in scenario.connections.items() if each is sent.connection)
    return next(lanes, "")


def _stderr(scenario: Scenario) -> str:
    """The end of the standard error of the connection that was opened last, without keys."""
    if not scenario.connections:
        return ""
    (*_, last) = scenario.connections.values()
    return last.stream.exit_report().last_errors


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
