"""The verbs of traces that expect something: answers, messages, work and silence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Final

from acp_conformance.agent_connection import AgentConnection
from acp_conformance.message_stream import JsonLine
from acp_conformance.scenario import (
    PROMPT,
    DecisiveError,
    ErrorAnswerError,
    HamperedError,
    LostMessageError,
    Scenario,
    SentRequest,
    SurplusError,
    UnmetError,
    UnplayableError,
    code_of,
)
from acp_conformance.session_waits import replay, rest, still
from acp_conformance.trace_script import Step
from acp_conformance.transport_verbs import disturbed

__all__ = ["CHECKS"]

SHOWN: Final = 40
"""The maximum number of characters of a key of the kit that are shown."""

IN_TIME: Final = 0.75
"""The part of a hold, or of work, within which something has to happen to be judged."""


def _answered(scenario: Scenario, step: Step) -> None:
    line = scenario.reply(scenario.sent(step), step.word("request"))
    if step.word("with") == "result" and "error" in line:
        summary = f"{step.word('request')} was answered with {scenario.words(line)}"
        raise ErrorAnswerError(summary, line)


def _answer(scenario: Scenario, step: Step) -> None:
    name, sent = step.word("request"), scenario.sent(step)
    if "code" in step.words:
        line = scenario.answer(sent.connection, sent.id, name)
        if "error" not in line and (why := _crossed(scenario, sent)):
            raise HamperedError(f"{name} was withdrawn too late: {why}")
        _check_code(scenario, line, step.words["code"], name)
        return
    line = scenario.reply(sent, name)
    own = sent.prompt is not None and sent.prompt.is_own and sent.prompt.verb == "fail"
    if own and "error" in line:
        summary = f"{name} was answered with {scenario.words(line)}"
        raise UnplayableError(f"{summary}: give --prompt-fail a text that is refused only once")
    if "or" not in step.words or step.words["or"] != code_of(line):
        _check_id(scenario, step, name, sent)


def _crossed(scenario: Scenario, sent: SentRequest) -> str:
    """Why a result may have crossed the withdrawal of its prompt. Empty if it did not."""
    if not sent.held:
        return ""
    if scenario.withdrawn - sent.since > IN_TIME * sent.held:
        return "give more --silence"
    own = sent.prompt is not None and sent.prompt.is_own
    answered = sent.connection.came.get(sent.id, scenario.withdrawn)
    if own and answered - scenario.withdrawn < scenario.timeouts.quiet:
        return "let --prompt-hold hold it for longer"
    return ""


def _check_code(scenario: Scenario, line: JsonLine, wanted: object, name: str) -> None:
    if "error" not in line:
        raise UnmetError(f"{name} was answered with a result, not an error")
    if wanted not in ("any", code_of(line)):
        raise UnmetError(f"{name} was answered with {scenario.words(line)}, not {wanted}")


def _check_id(scenario: Scenario, step: Step, name: str, sent: SentRequest) -> None:
    own = _message_id(scenario, name, sent)
    if "same" in step.words and own != (first := _message_id_of(scenario, step, "same")):
        summary = f"{name} got a messageId other than that of {step.word('same')}"
        if step.breaks and _are_shown(scenario, sent, {own, first}):
            raise SurplusError(f"{summary}, and a message is shown under each")
        raise UnmetError(summary)
    if "other" in step.words and own == _message_id_of(scenario, step, "other"):
        raise UnmetError(f"{name} got the messageId of {step.word('other')}")


def _are_shown(scenario: Scenario, sent: SentRequest, ids: set[object]) -> bool:
    """True if messages with all these IDs are shown, or will be in a silence, with one prompt."""
    mark, session = scenario.mark(sent), str(sent.params["sessionId"])

    def met() -> bool:
        shown = sent.connection.user_messages(session).items()
        return mark is not None and ids <= {id_ for id_, text in shown if mark in text}

    return sent.connection.wait(met, scenario.timeouts.quiet)


def _message_id_of(scenario: Scenario, step: Step, word: str) -> object:
    return _message_id(scenario, step.word(word), scenario.sent(step, word))


def _message_id(scenario: Scenario, name: str, sent: SentRequest) -> object:
    result = scenario.result_in(scenario.reply(sent, name), name)
    id_ = result.get("messageId")
    if sent.method != PROMPT or (isinstance(id_, str) and id_):
        return id_
    if "messageId" in result:
        kind = "null" if id_ is None else "empty" if id_ == "" else "not a string"
        raise DecisiveError(f"{name} was answered with a messageId that is {kind}")
    hint = ": stopReason is that of version 1" if "stopReason" in result else ""
    raise DecisiveError(f"{name} was answered without a messageId{hint}")


def _ids(scenario: Scenario, step: Step) -> None:
    """Expect that each prompt has a messageId of its own, or that of its first attempt."""
    text, same = step.word("text"), step.word("same")
    firsts = {id_: name for name, id_ in reversed(_message_ids(scenario, same or text).items())}
    for number, (name, id_) in enumerate(_message_ids(scenario, text).items(), 1):
        own = f"{same or text} {number}"
        first = firsts.get(id_, "")
        if first != own:
            scenario.suspects = [first or own, name]
            summary = (
                f"the messageId of {_with_key(scenario, first)}"
                if first
                else f"a messageId other than that of {own}"
            )
            raise UnmetError(f"{_with_key(scenario, name)} got {summary}")


def _with_key(scenario: Scenario, name: str) -> str:
    """The name of a request, with its key if the trace gives that: such a key is not a secret."""
    key = scenario.requests[name].params.get("idempotencyKey")
    if not isinstance(key, str) or key in scenario.keys.values():
        return name
    shown = json.dumps(key if len(key) <= SHOWN else f"{key[:SHOWN]}...")
    return f"{name}, with the key {shown}" + (f" of {len(key)} characters" * (len(key) > SHOWN))


def _message_ids(scenario: Scenario, text: str) -> dict[str, object]:
    """Return the messageId of each prompt of a `prompts` step, by the name of its request."""
    names = [name for name in scenario.requests if name.rpartition(" ")[0] == text]
    return {name: _message_id(scenario, name, scenario.requests[name]) for name in names}


def _lose(scenario: Scenario, step: Step) -> None:
    """Wait for the answer, which the client that the trace plays never reads."""
    name = step.word("request")
    scenario.result_in(scenario.reply(scenario.sent(step), name), name)


def _shown(scenario: Scenario, step: Step) -> None:
    sent, mark = scenario.sent(step), scenario.marks[step.word("text")]
    session = str(sent.params["sessionId"])

    def met() -> bool:
        shown = sent.connection.user_messages(session).values()
        return any(mark in text for text in shown) or sent.connection.peek(sent.id) is not None

    if not sent.connection.wait(met, scenario.timeouts.answer):
        raise UnmetError("the message was neither shown nor answered for")


def _unanswered(scenario: Scenario, step: Step) -> None:
    answered = _comes(scenario, step, "request", scenario.timeouts.quiet)
    more = 0.0 if answered is None else scenario.timeouts.quiet
    if "while" in step.words and _comes(scenario, step, "while", more):
        name = step.word("while")
        raise HamperedError(f"{name} was answered too soon: give a slow agent more --silence")
    if answered is not None:
        summary = f"{step.word('request')} was answered at once"
        if "error" in answered:
            raise ErrorAnswerError(f"{summary} with {scenario.words(answered)}", answered)
        raise UnmetError(summary)


def _comes(scenario: Scenario, step: Step, word: str, seconds: float) -> JsonLine | None:
    sent = scenario.sent(step, word)
    return sent.connection.answer(sent.id, seconds)


def _settled(scenario: Scenario, step: Step) -> None:
    """Wait until the agent reports the end of work, where it reports work, and then for silence."""
    connection, session = scenario.on(step), scenario.session(step)
    connection.wait(lambda: scenario.idle(connection, session), scenario.timeouts.quiet)
    rest(scenario, connection, session)
    if connection.working(session) is False:
        sent = [each.at for each in scenario.requests.values() if each.connection is connection]
        scenario.turns.append(monotonic() - max(sent, default=monotonic()))
    still(scenario, connection)


def _working(scenario: Scenario, step: Step) -> None:
    connection, session = scenario.on(step), scenario.session(step)
    seconds = scenario.timeouts.quiet
    if not connection.wait(lambda: connection.working(session) is True, seconds):
        raise UnmetError("the session is not at work")
    if connection.wait(lambda: connection.working(session) is not True, seconds):
        raise UnmetError("the session was at work only for a moment")


def _messages(scenario: Scenario, step: Step) -> None:
    connection, session, name = scenario.on(step), scenario.session(step), step.word("text")
    replayed = step.words.get("replayed") is True
    if not replayed and scenario.heard != (connection, scenario.sent_so_far):
        still(scenario, connection)
    try:
        place = replay(scenario, connection, session)
    except UnmetError as error:
        seen = connection.user_messages(session).values()
        if (
            step.number("count") == 0
            and not replayed
            and any(scenario.marks[name] in t for t in seen)
        ):
            raise UnmetError(f"a message holds the text of the prompt; then {error}") from error
        summary = f"messages can't be counted, {error}: let a session be resumed while it is active"
        raise UnplayableError(summary) from error
    if not replayed:
        scenario.heard = (connection, scenario.sent_so_far)
    mark, wanted = scenario.marks[name], step.number("count")
    messages = connection.user_messages(session, place if replayed else 0)
    count = sum(mark in text for text in messages.values())
    shows = _shows(connection, session, mark, place)
    if step.proves:
        count = max(count, shows // scenario.shows)
    elif wanted:
        scenario.shows = max(1, shows // wanted)
    if count != wanted:
        scenario.suspects = _taken(scenario, mark)
        hold = "message holds" if count == 1 else "messages hold"
        surplus = wanted is not None and count > wanted
        kind = SurplusError if surplus else LostMessageError
        raise kind(f"{count} {hold} the text of the prompt, not {wanted}")


def _taken(scenario: Scenario, mark: str) -> list[str]:
    """The requests with a prompt that were answered with a result so far."""
    return [
        name
        for name, sent in scenario.requests.items()
        if sent.prompt is not None
        and mark in sent.prompt.text
        and "result" in (sent.connection.peek(sent.id) or {})
    ]


def _shows(connection: AgentConnection, session: str, mark: str, place: int) -> int:
    """Return how many updates of a replay show a prompt, as whole messages or as chunks.

    An agent may show a message any number of times under its ID. One that shows a message more
    often than another that was inserted once has inserted it again, under the same ID.
    """
    updates = connection.updates(session, place)
    kinds = [u.get("sessionUpdate") for u in updates if mark in str(u.get("content"))]
    split = sum(text.count(mark) for text in connection.user_chunks(session, place).values())
    return max(kinds.count("user_message"), kinds.count("user_message_chunk"), split)


def _compacted(scenario: Scenario, step: Step) -> None:
    connection, session = scenario.on(step), scenario.session(step)
    if not connection.wait(lambda: connection.compacted(session), scenario.timeouts.quiet):
        raise UnmetError("no compaction was completed")


def _work(scenario: Scenario, step: Step) -> None:
    """Expect that work began and ended, so that later reports are about other work."""
    connection, session = scenario.on(step), scenario.session(step)
    if not connection.worked(session, scenario.sent(step, "after").place):
        raise UnmetError("no work began")
    if connection.working(session) is not False:
        raise UnmetError("its end was not reported")


def _no_work(scenario: Scenario, step: Step) -> None:
    connection = scenario.on(step)
    still(scenario, connection)
    if connection.worked(scenario.session(step), scenario.sent(step, "after").place):
        raise UnmetError("work began after the retry")


def _still_working(scenario: Scenario, step: Step) -> None:
    """Expect that a session goes on with the work that a prompt asked for."""
    connection, session = scenario.on(step), scenario.session(step)
    still(scenario, connection)
    if connection.working(session):
        return
    sent = scenario.sent(step, "after")
    asked = 0.0 if sent.prompt is None or sent.prompt.is_own else sent.prompt.seconds
    if monotonic() - sent.since > IN_TIME * asked:
        raise HamperedError("the work may have ended by itself: give more --silence")
    raise UnmetError("the work ended with the retry")


def _private(scenario: Scenario, step: Step) -> None:
    del step
    if scenario.leak:
        raise UnmetError(scenario.leak)


CHECKS: Final[Mapping[str, Callable[[Scenario, Step], None]]] = {
    "disturbed": disturbed,
    "answer": _answer,
    "answered": _answered,
    "ids": _ids,
    "lose": _lose,
    "shown": _shown,
    "unanswered": _unanswered,
    "settled": _settled,
    "working": _working,
    "messages": _messages,
    "compacted": _compacted,
    "work": _work,
    "no-work": _no_work,
    "still-working": _still_working,
    "private": _private,
}
"""What each of these verbs expects."""
