"""The verbs of traces: what each does on a stage, or expects of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final

from acp_conformance.connection import INFO, Connection
from acp_conformance.interruption import postponed
from acp_conformance.script import Json, Step
from acp_conformance.stage import (
    PROMPT,
    ImpossibleError,
    Sent,
    Stage,
    TellingError,
    UnmetError,
    code_of,
    error_of,
    named,
    result_of,
)
from acp_conformance.wire import Line

__all__ = ["VERBS"]

RESUME: Final = "session/resume"

IN_TIME: Final = 0.75
"""In which part of the time that a prompt is held it has to be withdrawn to judge what follows."""


def _connect(stage: Stage, step: Step) -> None:
    beside = "beside" in step.words
    how = "second" if beside else "restart" if stage.connections else "start"
    name = step.word("connection")
    with postponed():
        connection = Connection.open(how, stage.launcher, name, stage.transcript)
        if connection is None:
            raise UnmetError("there is no second connection")
        stage.connections[name] = connection
    try:
        _initialize(stage, connection)
    except (UnmetError, ImpossibleError) as error:
        if how == "restart":
            told = f"the agent did not come up again: {error}: see --restart-command"
            raise ImpossibleError(told) from error
        if isinstance(error, ImpossibleError):
            raise
        raise ImpossibleError(f"{error}: see that the command talks ACP on its pipes") from error


def _initialize(stage: Stage, connection: Connection) -> None:
    result = stage.result(connection, connection.initialize(), "initialize")
    if result.get("protocolVersion") != 2:
        raise ImpossibleError("the agent does not speak version 2: answer initialize with it")
    capabilities = result.get("capabilities")
    if not isinstance(capabilities, dict) or capabilities.get("session") is None:
        raise ImpossibleError("the agent offers no sessions: announce capabilities.session")


def _kill(stage: Stage, step: Step) -> None:
    stage.on(step).wire.kill()


def _end(stage: Stage, step: Step) -> None:
    stage.on(step).wire.end()


def _new(stage: Stage, step: Step) -> None:
    connection = stage.on(step)
    request = connection.request("session/new", stage.roots())
    try:
        _enter(stage, step, stage.result(connection, request, "session/new"))
    except TellingError as error:
        raise ImpossibleError(str(error)) from error
    except UnmetError as error:
        raise ImpossibleError(f"{error}: let the agent open sessions without a login") from error


def _enter(stage: Stage, step: Step, result: Mapping[str, Any]) -> None:
    session = result.get("sessionId")
    if not isinstance(session, str):
        raise UnmetError("the result has no sessionId")
    stage.sessions[step.word("session")] = session


def _resume(stage: Stage, step: Step) -> None:
    _replay(stage, stage.on(step), stage.session(step))


def _replay(stage: Stage, connection: Connection, session: str) -> int:
    """Resume a session with a replay of it, and return where in the stream that begins."""
    place = len(connection.wire.lines)
    params = {"sessionId": session, **stage.roots(), "replayFrom": {"type": "start"}}
    stage.result(connection, connection.request(RESUME, params), RESUME)
    return place


def _fork(stage: Stage, step: Step) -> None:
    connection = stage.on(step)
    params = {"sessionId": named(stage.sessions, step.word("of")), **stage.roots()}
    result = stage.result(connection, connection.request("session/fork", params), "session/fork")
    _enter(stage, step, result)


def _prompts(stage: Stage, step: Step) -> None:
    """Each is answered, and its work has ended, before the next one is sent."""
    connection, session, text = stage.on(step), stage.session(step), step.word("text")
    literals, again = step.texts("literals"), step.word("again")
    for number in range(1, (step.number("count") or len(literals)) + 1):
        name = f"{text} {number}"
        own: dict[str, Json] = {"key": name}
        if literals:
            own = {"literal": literals[number - 1]}
        elif again:
            own = {"again": f"{again} {number}"}
        one = {"connection": step.word("connection"), "session": step.word("session")}
        _prompt(stage, Step("prompt", {**one, "request": name, "text": text, **own}))
        result_of(stage.reply(stage.requests[name], name), name)
        if again:
            continue
        told = connection.working(session) is not None
        connection.wait(lambda: stage.idle(connection, session), stage.patience.quiet * told)
        if connection.working(session):
            connection.notify("session/cancel", {"sessionId": session})
            _rest(stage, connection, session)


def _call(stage: Stage, step: Step) -> None:
    connection, method = stage.on(step), step.word("method")
    params: dict[str, object] = {}
    if method == "initialize":
        params = {"protocolVersion": 2, "info": INFO}
    elif method != "session/list":
        params = {"sessionId": stage.session(step)}
    _send(stage, step, connection, method, params)
    if method == "session/close":
        stage.withdrawn = monotonic()


def _prompt(stage: Stage, step: Step) -> None:
    connection = stage.on(step)
    if "again" in step.words:
        params = stage.sent(step, "again").params
    else:
        text = stage.text(step.word("text"))
        params = {"sessionId": stage.session(step), "prompt": [{"type": "text", "text": text}]}
        if "key" in step.words:
            params["idempotencyKey"] = stage.key(step.word("key"))
        elif "literal" in step.words:
            params["idempotencyKey"] = step.words["literal"]
    _send(stage, step, connection, PROMPT, params)


def _send(
    stage: Stage, step: Step, connection: Connection, method: str, params: dict[str, object]
) -> None:
    place = len(connection.wire.lines)
    since = stage.sent(step, "again").since if "again" in step.words else monotonic()
    id_ = connection.request(method, params)
    stage.requests[step.word("request")] = Sent(connection, id_, method, params, place, since)


def _cancel_request(stage: Stage, step: Step) -> None:
    stage.on(step).notify("$/cancel_request", {"requestId": stage.sent(step).id})
    stage.withdrawn = monotonic()


def _cancel(stage: Stage, step: Step) -> None:
    stage.on(step).notify("session/cancel", {"sessionId": stage.session(step)})
    stage.withdrawn = monotonic()


def _answered(stage: Stage, step: Step) -> None:
    line = stage.reply(stage.sent(step), step.word("request"))
    if step.word("with") == "result" and "error" in line:
        raise UnmetError(f"{step.word('request')} was answered with {error_of(line)}")


def _answer(stage: Stage, step: Step) -> None:
    name, sent = step.word("request"), stage.sent(step)
    if "code" in step.words:
        line = stage.answer(sent.connection, sent.id, name)
        late = sent.held and stage.withdrawn - sent.since > IN_TIME * sent.held
        if late and "error" not in line:
            raise ImpossibleError(f"{name} was withdrawn too late: give more --silence")
        _check_code(line, step.words["code"], name)
        return
    line = stage.reply(sent, name)
    if "or" not in step.words or step.words["or"] != code_of(line):
        _check_id(stage, step, name, sent)


def _check_code(line: Line, wanted: object, name: str) -> None:
    if "error" not in line:
        raise UnmetError(f"{name} was answered with a result, not an error")
    if wanted not in ("any", code_of(line)):
        raise UnmetError(f"{name} was answered with {error_of(line)}, not {wanted}")


def _check_id(stage: Stage, step: Step, name: str, sent: Sent) -> None:
    own = _message_id(stage, name, sent)
    if "same" in step.words and own != _message_id_of(stage, step, "same"):
        raise UnmetError(f"{name} got a messageId other than that of {step.word('same')}")
    if "other" in step.words and own == _message_id_of(stage, step, "other"):
        raise UnmetError(f"{name} got the messageId of {step.word('other')}")


def _message_id_of(stage: Stage, step: Step, word: str) -> object:
    return _message_id(stage, step.word(word), stage.sent(step, word))


def _message_id(stage: Stage, name: str, sent: Sent) -> object:
    id_ = result_of(stage.reply(sent, name), name).get("messageId")
    if sent.method == PROMPT and not (isinstance(id_, str) and id_):
        raise TellingError(f"{name} was answered without a messageId")
    return id_


def _ids(stage: Stage, step: Step) -> None:
    """Each of many prompts has a messageId of its own, or that of its first attempt."""
    text, same = step.word("text"), step.word("same")
    firsts = {id_: name for name, id_ in reversed(_message_ids(stage, same or text).items())}
    for number, (name, id_) in enumerate(_message_ids(stage, text).items(), 1):
        own = f"{same or text} {number}"
        first = firsts.get(id_, "")
        if first != own:
            told = f"the messageId of {first}" if first else f"a messageId other than that of {own}"
            raise UnmetError(f"{name} got {told}")


def _message_ids(stage: Stage, text: str) -> dict[str, object]:
    """The messageId of each prompt of a `prompts` step, by the name of its request."""
    names = [name for name in stage.requests if name.rpartition(" ")[0] == text]
    return {name: _message_id(stage, name, stage.requests[name]) for name in names}


def _lose(stage: Stage, step: Step) -> None:
    """The answer comes, and the client that the trace plays never reads it."""
    name = step.word("request")
    result_of(stage.reply(stage.sent(step), name), name)


def _shown(stage: Stage, step: Step) -> None:
    sent, mark = stage.sent(step), stage.marks[step.word("text")]
    session = str(sent.params["sessionId"])

    def met() -> bool:
        shown = sent.connection.user_messages(session).values()
        return any(mark in text for text in shown) or sent.connection.peek(sent.id) is not None

    if not sent.connection.wait(met, stage.patience.answer):
        raise UnmetError("the message was neither shown nor answered for")


def _unanswered(stage: Stage, step: Step) -> None:
    answered = _comes(stage, step, "request", stage.patience.quiet)
    more = 0.0 if answered is None else stage.patience.quiet
    if "while" in step.words and _comes(stage, step, "while", more):
        name = step.word("while")
        raise ImpossibleError(f"{name} was answered too soon: give a slow agent more --silence")
    if answered is not None:
        told = f" with {error_of(answered)}" if "error" in answered else ""
        raise UnmetError(f"{step.word('request')} was answered at once{told}")


def _comes(stage: Stage, step: Step, word: str, seconds: float) -> Line | None:
    sent = stage.sent(step, word)
    return sent.connection.answer(sent.id, seconds)


def _settled(stage: Stage, step: Step) -> None:
    """Wait until work has ended, where the agent says so, and nothing more comes."""
    connection, session = stage.on(step), stage.session(step)
    connection.wait(lambda: stage.idle(connection, session), stage.patience.quiet)
    _rest(stage, connection, session)
    _still(stage, connection)


def _rest(stage: Stage, connection: Connection, session: str) -> None:
    if not connection.wait(lambda: not connection.working(session), stage.patience.answer):
        raise ImpossibleError("the session is still at work: give it more time with --timeout")


def _still(stage: Stage, connection: Connection) -> None:
    connection.wait(lambda: False, stage.patience.quiet)


def _working(stage: Stage, step: Step) -> None:
    connection, session = stage.on(step), stage.session(step)
    seconds = stage.patience.quiet
    if not connection.wait(lambda: connection.working(session) is True, seconds):
        raise UnmetError("the session is not at work")
    if connection.wait(lambda: connection.working(session) is not True, seconds):
        raise UnmetError("the session was at work for a moment only")


def _wait(stage: Stage, step: Step) -> None:
    silences, milliseconds = step.number("silences") or 0, step.number("milliseconds") or 0
    time.sleep(silences * stage.patience.quiet + milliseconds / 1000)


def _messages(stage: Stage, step: Step) -> None:
    connection, session, name = stage.on(step), stage.session(step), step.word("text")
    replayed = step.words.get("replayed") is True
    if not replayed and stage.heard != (connection, stage.sent_so_far):
        _still(stage, connection)
    try:
        place = _replay(stage, connection, session)
    except UnmetError as error:
        seen = connection.user_messages(session).values()
        if step.number("count") == 0 and not replayed and any(stage.marks[name] in t for t in seen):
            raise UnmetError(f"a message holds the text of the prompt; then {error}") from error
        told = f"messages can't be counted, {error}: let a session be resumed while it is active"
        raise ImpossibleError(told) from error
    if not replayed:
        stage.heard = (connection, stage.sent_so_far)
    mark, wanted = stage.marks[name], step.number("count")
    messages = connection.user_messages(session, place if replayed else 0)
    count = sum(mark in text for text in messages.values())
    shows = _shows(connection, session, mark, place)
    if step.proves:
        count = max(count, shows // stage.shows)
    elif wanted:
        stage.shows = max(1, shows // wanted)
    if count != wanted:
        raise UnmetError(f"{count} messages hold the text of the prompt, not {wanted}")


def _shows(connection: Connection, session: str, mark: str, place: int) -> int:
    """How many updates of a replay show a prompt: as a whole message, or in chunks.

    An agent may show a message as often as it likes under its ID. If it shows one more often than
    another one that was inserted once, it has inserted that one again, under the ID it had.
    """
    updates = connection.updates(session, place)
    kinds = [u.get("sessionUpdate") for u in updates if mark in str(u.get("content"))]
    return max(kinds.count("user_message"), kinds.count("user_message_chunk"))


def _compacted(stage: Stage, step: Step) -> None:
    connection, session = stage.on(step), stage.session(step)
    if not connection.wait(lambda: connection.compacted(session), stage.patience.quiet):
        raise UnmetError("no compaction was completed")


def _work(stage: Stage, step: Step) -> None:
    """Work began and ended, so that what is told later is of other work."""
    connection, session = stage.on(step), stage.session(step)
    if not connection.worked(session, stage.sent(step, "after").place):
        raise UnmetError("no work began")
    if connection.working(session) is not False:
        raise UnmetError("its end was not told")


def _no_work(stage: Stage, step: Step) -> None:
    connection = stage.on(step)
    _still(stage, connection)
    if connection.worked(stage.session(step), stage.sent(step, "after").place):
        raise UnmetError("work began after the retry")


def _private(stage: Stage, step: Step) -> None:
    del step
    if stage.leak:
        raise UnmetError(stage.leak)


VERBS: Final[Mapping[str, Callable[[Stage, Step], None]]] = {
    "connect": _connect,
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
