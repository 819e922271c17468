"""The verbs of traces about versions, shapes and replays, which have nothing to do with keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from acp_conformance.message_stream import JsonLine
from acp_conformance.scenario import (
    Scenario,
    SentRequest,
    UnmetError,
    UnplayableError,
)
from acp_conformance.session_waits import replay, still
from acp_conformance.trace_script import KINDS, Step

__all__ = ["SHAPE_CHECKS"]

OLDEST: Final = 2
"""The lowest version that is a right answer: it is what the agents of these traces speak."""

OBJECTS: Final[Mapping[str, Sequence[str]]] = {
    "": ("session", "auth"),
    "session": (
        "prompt",
        "mcp",
        "delete",
        "fork",
        "additionalDirectories",
    ),
}
"""The capabilities that are objects, or null, by the one that contains them."""


def _negotiated(scenario: Scenario, step: Step) -> None:
    sent = scenario.sent(step)
    result = scenario.result(sent.connection, sent.id, "initialize")
    version, below = result.get("protocolVersion"), step.number("below") or OLDEST + 1
    if isinstance(version, bool) or not isinstance(version, int):
        raise UnmetError("the protocolVersion in the answer is not an integer")
    if not OLDEST <= version < below:
        raise UnmetError(f"the answer has version {version}, not one from {OLDEST} to {below - 1}")


def _shaped(scenario: Scenario, step: Step) -> None:
    sent = scenario.sent(step)
    result = scenario.result(sent.connection, sent.id, "initialize")
    info = result.get("info")
    if not isinstance(info, dict):
        raise UnmetError("the answer has no info")
    for member in ("name", "version"):
        if not isinstance(info.get(member), str):
            raise UnmetError(f"info.{member} is not a string")
    capabilities = result.get("capabilities", {})
    if not isinstance(capabilities, dict):
        raise UnmetError("capabilities is not an object")
    for outer, members in OBJECTS.items():
        held = capabilities.get(outer) if outer else capabilities
        for member in members:
            _check_capability(held, f"{outer}.{member}".lstrip("."), member)


def _check_capability(held: object, path: str, member: str) -> None:
    value = held.get(member) if isinstance(held, dict) else None
    if value is not None and not isinstance(value, dict):
        kind = KINDS[type(value)]
        raise UnmetError(f"capabilities.{path} is {kind}, not an object or null")


def _notify(scenario: Scenario, step: Step) -> None:
    scenario.on(step).notify(step.word("method"), {})


def _ignored(scenario: Scenario, step: Step) -> None:
    """Expect that no answer came that belongs to no request."""
    connection = scenario.on(step)
    still(scenario, connection)
    for line in connection.stream.lines:
        if "method" not in line and "error" in line and line.get("id") is None:
            raise UnmetError(f"the notification was answered with {scenario.words(line)}")


def _synchronized(scenario: Scenario, step: Step) -> None:
    sent = scenario.sent(step)
    states = [each for each in _before(scenario, sent) if each.get("state") is not None]
    if not any(each.get("sessionUpdate") == "state_update" for each in states):
        raise UnmetError(f"no state_update came before the answer to {step.word('request')}")


def _replayed(scenario: Scenario, step: Step) -> None:
    """Expect which texts are shown, by their first messages, between a request and its answer."""
    sent, wanted = scenario.sent(step), step.texts("texts")
    shown: list[str] = []
    chunks: dict[str, str] = {}
    for update in _before(scenario, sent):
        for name in _names(scenario, update, chunks):
            if name not in shown:
                shown.append(name)
    if shown != wanted:
        raise UnmetError(f"{_listed(shown)} before its answer, not {_listed(wanted)}")


def _kept(scenario: Scenario, step: Step) -> None:
    """Expect that a replay shows the extra blocks of a prompt with all their members."""
    connection, session, sent = scenario.on(step), scenario.session(step), scenario.sent(step)
    blocks = _blocks(sent.params.get("prompt"))
    mark = blocks[0]["text"]
    try:
        place = replay(scenario, connection, session)
    except UnmetError as error:
        raise UnplayableError(f"content can't be compared, {error}") from error
    updates = [*connection.updates(session, place)]
    if not any(mark in text for text in connection.user_messages(session, place).values()):
        raise UnplayableError("the replay does not show the message: show user messages")
    shown = [block for update in updates for block in _blocks(update.get("content"))]
    for block in blocks[1:]:
        if not any(block.items() <= each.items() for each in shown):
            raise UnmetError(f"the block of type {block['type']!r} is not replayed as it was sent")


def _identified(scenario: Scenario, step: Step) -> None:
    """Expect that the message of a prompt was shown under the messageId of its answer only."""
    connection, session, sent = scenario.on(step), scenario.session(step), scenario.sent(step)
    mark = scenario.mark(sent)
    shown = connection.user_messages(session).items()
    ids = {id_ for id_, text in shown if mark is not None and mark in text}
    if not ids:
        raise UnplayableError("the message is not shown: send user_message updates")
    name = step.word("request")
    if ids != {scenario.result(connection, sent.id, name).get("messageId")}:
        raise UnmetError(f"the message of {name} has a messageId other than that of its answer")


def _before(scenario: Scenario, sent: SentRequest) -> list[dict[str, Any]]:
    """The updates of a request's session that came between it and its answer."""
    answer = scenario.answer(sent.connection, sent.id, sent.method)
    lines = sent.connection.stream.lines[sent.place :]
    session = sent.params.get("sessionId")
    before = lines[: next(n for n, line in enumerate(lines) if line is answer)]
    return [update for line in before if (update := _update(line, session)) is not None]


def _update(line: JsonLine, session: object) -> dict[str, Any] | None:
    params = line.get("params")
    if line.get("method") != "session/update" or not isinstance(params, dict):
        return None
    update = params.get("update")
    return update if params.get("sessionId") == session and isinstance(update, dict) else None


def _names(scenario: Scenario, update: Mapping[str, Any], chunks: dict[str, str]) -> list[str]:
    """The names of the texts that the user message of an update holds.

    Args:
        scenario: the state of the trace.
        update: one update of the session.
        chunks: the text of the chunks so far, by `messageId`, to which that of a chunk is added.
    """
    kind, content = update.get("sessionUpdate"), update.get("content")
    text = str(content)
    if kind == "user_message_chunk":
        id_ = str(update.get("messageId"))
        own = content.get("text") if isinstance(content, dict) else None
        text = chunks[id_] = chunks.get(id_, "") + (own if isinstance(own, str) else text)
    elif kind != "user_message":
        return []
    return [name for name, mark in scenario.marks.items() if mark in text]


def _blocks(content: object) -> list[dict[str, Any]]:
    content = content if isinstance(content, list) else [content]
    return [block for block in content if isinstance(block, dict)]


def _listed(names: Sequence[str]) -> str:
    return f"the messages {', '.join(names)} are shown" if names else "no message is shown"


SHAPE_CHECKS: Final[Mapping[str, Callable[[Scenario, Step], None]]] = {
    "negotiated": _negotiated,
    "shaped": _shaped,
    "notify": _notify,
    "ignored": _ignored,
    "synchronized": _synchronized,
    "replayed": _replayed,
    "kept": _kept,
    "identified": _identified,
}
"""What each of these verbs does, or expects."""
