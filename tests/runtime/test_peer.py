"""JSON-RPC over any channel, and over the pipes of a process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_retry import (
    AnswerLostError,
    Call,
    NeverSentError,
    Outbox,
    Peer,
    Refused,
    RequestFailedError,
    Unknown,
    spawn,
)
from acp_retry.peer import Handlers
from acp_v2.retry import METHODS, Kind
from agents import TEXT, ForeignError, is_gone, pipes, settle, sync

ECHO = """
import asyncio, os
from acp_retry import serve_stdio

async def echo(call):
    return {"params": dict(call.params)}

async def leave(call):
    os._exit(3)

async def refuse(call):
    raise ValueError("a secret")

asyncio.run(serve_stdio({"echo": echo, "leave": leave, "refuse": refuse}))
"""

STUBBORN = """
import json, os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(json.dumps({"method": "pid", "params": {"pid": os.getpid()}}), flush=True)
time.sleep(600)
"""


async def exchange(handlers: Handlers, *messages: Any) -> list[Any]:
    """What a peer answers to messages."""
    near, far = pipes()
    serving = asyncio.ensure_future(Peer(far, handlers).serve())
    for message in messages:
        near.outbox.put_nowait(json.dumps(message))
    await settle()
    await near.close()
    await serving
    return [json.loads(near.inbox.get_nowait()) for _ in range(near.inbox.qsize() - 1)]


def call(**members: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": "echo", **members}


async def echo(call: Call) -> object:
    return {"got": dict(call.params)}


@pytest.mark.parametrize("request_id", [0, 7, -1, "7", "", None])
@sync
async def test_answers_carry_the_id(request_id: object) -> None:
    (answer,) = await exchange({"echo": echo}, call(id=request_id, params={"a": 1}))
    assert answer == {"jsonrpc": "2.0", "id": request_id, "result": {"got": {"a": 1}}}


@pytest.mark.parametrize(
    ("message", "code", "request_id"),
    [
        (call(id=True), -32600, None),
        (call(id=1.5), -32600, None),
        (call(id=[]), -32600, None),
        (call(id=1, method="unknown"), -32601, 1),
        (call(id=1, method=5), -32601, 1),
        (call(id=1, params=[]), -32602, 1),
        ([call(id=1)], -32600, None),
    ],
)
@sync
async def test_errors(message: object, code: int, request_id: object) -> None:
    (answer,) = await exchange({"echo": echo}, message)
    assert (answer["error"]["code"], answer["id"]) == (code, request_id)


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError])
@sync
async def test_the_error_of_a_failed_handler_is_not_sent(error: type[BaseException]) -> None:
    async def fails(call: Call) -> None:
        raise error(call)

    (answer,) = await exchange({"echo": fails}, call(id=1))
    assert answer["error"] == {"code": -32603, "message": "Internal error"}


@sync
async def test_notifications_are_not_answered() -> None:
    seen: list[object] = []

    async def note(call: Call) -> None:
        seen.append(call.params)
        raise RequestFailedError.of(-32000, "x")

    assert await exchange({"echo": note}, call(params={"a": 1}), call(method="no")) == []
    assert seen == [{"a": 1}]


NAMES = sorted({each.name for each in METHODS})


@pytest.mark.parametrize("method", [*NAMES, "_acme/any", "any"])
@sync
async def test_a_method_is_served_as_what_it_is(method: str) -> None:
    served: list[object] = []

    async def handle(call: Call) -> object:
        served.append(call.id)
        return {}

    kinds = {each.kind for each in METHODS if each.name == method} or set(Kind)
    reported = await exchange({method: handle}, call(method=method), call(method=method, id=7))
    is_request, is_notification = Kind.REQUEST in kinds, Kind.NOTIFICATION in kinds
    assert served == [None] * is_notification + [7] * is_request
    (answer,) = reported
    assert answer["id"] == 7
    assert (answer.get("error") or {}).get("code") == (None if is_request else -32601)


@sync
async def test_messages_start_in_order() -> None:
    seen: list[object] = []

    async def note(call: Call) -> None:
        seen.append(call.params["n"])

    await exchange({"echo": note}, *(call(id=n, params={"n": n}) for n in range(20)))
    assert seen == list(range(20))


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"result": {"a": 1}}, {"a": 1}),
        ({"result": None}, {}),
        ({"error": {"code": -32000, "message": "x", "data": 1}}, Refused(-32000, "x", 1)),
        ({"error": {"code": -32000}}, Refused(-32000, "")),
        ({"result": {"a": 1}, "error": None}, {"a": 1}),
        ({"error": None}, {}),
    ],
)
@sync
async def test_answers(answer: dict[str, object], outcome: object) -> None:
    near, far = pipes()
    peer = Peer(near)
    serving = asyncio.ensure_future(peer.serve())
    asked = asyncio.ensure_future(peer.request("m", {"a": 1}))
    sent = await far.receive()
    assert sent == {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": 1}}
    strays: list[dict[str, object]] = [{"id": True}, {"id": 9}, {}]
    for stray in strays:
        await far.send({"result": {}, **stray})
    await far.send({"jsonrpc": "2.0", "id": 1, **answer})
    await far.send({"jsonrpc": "2.0", "id": 1, "result": {"late": True}})
    (settled,) = await asyncio.gather(asked, return_exceptions=True)
    assert (settled.refused if isinstance(settled, RequestFailedError) else settled) == outcome
    await far.close()
    await serving


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"error": "broken"}, "the answer has an error without a code"),
        ({"error": {"code": "x"}}, "the answer has an error without a code"),
        ({"error": {"code": True}}, "the answer has an error without a code"),
        (
            {"result": {"messageId": "m"}, "error": {"code": -32603, "message": "x"}},
            "the answer has both a result and an error",
        ),
    ],
)
@sync
async def test_a_malformed_answer_proves_nothing(answer: dict[str, object], why: str) -> None:
    near, far = pipes()
    peer, outbox = Peer(near), Outbox()
    serving = asyncio.ensure_future(peer.serve())
    await outbox.resumed("s", peer, 2)
    prompt = await outbox.submit("s", TEXT)
    await far.receive()
    await far.send({"jsonrpc": "2.0", "id": 1, **answer})
    assert await prompt.result() == Unknown(why)
    assert not prompt.done
    await far.close()
    await serving


@sync
async def test_a_lost_connection_loses_every_answer_and_every_handler() -> None:
    near, far = pipes()
    ended: list[str] = []
    lost: list[Peer] = []

    async def long(call: Call) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(call.method)

    peer = Peer(near, {"long": long}, lost.append)
    serving = asyncio.ensure_future(peer.serve())
    asked = asyncio.ensure_future(peer.request("m", {}))
    await far.send({"id": 1, "method": "long"})
    await settle()
    await far.close()
    await serving
    with pytest.raises(AnswerLostError):
        await asked
    assert (ended, lost, peer.closed) == (["long"], [peer], True)
    with pytest.raises(NeverSentError):
        await peer.request("m", {})
    with pytest.raises(NeverSentError):
        await peer.notify("m", {})
    await peer.close()
    assert lost == [peer]


@sync
async def test_a_request_that_breaks_off_may_have_arrived() -> None:
    near, _ = pipes()
    near.broken = BrokenPipeError
    sent: list[object] = []
    with pytest.raises(AnswerLostError):
        await Peer(near).request("m", {}, sent.append)
    assert sent == [1]


@sync
async def test_any_error_of_a_transport_is_a_lost_connection() -> None:
    near, _ = pipes()
    near.broken = ForeignError
    lost: list[Peer] = []
    peer = Peer(near, lost=lost.append)
    with pytest.raises(AnswerLostError):
        await peer.request("m", {})
    with pytest.raises(AnswerLostError):
        await peer.notify("m", {})
    await peer.serve()
    assert lost == [peer]


@sync
async def test_params_that_are_not_json_raise_at_the_caller() -> None:
    near, _ = pipes()
    with pytest.raises(TypeError):
        await Peer(near).request("m", {"a": object()})
    with pytest.raises(TypeError):
        await Peer(near).notify("m", {"a": object()})
    assert near.outbox.empty()


@sync
async def test_a_transport_that_cannot_read_an_answer_has_lost_it() -> None:
    near, _ = pipes()
    near.broken = ValueError
    with pytest.raises(AnswerLostError):
        await Peer(near).request("m", {"a": 1})
    with pytest.raises(AnswerLostError):
        await Peer(near).notify("m", {"a": 1})


@sync
async def test_an_answer_that_is_not_json_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def odd(call: Call) -> object:
        return {"params": call}

    (answer,) = await exchange({"echo": odd}, call(id=1))
    assert (answer["id"], answer["error"]["code"]) == (1, -32603)
    assert "could not be written" in caplog.text


@sync
async def test_a_process() -> None:
    async with spawn(sys.executable, "-c", ECHO) as peer:
        text = "\u2028\U0001f511\n" * 50_000
        assert await peer.request("echo", {"a": text}) == {"params": {"a": text}}
        with pytest.raises(RequestFailedError) as refused:
            await peer.request("refuse", {})
        assert refused.value.refused == Refused(-32603, "Internal error")
        with pytest.raises(AnswerLostError):
            await peer.request("leave", {})
        assert peer.closed


@sync
async def test_a_process_ends_with_its_block(tmp_path: Path) -> None:
    program = "import sys, time; sys.stdin.read(); open(sys.argv[1], 'w').close()"
    left = tmp_path / "left"
    async with spawn(sys.executable, "-c", program, str(left)):
        pass
    assert left.exists()
    pid: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def note(call: Call) -> None:
        pid.set_result(int(str(call.params["pid"])))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acp_retry.agent_process.PATIENCE", 0.1)
        async with spawn(sys.executable, "-c", STUBBORN, handlers={"pid": note}) as peer:
            await pid
            asked = asyncio.ensure_future(peer.request("echo", {}))
            await settle()
    with pytest.raises(AnswerLostError):
        await asked
    await is_gone(await pid)


def test_a_program_that_is_missing() -> None:
    async def run() -> None:
        async with spawn("/no/such/agent"):
            raise AssertionError

    with pytest.raises(FileNotFoundError):
        asyncio.run(run())


def test_lines_that_are_not_messages() -> None:
    lines = [
        b"",
        b"not json",
        b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"n":NaN}}',
        b"\xff\xfe",
        b"[1]",
        b'"text"',
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":2,"method":"echo"}',
        b'{"jsonrpc":"2.0","id":3,"meth',
    ]
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", ECHO]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(b"\n".join(lines))
        agent.stdin.flush()
        answers = [json.loads(agent.stdout.readline()) for _ in range(7)]
        rest, complaints = agent.communicate()
    codes = [answer.get("error", {}).get("code") for answer in answers]
    assert codes == [-32700, -32700, -32700, -32600, -32600, -32700, None]
    assert answers[-1]["result"] == {"params": {}}
    assert (rest, complaints) == (b"", b"")
