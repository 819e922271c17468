"""The work of judging grows with the recording and not with its square: lines of code counted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from acpgen.judge.message_text import MessageText
from acpgen.model import JsonValue
from acpgen.trace import Recording, judge, record
from proofs import a_few
from transcripts import protocol

KEY = "7c1f0a52-3b1d-4c6e-9a1f-2f6f1d8e0b01"
WORDS: JsonValue = [{"type": "text", "text": "Go on."}]
SMALL, LARGE = 40, 160
MOST = 5
"""How much more work four times the prompts may make: linear is 4, quadratic 16."""

Row = tuple[str, dict[str, JsonValue]]


def reported(number: int) -> Row:
    return "agent", {"id": number, "result": {"messageId": f"msg_{number}"}}


def failed(number: int) -> Row:
    return "agent", {"id": number, "error": {"code": -32603, "message": "No."}}


def prompt(number: int, key: str | None) -> Row:
    params: dict[str, JsonValue] = {"sessionId": "sess_1", "prompt": WORDS}
    return "client", {
        "id": number,
        "method": "session/prompt",
        "params": params if key is None else {**params, "idempotencyKey": key},
    }


def shown(number: int) -> Row:
    update: dict[str, JsonValue] = {
        "sessionUpdate": "user_message",
        "messageId": f"msg_{number}",
        "content": WORDS,
    }
    return "agent", {
        "method": "session/update",
        "params": {"sessionId": "sess_1", "update": update},
    }


def cancel(number: int) -> Row:
    return "client", {"method": "$/cancel_request", "params": {"requestId": number}}


def inserted_again(number: int) -> Iterator[Row]:
    """One key, of which each prompt inserts another message."""
    yield from (prompt(number, KEY), shown(number), reported(number))


def recognized(number: int) -> Iterator[Row]:
    """One key whose retries all get the message of the first."""
    yield prompt(number, KEY)
    yield "agent", {"id": number, "result": {"messageId": "msg_1"}}


def swallowed(number: int) -> Iterator[Row]:
    """The same words under keys of their own, which all get one message."""
    yield prompt(number, f"{KEY}{number}")
    yield shown(1)
    yield "agent", {"id": number, "result": {"messageId": "msg_1"}}


def refused(number: int) -> Iterator[Row]:
    """One key whose retries fail."""
    yield from (prompt(number, KEY), reported(number) if number == 1 else failed(number))


def failing(number: int) -> Iterator[Row]:
    """The same words under keys of their own, inserted and answered with an error."""
    yield from (prompt(number, f"{KEY}{number}"), shown(number), failed(number))


def failing_without_keys(number: int) -> Iterator[Row]:
    """The same words without a key, inserted and answered with an error."""
    yield from (prompt(number, None), shown(number), failed(number))


def retried_at_last(number: int) -> Iterator[Row]:
    """Errors for one key, while its messages are shown."""
    yield from (prompt(number, KEY), failed(number), shown(number))


def waiting(number: int) -> Iterator[Row]:
    """One key whose prompts are cancelled, shown and not answered."""
    yield from (prompt(number, KEY), cancel(number), shown(number))


def lost(number: int) -> Iterator[Row]:
    """The same words under keys of their own, shown and not answered."""
    yield from (prompt(number, f"{KEY}{number}"), shown(number))


def quoted(number: int) -> Iterator[Row]:
    """Keys of their own, each also in the text of its prompt, which the agent shows."""
    key = f"{KEY}{number}"
    blocks: JsonValue = [{"type": "text", "text": f"Look up {key}."}]
    params: dict[str, JsonValue] = {"sessionId": "sess_1", "idempotencyKey": key, "prompt": blocks}
    yield "client", {"id": number, "method": "session/prompt", "params": params}
    update: dict[str, JsonValue] = {
        "sessionUpdate": "agent_message_chunk",
        "messageId": f"answer_{number}",
        "content": {"type": "text", "text": f"This is answer {number}."},
    }
    session: dict[str, JsonValue] = {"sessionId": "sess_1", "update": update}
    yield "agent", {"method": "session/update", "params": session}


def initialized(number: int) -> Iterator[Row]:
    """Initializing again and again."""
    yield "client", {"id": number, "method": "initialize", "params": {"protocolVersion": 2}}
    yield failed(number)


def set_back(number: int) -> Iterator[Row]:
    """One option, set to two values in turn."""
    params: dict[str, JsonValue] = {"sessionId": "sess_1", "configId": "a", "value": number % 2}
    yield "client", {"id": number, "method": "session/set_config_option", "params": params}


def cancelled_elsewhere(number: int) -> Iterator[Row]:
    """One id, used, cancelled, and cancelled on other connections, in sessions of their own."""
    session: dict[str, JsonValue] = {"sessionId": f"sess_{number}"}
    yield "client", {"id": 1, "method": "initialize", "params": {"protocolVersion": 2}}
    yield "client", {"id": 2, "method": "session/resume", "params": {**session, "cwd": "/"}}
    if number % 2:
        prompt = {**session, "prompt": WORDS}
        yield "client", {"id": 3, "method": "session/prompt", "params": prompt}
    yield cancel(3)


Kind = Callable[[int], Iterator[Row]]

KINDS: list[Kind] = [
    inserted_again,
    recognized,
    swallowed,
    refused,
    failing,
    failing_without_keys,
    retried_at_last,
    waiting,
    lost,
    initialized,
    set_back,
    cancelled_elsewhere,
]


def recording(kind: Kind, size: int, *, reconnecting: bool) -> Recording:
    """A recording with so many of a kind, each on a connection of its own if `reconnecting`."""
    rows = [
        {
            "connection": number if reconnecting else 0,
            "from": who,
            "message": {"jsonrpc": "2.0", **message},
        }
        for number in range(1, size + 1)
        for who, message in kind(number)
    ]
    return record(
        (MessageText(json.dumps(r).encode(), n) for n, r in enumerate(rows, 1)), protocol()
    )


def work(act: Callable[[], object]) -> int:
    """How many lines of code are run, and frames entered, for an act."""
    count = 0

    def tick(_frame: FrameType, _event: str, _argument: object) -> object:
        nonlocal count
        count += 1
        return tick

    before = sys.gettrace()
    sys.settrace(tick)  # type: ignore[arg-type]
    try:
        act()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("reconnecting", a_few([False, True], [True], "counts the work once more"))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_work_grows_with_the_recording(kind: Kind, reconnecting: bool) -> None:
    recordings = [recording(kind, size, reconnecting=reconnecting) for size in (SMALL, LARGE)]
    small, large = (work(lambda each=each: judge(each, "a.ndjson")) for each in recordings)  # type: ignore[misc]
    assert large <= MOST * small


def test_the_work_of_recording_does_not_grow_with_the_keys_in_texts() -> None:
    small, large = (
        work(lambda size=size: recording(quoted, size, reconnecting=False))  # type: ignore[misc]
        for size in (SMALL, LARGE)
    )
    assert large <= MOST * small
