"""Pipes with a side that does not read: neither an agent nor its client waits for it for ever."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import IO

import pytest

from acp_retry import AnswerLostError, Call, Peer, spawn
from agents import PATIENCE, is_gone, settle, sync

DEAF = """
import json, os, time
print(json.dumps({"method": "pid", "params": {"pid": os.getpid()}}), flush=True)
time.sleep(600)
"""

TALKER = """
import asyncio, sys
from acp_retry import serve_stdio

async def talk(call):
    await call.peer.notify("talk", {"text": "x" * 2**20})

async def leave(call):
    talking.append(asyncio.ensure_future(talk(call)))
    await asyncio.sleep(0)

def lost(peer):
    print("lost", file=sys.stderr, flush=True)

async def main():
    await serve_stdio({"talk": talk, "leave": leave}, lost, grace=float(sys.argv[1]))
    print(*(each.done() for each in talking), file=sys.stderr)

talking = []
asyncio.run(main())
"""


class Deaf:
    """An agent that reads nothing, and a client that never leaves by itself."""

    def __init__(self) -> None:
        self.pid: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.peers: list[Peer] = []
        self.using = asyncio.ensure_future(self.use())

    async def use(self) -> None:
        async with spawn(sys.executable, "-c", DEAF, handlers={"pid": self.note}) as peer:
            self.peers.append(peer)
            await asyncio.Event().wait()

    async def note(self, call: Call) -> None:
        self.pid.set_result(int(str(call.params["pid"])))

    async def is_gone(self) -> None:
        await is_gone(await self.pid)


@pytest.mark.parametrize("size", [0, 2**20])
@sync
async def test_an_agent_that_reads_nothing_is_left(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_retry.agent_process.PATIENCE", 0.01)
    deaf = Deaf()
    await deaf.pid
    asked = asyncio.ensure_future(deaf.peers[0].request("any", {"text": "x" * size}))
    await settle()
    deaf.using.cancel()
    await asyncio.wait([deaf.using])
    assert deaf.using.cancelled()
    with pytest.raises(AnswerLostError):
        await asked
    await deaf.is_gone()


@sync
async def test_closing_does_not_wait_for_an_agent_that_reads_nothing() -> None:
    deaf = Deaf()
    await deaf.pid
    (peer,) = deaf.peers
    asked = asyncio.ensure_future(peer.request("any", {"text": "x" * 2**20}))
    await settle()
    await asyncio.wait_for(peer.close(), PATIENCE / 2)
    for _ in range(2):
        deaf.using.cancel()
        await settle()
    await asyncio.wait([deaf.using])
    assert deaf.using.cancelled()
    with pytest.raises(AnswerLostError):
        await asked
    await deaf.is_gone()


@sync
async def test_an_agent_is_killed_when_leaving_is_cancelled() -> None:
    deaf = Deaf()
    await deaf.pid
    for _ in range(2):
        deaf.using.cancel()
        await settle()
    await asyncio.wait([deaf.using])
    assert deaf.using.cancelled()
    await deaf.is_gone()


@contextlib.contextmanager
def unread(grace: float, lines: bytes) -> Iterator[subprocess.Popen[bytes]]:
    """An agent that gets these lines and no more, from a client that reads when it wants."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", TALKER, str(grace)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as agent:
        stdin = opened(agent.stdin)
        stdin.write(lines)
        stdin.close()
        try:
            yield agent
        finally:
            agent.kill()


def opened(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


@pytest.mark.parametrize("rest", [b"", b"no message\n" * 1000], ids=["messages", "and others"])
def test_an_agent_ends_though_its_client_does_not_read(rest: bytes) -> None:
    with unread(0.01, b'{"method":"talk"}\n' + rest) as agent:
        assert agent.wait(PATIENCE) == 0


def test_a_line_on_its_way_is_not_cut_by_the_end() -> None:
    with unread(PATIENCE, b'{"method":"leave"}\n') as agent:
        assert opened(agent.stderr).readline() == b"lost\n"
        reported = opened(agent.stdout).read()
        assert opened(agent.stderr).read() == b"True\n"
    assert json.loads(reported)["method"] == "talk"
