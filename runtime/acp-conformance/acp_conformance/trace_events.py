"""The verbs of traces that make something happen: connections, sessions, requests and kills."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final

from acp_conformance.agent_connection import INFO, AgentConnection
from acp_conformance.deferred_signals import deferred
from acp_conformance.launchers import NoKillError
from acp_conformance.other_programs import mcp_server, other_program, sends_back
from acp_conformance.play_options import TestPrompt
from acp_conformance.scenario import (
    PROMPT,
    DecisiveError,
    ErrorAnswerError,
    NoAnswerError,
    Scenario,
    SentRequest,
    UnmetError,
    UnplayableError,
    UnreachableServerError,
    code_of,
    named,
    result_of,
)
from acp_conformance.session_waits import RESUME, log_in, replay, rest
from acp_conformance.trace_facts import agent_name
from acp_conformance.trace_script import Json, Step
from acp_conformance.transport_verbs import connect_through_proxy, disturb

__all__ = ["EVENTS"]

OLD: Final = ("agentCapabilities", "agentInfo")
"""Members of version 1 in the answer to `initialize`."""

LOGIN_NEEDED: Final = -32000
"""The code of an error that asks for a login."""

MOST: Final = 40
"""The maximum number of characters of a version that are shown."""


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
        connection.permission = scenario.asked.permission
        scenario.connections[name] = connection
    scenario.starts += not beside
    if (version := step.number("version")) is not None:
        _send(scenario, step, "initialize", {"protocolVersion": version, "info": INFO})
        return
    try:
        _initialize(scenario, connection)
    except (UnmetError, UnplayableError) as error:
        if how == "restart":
            summary = f"the agent did not start again: {error}: see --restart-command"
            raise UnplayableError(summary) from error
        if isinstance(error, UnplayableError):
            raise
        if echo := sends_back(connection):
            raise UnplayableError(echo) from error
        report = connection.stream.exit_report()
        if report.server and is_direct and connection.stream.closed and report.errors:
            reason = f"{report.server}: {report.last_errors}"
            raise UnreachableServerError(reason) from error
        if report.server:
            raise UnplayableError(f"{error}: see that the URL is that of an agent") from error
        if not isinstance(error, NoAnswerError | DecisiveError):
            raise UnplayableError(str(error)) from error
        hint = other_program(connection, scenario.hidden(connection.stream.first_noise))
        raise UnplayableError(f"{error}: {hint}") from error


def _initialize(scenario: Scenario, connection: AgentConnection) -> None:
    result = scenario.result(connection, connection.initialize(), "initialize")
    scenario.agent = agent_name(result.get("info", result.get("agentInfo")))
    methods = result.get("authMethods")
    offered = methods if isinstance(methods, list) else []
    ids = [each.get("methodId", each.get("id")) for each in offered if isinstance(each, dict)]
    scenario.logins = [id_ for id_ in ids if isinstance(id_, str)]
    version, capabilities = result.get("protocolVersion"), result.get("capabilities")
    if version != 2 and (other := mcp_server(result)):
        raise UnplayableError(other)
    if version != 2:
        raise UnplayableError(f"the agent does not speak version 2: {_version(version)}")
    if capabilities is None and (old := [each for each in OLD if each in result]):
        listed = " and ".join(old)
        raise UnplayableError(
            f"the agent answers initialize with version 2 in the shape of version 1, with {listed}:"
            " version 2 has capabilities and info"
        )
    if not isinstance(capabilities, dict) or capabilities.get("session") is None:
        raise UnplayableError("the agent offers no sessions: announce capabilities.session")


def _version(version: object) -> str:
    if version == 1:
        return "it answers initialize with version 1, which has no idempotency keys to judge"
    if version is None:
        return "answer initialize with it"
    shown = json.dumps(version)[:MOST]
    return f"it answers initialize with protocolVersion {shown}, not 2"


def _kill(scenario: Scenario, step: Step) -> None:
    try:
        scenario.launcher.kill(scenario.on(step).stream)
    except NoKillError as error:
        raise UnplayableError(str(error)) from error


def _end(scenario: Scenario, step: Step) -> None:
    scenario.on(step).stream.end()


def _new(scenario: Scenario, step: Step) -> None:
    connection = scenario.on(step)
    log_in(scenario, step.word("connection"))
    request = connection.request("session/new", scenario.roots())
    try:
        line = scenario.answer(connection, request, "session/new")
        hint = f": {_login_hint(scenario)}" if code_of(line) == LOGIN_NEEDED else ""
        if "error" in line:
            summary = f"session/new was answered with {scenario.words(line)}{hint}"
            raise UnplayableError(summary) from ErrorAnswerError(summary, line)
        _enter(scenario, step, result_of(line, "session/new"))
    except UnmetError as error:
        raise UnplayableError(str(error)) from error


def _login_hint(scenario: Scenario) -> str:
    if scenario.asked.login is not None:
        return f"the login with {scenario.asked.login} had succeeded"
    if scenario.logins:
        return f"give --login METHOD with one of {', '.join(scenario.logins)}, or log in before"
    return "let the agent open sessions without a login"


def _enter(scenario: Scenario, step: Step, result: Mapping[str, Any]) -> None:
    session = result.get("sessionId")
    if not isinstance(session, str):
        raise UnmetError("the result has no sessionId")
    scenario.sessions[step.word("session")] = session
    options = result.get("configOptions")
    scenario.options[step.word("session")] = options if isinstance(options, list) else []


def _resume(scenario: Scenario, step: Step) -> None:
    replay(scenario, scenario.on(step), scenario.session(step))


def _fork(scenario: Scenario, step: Step) -> None:
    connection = scenario.on(step)
    log_in(scenario, step.word("connection"))
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
        scenario.result_in(scenario.reply(scenario.requests[name], name), name)
        if again:
            continue
        reported = connection.working(session) is not None
        connection.wait(
            lambda: scenario.idle(connection, session), scenario.timeouts.quiet * reported
        )
        if connection.working(session):
            connection.notify("session/cancel", {"sessionId": session})
            rest(scenario, connection, session)


def _call(scenario: Scenario, step: Step) -> None:
    connection, method = scenario.on(step), step.word("method")
    params: dict[str, object] = {}
    if method == "initialize":
        if not connection.stream.can_initialize_again:
            raise UnplayableError("over HTTP initialize opens another connection")
        params = {"protocolVersion": 2, "info": INFO}
    elif method != "session/list":
        params = {"sessionId": scenario.session(step)}
    if method == RESUME:
        params |= scenario.roots()
    own = step.words.get("params")
    if isinstance(own, dict):
        params |= own
    if "option" in step.words:
        params |= _first_option(scenario, step)
    _send(scenario, step, method, params)
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
    if "again" in step.words:
        first = scenario.sent(step, "again")
        params, prompt = first.params, first.prompt
    else:
        prompt = scenario.prompt(step.word("text"))
        blocks = step.words.get("blocks")
        content = [
            {"type": "text", "text": prompt.text},
            *(blocks if isinstance(blocks, list) else ()),
        ]
        params = {"sessionId": scenario.session(step), "prompt": content}
        if "meta" in step.words:
            params["_meta"] = step.words["meta"]
        if "key" in step.words:
            params["idempotencyKey"] = scenario.key(step.word("key"))
        elif "literal" in step.words:
            params["idempotencyKey"] = step.words["literal"]
    _send(scenario, step, PROMPT, params, prompt)


def _send(
    scenario: Scenario,
    step: Step,
    method: str,
    params: dict[str, object],
    prompt: TestPrompt | None = None,
) -> None:
    connection = scenario.on(step)
    place = len(connection.stream.lines)
    now = monotonic()
    since = scenario.sent(step, "again").since if "again" in step.words else now
    id_ = connection.request(method, params)
    scenario.requests[step.word("request")] = SentRequest(
        connection, id_, method, params, place, since, now, prompt
    )


def _cancel_request(scenario: Scenario, step: Step) -> None:
    scenario.on(step).notify("$/cancel_request", {"requestId": scenario.sent(step).id})
    scenario.withdrawn = monotonic()


def _cancel(scenario: Scenario, step: Step) -> None:
    scenario.on(step).notify("session/cancel", {"sessionId": scenario.session(step)})
    scenario.withdrawn = monotonic()


def _wait(scenario: Scenario, step: Step) -> None:
    silences, milliseconds = step.number("silences") or 0, step.number("milliseconds") or 0
    scenario.pause(silences * scenario.timeouts.quiet + milliseconds / 1000)


EVENTS: Final[Mapping[str, Callable[[Scenario, Step], None]]] = {
    "connect": _connect,
    "disturb": disturb,
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
    "wait": _wait,
}
"""What each of these verbs does."""
