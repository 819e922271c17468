"""What a peer that isn't trusted can make the other side keep, and what can be sent on."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_retry import (
    AnswerLostError,
    Call,
    KeyLedger,
    MemoryStore,
    NotSent,
    Outbox,
    Peer,
    RequestFailedError,
    Sessions,
    Submission,
)
from acp_retry.prompt_params import LEVELS
from acp_retry.stdio import StreamChannel
from acp_wire.reader import MAX_DEPTH, read
from acp_wire.writer import UnwritableError, write
from agents import TEXT, insert, pipes, settle, sync


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def prompt_of(value: object) -> list[object]:
    return [{"type": "text", "text": "x", "_meta": {"v": value}}]


UNREADABLE: list[tuple[object, str]] = [
    (float("inf"), "infinite"),
    (float("nan"), "infinite"),
    ("\ud800", "surrogate"),
    ({"\ud800": 1}, "surrogate"),
    (10**5000, "digits"),
    (nested(LEVELS), "nests deeper than 124 levels"),
    (nested(2000), "nests deeper than 124 levels"),
]
IDS = ["infinity", "nan", "surrogate", "name", "digits", "one level too deep", "far too deep"]


@pytest.mark.parametrize(("value", "reason"), UNREADABLE, ids=IDS)
@sync
async def test_a_prompt_that_could_not_be_replayed_is_refused_by_both_sides(
    value: object, reason: str
) -> None:
    ledger = KeyLedger(MemoryStore(), insert)
    with pytest.raises(RequestFailedError) as caught:
        await ledger.prompt(1, 1, {"sessionId": "s", "prompt": prompt_of(value)})
    assert caught.value.refused.code == -32602
    assert reason in str(caught.value.refused.data)
    with pytest.raises((ValueError, RecursionError)):
        await Outbox().submit("s", prompt_of(value))
    assert await Outbox().pending() == []


@sync
async def test_what_is_received_at_the_limit_is_replayed() -> None:
    store = MemoryStore()
    near, far = pipes()

    async def work(submission: Submission) -> None:
        async with sessions.turn(submission):
            pass

    sessions = Sessions(KeyLedger(store, work), store, {"name": "a", "version": "1"})
    serving = asyncio.ensure_future(Peer(far, sessions.handlers(), sessions.lost).serve())
    shown: list[object] = []

    async def update(call: Call) -> None:
        shown.append(call.params["update"])

    client = Peer(near, {"session/update": update})
    asking = asyncio.ensure_future(client.serve())
    await client.request("initialize", {"protocolVersion": 2, "info": {}})
    session = (await client.request("session/new", {"cwd": "/"}))["sessionId"]
    deepest = prompt_of(nested(LEVELS - 3))
    await client.request("session/prompt", {"sessionId": session, "prompt": deepest})
    await client.request(
        "session/resume", {"sessionId": session, "cwd": "/", "replayFrom": {"type": "start"}}
    )
    await settle()
    assert [u["content"] for u in shown if u["sessionUpdate"] == "user_message"] == [deepest] * 2  # type: ignore[index]
    await client.close()
    await asyncio.gather(serving, asking)


@pytest.mark.parametrize("number", [b"1e999", b"-" + b"9" * 4301], ids=["1e999", "4,301 digits"])
@sync
async def test_a_number_that_could_not_be_sent_again_is_refused(number: bytes) -> None:
    line = b'{"jsonrpc":"2.0","id":1,"method":"_echo","params":{"v":' + number + b"}}\n"
    reader, _ = channel(line, longest=9000)
    with pytest.raises(RequestFailedError) as caught:
        await reader.receive()
    assert caught.value.refused.code == -32700


@pytest.mark.parametrize("value", [nested(MAX_DEPTH), {"a": [1.5, "é", None, 10**600]}])
def test_what_is_written_can_be_read(value: object) -> None:
    assert read(write(value)) == value


def test_a_circle_is_refused_at_once() -> None:
    circle: list[object] = []
    circle.extend([circle] * 1000)
    with pytest.raises(UnwritableError, match="nests deeper"):
        write(circle)


@sync
async def test_a_result_that_is_not_json_is_answered_with_an_error() -> None:
    async def serve(_: Call) -> object:
        return {"value": float("inf")}

    near, far = pipes()
    serving = asyncio.ensure_future(Peer(far, {"x": serve}).serve())
    near.outbox.put_nowait(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x"}))
    await settle()
    assert json.loads(near.inbox.get_nowait())["error"]["code"] == -32603
    await near.close()
    await serving


def channel(*lines: bytes, longest: int = 100) -> tuple[StreamChannel, list[bytes]]:
    """A channel that reads these lines, and what it writes."""
    reader = asyncio.StreamReader(longest)
    written: list[bytes] = []

    async def put(line: bytes) -> None:
        written.append(line)

    async def close() -> None:
        return

    reader.feed_data(b"".join(lines))
    reader.feed_eof()
    return StreamChannel(reader, put, close, longest=longest), written


SHORT = b'{"jsonrpc":"2.0","id":2,"method":"x"}\n'


@pytest.mark.parametrize("size", [190, 250, 1000, 100_000])
@sync
async def test_a_line_that_is_too_long_is_answered_and_the_next_one_is_read(size: int) -> None:
    async def serve(_: Call) -> object:
        return {}

    far, written = channel(b'{"id":1,"method":"' + b"x" * size + b'"}\n', SHORT, longest=200)
    await Peer(far, {"x": serve}, grace=1.0).serve()
    answers = sorted(map(json.loads, written), key=lambda answer: str(answer["id"]))
    codes = [(answer["id"], answer.get("error", {}).get("code")) for answer in answers]
    assert codes == [(2, None), (None, -32600)]


@pytest.mark.parametrize("head", [b'{"jsonrpc":"2.0","id":1,"result":', b'{ "id" : 1, "result" : '])
@sync
async def test_an_answer_that_is_too_long_is_lost_and_the_connection_stays(head: bytes) -> None:
    reader = asyncio.StreamReader(200)

    async def put(line: bytes) -> None:
        which = json.loads(line)["id"]
        reader.feed_data(head + b'"' + b"x" * 300 + b'"}\n' if which == 1 else ANSWER)

    async def close() -> None:
        reader.feed_eof()

    peer = Peer(StreamChannel(reader, put, close))
    serving = asyncio.ensure_future(peer.serve())
    with pytest.raises(AnswerLostError, match="was not read"):
        await peer.request("session/list", {})
    assert await peer.request("session/list", {}) == {"sessions": []}
    await peer.close()
    await serving


ANSWER = b'{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}\n'


@sync
async def test_a_message_that_is_too_long_is_not_sent() -> None:
    far, written = channel()
    peer = Peer(far)
    with pytest.raises(ValueError, match="more than 100 bytes"):
        await peer.request("x", {"a": "x" * 100})
    assert written == []


@sync
async def test_a_prompt_that_is_too_long_is_refused_when_it_is_submitted() -> None:
    outbox = Outbox(longest=1000)
    refused = await outbox.submit("s", [{"type": "text", "text": "x" * 1000}])
    assert refused.done
    assert isinstance(refused.outcome, NotSent)
    assert "more than 1000 bytes" in refused.outcome.reason
    await outbox.submit("s", TEXT)
    assert len(await outbox.pending()) == 1


@sync
async def test_requests_beyond_the_limit_are_refused_and_none_is_lost() -> None:
    let_go = asyncio.Event()
    running: list[int] = []

    async def hold(_: Call) -> object:
        running.append(1)
        await let_go.wait()
        return {}

    async def release(_: Call) -> None:
        let_go.set()

    near, far = pipes()
    serving = asyncio.ensure_future(Peer(far, {"hold": hold, "release": release}, most=5).serve())
    for number in range(20):
        near.outbox.put_nowait(json.dumps({"jsonrpc": "2.0", "id": number, "method": "hold"}))
    near.outbox.put_nowait(json.dumps({"jsonrpc": "2.0", "method": "release"}))
    await settle(500)
    answers = [json.loads(near.inbox.get_nowait()) for _ in range(near.inbox.qsize())]
    assert len(running) == 5
    assert sorted(a["id"] for a in answers) == list(range(20))
    assert sum("error" in a for a in answers) == 15
    assert {a["error"]["code"] for a in answers if "error" in a} == {-32603}
    await near.close()
    await serving


@sync
async def test_notifications_beyond_the_limit_wait_in_their_order() -> None:
    let_go = asyncio.Event()
    seen: list[int] = []

    async def hear(call: Call) -> None:
        seen.append(call.params["n"])  # type: ignore[arg-type]
        await let_go.wait()

    near, far = pipes()
    serving = asyncio.ensure_future(Peer(far, {"hear": hear}, most=3).serve())
    for n in range(10):
        near.outbox.put_nowait(json.dumps({"method": "hear", "params": {"n": n}}))
    await settle()
    assert seen == [0, 1, 2]
    let_go.set()
    await settle(200)
    assert seen == list(range(10))
    await near.close()
    await serving


SERVER = """
import asyncio
from acp_retry import serve_stdio

