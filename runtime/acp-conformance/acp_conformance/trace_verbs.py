"""The verbs of traces: what each does in a scenario, or expects of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final

from acp_conformance.agent_connection import INFO, AgentConnection
from acp_conformance.crash_rounds import crashes
from acp_conformance.deferred_signals import deferred
from acp_conformance.launchers import NoKillError
from acp_conformance.message_stream import JsonLine
from acp_conformance.scenario import (
    PROMPT,
    DecisiveError,
    Scenario,
    SentRequest,
    UnmetError,
    UnplayableError,
    code_of,
    error_of,
    named,
    result_of,
)
from acp_conformance.trace_script import Json, Step
from acp_conformance.transport_verbs import connect_through_proxy, disturb, disturbed

__all__ = ["VERBS"]

RESUME: Final = "session/resume"

IN_TIME: Final = 0.75
"""The part of a hold within which a prompt has to be withdrawn, so that the rest can be judged."""


def _connect(scenario: Scenario, step: Step) -> None:
    beside = "beside" in step.words
    how = "second" if beside else "restart" if scenario.connections else "start"
    name = step.word("connection")
    with deferred():
        is_direct = "through" not in step.words
        connection = (
            AgentConnection.open(how, scenario.launcher, name, scenario.transcript)
            if is_direct
            else connect_through_proxy(scenario, name)
        )
        if connection is None:
            raise UnmetError("there is no second connection")
        scenario.connections[name] = connection
    try:
        _initialize(scenario, connection)
    except (UnmetError, UnplayableError) as error:
        if how == "restart":
            summary = f"the agent did not start again: {error}: see --restart-command"
            raise UnplayableError(summary) from error
        if isinstance(error, UnplayableError):
            raise
        raise UnplayableError(f"{error}: see that the command talks ACP on its pipes") from error


def _initialize(scenario: Scenario, connection: AgentConnection) -> None:
    result = scenario.result(connection, connection.initialize(), "initialize")
    if result.get("protocolVersion") != 2:
        raise UnplayableError("the agent does not speak version 2: answer initialize with it")
    capabilities = result.get("capabilities")
    if not isinstance(capabilities, dict) or capabilities.get("session") is None:
        raise UnplayableError("the agent offers no sessions: announce capabilities.session")


def _kill(scenario: Scenario, step: Step) -> None:
    try:
        scenario.launcher.kill(scenario.on(step).stream)
    except NoKillError as error:
        raise UnplayableError(str(error)) from error


def _end(scenario: Scenario, step: Step) -> None:
    scenario.on(step).stream.end()


def _new(scenario: Scenario, step: Step) -> None:
    connection = scenario.on(step)
    request = connection.request("session/new", scenario.roots())
    try:
        _enter(scenario, step, scenario.result(connection, request, "session/new"))
    except DecisiveError as error:
        raise UnplayableError(str(error)) from error
    except UnmetError as error:
        raise UnplayableError(f"{error}: let the agent open sessions without a login") from error


def _enter(scenario: Scenario, step: Step, result: Mapping[str, Any]) -> None:
    session = result.get("sessionId")
    if not isinstance(session, str):
        raise UnmetError("the result has no sessionId")
    scenario.sessions[step.word("session")] = session
    options = result.get("configOptions")
    scenario.options[step.word("session")] = options if isinstance(options, list) else []


def _resume(scenario: Scenario, step: Step) -> None:
    _replay(scenario, scenario.on(step), scenario.session(step))


def _replay(scenario: Scenario, connection: AgentConnection, session: str) -> int:
    """Resume a session with a replay, and return where in the stream it begins."""
    place = len(connection.stream.lines)
    params = {"sessionId": session, **scenario.roots(), "replayFrom": {"type": "start"}}
    scenario.result(connection, connection.request(RESUME, params), RESUME)
    return place


def _fork(scenario: Scenario, step: Step) -> None:
    connection = scenario.on(step)
    params = {"sessionId": named(scenario.sessions, step.word("of")), **scenario.roots()}
    result = scenario.result(connection, connection.request("session/fork", params), "session/fork")
    _enter(scenario, step, result)


def _prompts(scenario: Scenario, step: Step) -> None:
    """Send prompts one after the other, each after the answer and the work of the one before."""
    connection, session, text = scenario.on(step), scenario.session(step), step.word("text")
    literals, again = step.texts("literals"), step.word("again")
    for number in range(1, (step.number("count") or len(literals)) + 1):
        name = f"{text} {number}"
        own: dict[str, Json] = {"key": name}
        if literals:
            own = {"literal": literals[number - 1]}
        elif again:
            own = {"again": f"{again} {number}"}
        one = {"connection": step.word("connection"), "session": step.word("session")}
        _prompt(scenario, Step("prompt", {**one, "request": name, "text": text, **own}))
        result_of(scenario.reply(scenario.requests[name], name), name)
        if again:
            continue
        reported = connection.working(session) is not None
        connection.wait(
            lambda: scenario.idle(connection, session), scenario.timeouts.quiet * reported
        )
        if connection.working(session):
            connection.notify("session/cancel", {"sessionId": session})
            _rest(scenario, connection, session)


def _call(scenario: Scenario, step: Step) -> None:
    connection, method = scenario.on(step), step.word("method")
    params: dict[str, object] = {}
    if method == "initialize":
        if not connection.stream.can_initialize_again:
            raise UnplayableError("over HTTP initialize opens another connection")
        params = {"protocolVersion": 2, "info": INFO}
    elif method != "session/list":
        params = {"sessionId": scenario.session(step)}
    own = step.words.get("params")
    if isinstance(own, dict):
        params |= own
    if "option" in step.words:
        params |= _first_option(scenario, step)
    _send(scenario, step, connection, method, params)
    if method == "session/close":
        scenario.withdrawn = monotonic()


def _first_option(scenario: Scenario, step: Step) -> dict[str, object]:
    """The params that set the first option of a session to the value that it has."""
    for option in scenario.options.get(step.word("session"), ()):
        match option:
            case {"configId": str(id_), "type": "select", "currentValue": str(value)}:
                return {"configId": id_, "type": "id", "value": value}
            case {"configId": str(id_), "type": "boolean", "currentValue": bool(on)}:
                return {"configId": id_, "type": "boolean", "value": on}
    raise UnplayableError("session/new returned no option to set: offer configOptions")


def _prompt(scenario: Scenario, step: Step) -> None:
    connection = scenario.on(step)
    if "again" in step.words:
        params = scenario.sent(step, "again").params
    else:
        text = scenario.text(step.word("text"))
        params = {"sessionId": scenario.session(step), "prompt": [{"type": "text", "text": text}]}
        if "key" in step.words:
            params["idempotencyKey"] = scenario.key(step.word("key"))
        elif "literal" in step.words:
            params["idempotencyKey"] = step.words["literal"]
    _send(scenario, step, connection, PROMPT, params)


def _send(
    scenario: Scenario,
    step: Step,
    connection: AgentConnection,
    method: str,
    params: dict[str, object],
) -> None:
    place = len(connection.stream.lines)
    since = scenario.sent(step, "again").since if "again" in step.words else monotonic()
    id_ = connection.request(method, params)
    scenario.requests[step.word("request")] = SentRequest(
        connection, id_, method, params, place, since
    )


def _cancel_request(scenario: Scenario, step: Step) -> None:
    scenario.on(step).notify("$/cancel_request", {"requestId": scenario.sent(step).id})
    scenario.withdrawn = monotonic()


def _cancel(scenario: Scenario, step: Step) -> None:
    scenario.on(step).notify("session/cancel", {"sessionId": scenario.session(step)})
    scenario.withdrawn = monotonic()


def _answered(scenario: Scenario, step: Step) -> None:
    line = scenario.reply(scenario.sent(step), step.word("request"))
    if step.word("with") == "result" and "error" in line:
        raise UnmetError(f"{step.word('request')} was answered with {error_of(line)}")


def _answer(scenario: Scenario, step: Step) -> None:
    name, sent = step.word("request"), scenario.sent(step)
    if "code" in step.words:
        line = scenario.answer(sent.connection, sent.id, name)
        late = sent.held and scenario.withdrawn - sent.since > IN_TIME * sent.held
        if late and "error" not in line:
            raise UnplayableError(f"{name} was withdrawn too late: give more --silence")
        _check_code(line, step.words["code"], name)
        return
    line = scenario.reply(sent, name)
    if "or" not in step.words or step.words["or"] != code_of(line):
        _check_id(scenario, step, name, sent)


def _check_code(line: JsonLine, wanted: object, name: str) -> None:
    if "error" not in line:
        raise UnmetError(f"{name} was answered with a result, not an error")
    if wanted not in ("any", code_of(line)):
        raise UnmetError(f"{name} was answered with {error_of(line)}, not {wanted}")


def _check_id(scenario: Scenario, step: Step, name: str, sent: SentRequest) -> None:
    own = _message_id(scenario, name, sent)
    if "same" in step.words and own != _message_id_of(scenario, step, "same"):
        raise UnmetError(f"{name} got a messageId other than that of {step.word('same')}")
    if "other" in step.words and own == _message_id_of(scenario, step, "other"):
        raise UnmetError(f"{name} got the messageId of {step.word('other')}")


def _message_id_of(scenario: Scenario, step: Step, word: str) -> object:
    return _message_id(scenario, step.word(word), scenario.sent(step, word))


def _message_id(scenario: Scenario, name: str, sent: SentRequest) -> object:
    id_ = result_of(scenario.reply(sent, name), name).get("messageId")
    if sent.method == PROMPT and not (isinstance(id_, str) and id_):
        raise DecisiveError(f"{name} was answered without a messageId")
    return id_


def _ids(scenario: Scenario, step: Step) -> None:
    """Expect that each prompt has a messageId of its own, or that of its first attempt."""
    text, same = step.word("text"), step.word("same")
    firsts = {id_: name for name, id_ in reversed(_message_ids(scenario, same or text).items())}
    for number, (name, id_) in enumerate(_message_ids(scenario, text).items(), 1):
        own = f"{same or text} {number}"
        first = firsts.get(id_, "")
        if first != own:
            summary = (
                f"the messageId of {first}" if first else f"a messageId other than that of {own}"
            )
            raise UnmetError(f"{name} got {summary}")


def _message_ids(scenario: Scenario, text: str) -> dict[str, object]:
    """Return the messageId of each prompt of a `prompts` step, by the name of its request."""
    names = [name for name in scenario.requests if name.rpartition(" ")[0] == text]
    return {name: _message_id(scenario, name, scenario.requests[name]) for name in names}


def _lose(scenario: Scenario, step: Step) -> None:
    """Wait for the answer, which the client that the trace plays never reads."""
    name = step.word("request")
    result_of(scenario.reply(scenario.sent(step), name), name)


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
        raise UnplayableError(f"{name} was answered too soon: give a slow agent more --silence")
    if answered is not None:
        summary = f" with {error_of(answered)}" if "error" in answered else ""
        raise UnmetError(f"{step.word('request')} was answered at once{summary}")


def _comes(scenario: Scenario, step: Step, word: str, seconds: float) -> JsonLine | None:
    sent = scenario.sent(step, word)
    return sent.connection.answer(sent.id, seconds)


def _settled(scenario: Scenario, step: Step) -> None:
    """Wait until the agent reports the end of work, where it reports work, and then for silence."""
    connection, session = scenario.on(step), scenario.session(step)
    connection.wait(lambda: scenario.idle(connection, session), scenario.timeouts.quiet)
    _rest(scenario, connection, session)
    _still(scenario, connection)


def _rest(scenario: Scenario, connection: AgentConnection, session: str) -> None:
    if not connection.wait(lambda: not connection.working(session), scenario.timeouts.answer):
        raise UnplayableError("the session is still at work: give it more time with --timeout")


def _still(scenario: Scenario, connection: AgentConnection) -> None:
    connection.wait(lambda: False, scenario.timeouts.quiet)


def _working(scenario: Scenario, step: Step) -> None:
    connection, session = scenario.on(step), scenario.session(step)
    seconds = scenario.timeouts.quiet
    if not connection.wait(lambda: connection.working(session) is True, seconds):
        raise UnmetError("the session is not at work")
    if connection.wait(lambda: connection.working(session) is not True, seconds):
        raise UnmetError("the session was at work only for a moment")


def _wait(scenario: Scenario, step: Step) -> None:
    silences, milliseconds = step.number("silences") or 0, step.number("milliseconds") or 0
    time.sleep(silences * scenario.timeouts.quiet + milliseconds / 1000)


def _messages(scenario: Scenario, step: Step) -> None:
    connection, session, name = scenario.on(step), scenario.session(step), step.word("text")
    replayed = step.words.get("replayed") is True
    if not replayed and scenario.heard != (connection, scenario.sent_so_far):
        _still(scenario, connection)
    try:
        place = _replay(scenario, connection, session)
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
        raise UnmetError(f"{count} messages hold the text of the prompt, not {wanted}")


def _shows(connection: AgentConnection, session: str, mark: str, place: int) -> int:
    """Return how many updates of a replay show a prompt, as whole messages or as chunks.

    An agent may show a message any number of times under its ID. One that shows a message more
    often than another that was inserted once has inserted it again, under the same ID.
    """
    updates = connection.updates(session, place)
    kinds = [u.get("sessionUpdate") for u in updates if mark in str(u.get("content"))]
    return max(kinds.count("user_message"), kinds.count("user_message_chunk"))


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
    _still(scenario, connection)
    if connection.worked(scenario.session(step), scenario.sent(step, "after").place):
        raise UnmetError("work began after the retry")


def _private(scenario: Scenario, step: Step) -> None:
    del step
    if scenario.leak:
        raise UnmetError(scenario.leak)


VERBS: Final[Mapping[str, Callable[[Scenario, Step], None]]] = {
    "connect": _connect,
    "disturb": disturb,
    "disturbed": disturbed,
    "kill": _kill,
    "end": _end,
    "new": _new,
    "resume": _resume,
    "fork": _fork,
    "call": _call,
    "prompt": _prompt,
    "prompts": _prompts,
    "cancel-request": _cancel_request,
    "cancel": _cancel,
    "answer": _answer,
    "answered": _answered,
    "crashes": lambda scenario, step: crashes(scenario, step, VERBS),
    "ids": _ids,
    "lose": _lose,
    "shown": _shown,
    "unanswered": _unanswered,
    "settled": _settled,
    "working": _working,
    "wait": _wait,
    "messages": _messages,
    "compacted": _compacted,
    "work": _work,
    "no-work": _no_work,
    "private": _private,
}
