"""A peer as one end of a proxy: messages that are not its own pass, in order and unchanged."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import pytest

from acp_retry import Call, Peer, RequestFailedError, spawn
from acp_retry.link import LineChannel, ReceivedMessage
from acp_retry.outcome import INTERNAL_ERROR, AnswerLostError, NeverSentError
from acp_retry.stdio import StreamChannel
from agents import pipes, settle, sync


def request(method: str, request_id: object = 7, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


class Middle:
    """A proxy between two ends in memory. It serves `mine` itself."""

    def __init__(self) -> None:
        self.client, near = pipes()
        far, self.agent = pipes()
        self.seen: list[str] = []
        self.up = Peer(near, {"mine": self.mine}, fallback=self.to_agent)
        self.down = Peer(far, fallback=self.to_client, id_prefix="proxy ")
        self.tasks = [asyncio.create_task(each.serve()) for each in (self.up, self.down)]

    async def mine(self, call: Call) -> object:
        self.seen.append("mine")
        return {"by": call.method}

    async def to_agent(self, peer: Peer, message: dict[str, Any]) -> None:
        assert peer is self.up
        self.seen.append(str(message.get("method")))
        if message.get("method") == "refused":
            raise RequestFailedError.of(-32042, "not through here")
        if message.get("method") == "broken":
            raise ValueError("a bug")
        await self.down.forward(message)

    async def to_client(self, peer: Peer, message: dict[str, Any]) -> None:
        assert peer is self.down
        await self.up.forward(message)


@sync
async def test_requests_of_others_pass_with_their_ids_and_so_do_their_answers() -> None:
    middle = Middle()
    await middle.client.send(request("other", "a string"))
    assert await middle.agent.receive() == request("other", "a string")
    answer = {"jsonrpc": "2.0", "id": "a string", "result": {"x": 1}}
    await middle.agent.send(answer)
    assert await middle.client.receive() == answer


@sync
async def test_own_requests_have_ids_of_their_own() -> None:
    middle = Middle()
    asking = asyncio.create_task(middle.down.request("own", {}))
    sent = await middle.agent.receive()
    assert sent is not None
    assert sent["id"] == "proxy 1"
    await middle.agent.send({"jsonrpc": "2.0", "id": 1, "result": {"for": "the client"}})
    await middle.agent.send({"jsonrpc": "2.0", "id": "proxy 1", "result": {"for": "the proxy"}})
    assert await asking == {"for": "the proxy"}
    assert await middle.client.receive() == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"for": "the client"},
    }


@sync
async def test_a_handler_starts_before_a_later_message_passes() -> None:
    middle = Middle()
    await middle.client.send(request("mine"))
    await middle.client.send(request("later", 8))
    await settle()
    assert middle.seen == ["mine", "later"]


@pytest.mark.parametrize(("method", "code"), [("refused", -32042), ("broken", INTERNAL_ERROR)])
def test_an_error_of_the_fallback_answers_the_request(method: str, code: int) -> None:
    @sync
    async def ask() -> None:
        middle = Middle()
        await middle.client.send(request(method))
        answer = await middle.client.receive()
        assert answer is not None
        assert (answer["id"], answer["error"]["code"]) == (7, code)

    ask()


@sync
async def test_a_notification_that_the_fallback_refuses_is_not_answered() -> None:
    middle = Middle()
    await middle.client.send({"jsonrpc": "2.0", "method": "refused"})
    await middle.client.send(request("mine"))
    answer = await middle.client.receive()
    assert answer is not None
    assert answer["result"] == {"by": "mine"}


@sync
async def test_nothing_passes_over_a_connection_that_ended() -> None:
    middle = Middle()
    await middle.down.close()
    with pytest.raises(NeverSentError, match="the connection is closed"):
        await middle.down.forward(request("other"))


@sync
async def test_a_channel_that_fails_has_lost_the_message() -> None:
    middle = Middle()
    middle.down.channel.broken = OSError  # type: ignore[attr-defined]
    with pytest.raises(AnswerLostError, match="passing a message on failed"):
        await middle.down.forward(request("other"))


@sync
async def test_a_line_passes_byte_for_byte() -> None:
    written: list[bytes] = []

    async def write(line: bytes) -> None:
        written.append(line)

    async def close() -> None:
        return

    line = b'{"jsonrpc":"2.0", "method":"x","params":{"a":1.0,"b":"\\u00e9","c":1e3}}\r\n'
    reader = asyncio.StreamReader()
    reader.feed_data(line)
    channel = StreamChannel(reader, write, close, keeps_lines=True)
    assert isinstance(channel, LineChannel)
    message = await channel.receive()
    assert isinstance(message, ReceivedMessage)
    assert message == json.loads(line)
    await Peer(channel).forward(message)
    assert written == [line.replace(b"\r", b"")]


TELLS = """
import asyncio
from acp_retry import serve_stdio

async def back(peer, message):
    await peer.forward(message)

def began(peer):
    tasks.append(asyncio.get_running_loop().create_task(peer.notify("began", {})))

tasks = []
asyncio.run(serve_stdio({}, fallback=back, began=began))
"""


@sync
async def test_a_program_on_standard_input_and_output_has_its_connection_at_once() -> None:
    lines: list[bytes] = []
    got = asyncio.Semaphore(0)

    async def note(peer: Peer, message: dict[str, Any]) -> None:
        del peer
        assert isinstance(message, ReceivedMessage)
        lines.append(message.line)
        got.release()

    command = (sys.executable, "-c", TELLS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    async with spawn(*command, fallback=note, env=environment) as peer:
        await got.acquire()
        assert json.loads(lines[0])["method"] == "began"
        await peer.channel.send_line(b'{"jsonrpc":"2.0",  "method":"\\u0078"}')  # type: ignore[attr-defined]
        await got.acquire()
        assert not peer.closed
    await peer.wait_ended()
    assert lines[1:] == [b'{"jsonrpc":"2.0",  "method":"\\u0078"}\n']


@sync
async def test_a_program_that_was_started_shows_its_channel_and_its_lines() -> None:
    lines: list[bytes] = []
    got = asyncio.Event()

    async def note(peer: Peer, message: dict[str, Any]) -> None:
        del peer
        assert isinstance(message, ReceivedMessage)
        lines.append(message.line)
        got.set()

    echo = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    async with spawn(sys.executable, "-c", echo, fallback=note) as peer:
        assert isinstance(peer.channel, LineChannel)
        await peer.channel.send_line(b'{"jsonrpc": "2.0",  "method": "x"}')
        await got.wait()
    assert lines == [b'{"jsonrpc": "2.0",  "method": "x"}\n']