async def hold(call):
    await asyncio.sleep(600)

asyncio.run(serve_stdio({"hold": hold}))
"""
MEMORY = 400 * 2**20


def peak_memory(pid: int) -> int:
    """Return the peak resident memory of a running process since its exec, in bytes.

    `ru_maxrss` would include the memory of the process that forked it.
    """
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    (kib,) = re.findall(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
    return int(kib) * 1024


@pytest.mark.parametrize(
    "make",
    [
        lambda n: b'{"jsonrpc":"2.0","id":%d,"method":"hold"}\n' % n,
        lambda n: b'{"jsonrpc":"2.0","id":%d,"method":"none"}\n' % n,
        lambda _: b"no message\n",
        lambda _: b"x" * 40,
    ],
    ids=["held", "unknown", "no messages", "one line"],
)
def test_a_client_that_only_writes_does_not_fill_the_memory(make: Callable[[int], bytes]) -> None:
    """The agent stops to read where it can't write; nothing is kept for the client."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))\n"
    with subprocess.Popen(
        [sys.executable, "-c", limit + SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as agent:
        assert agent.stdin is not None
        stdin = agent.stdin.fileno()
        os.set_blocking(stdin, False)
        data = b"".join(map(make, range(200_000)))
        left, quiet = memoryview(data), 0
        while left and quiet < 20:
            try:
                left = left[os.write(stdin, left) :]
                quiet = 0
            except BlockingIOError:
                time.sleep(0.05)
                quiet += 1
        assert agent.poll() is None
        peak = peak_memory(agent.pid)
        agent.kill()
    assert peak < MEMORY
