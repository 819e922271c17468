"""The end of what a peer reads: requests that came before it are still answered."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from acp_retry import Call, NeverSentError, Peer
from acp_retry.peer import Handlers
from agents import PATIENCE, pipes, settle, sync
from waiting import HANGS

SLOW = """
import asyncio, sys
from acp_retry import serve_stdio

async def slow(call):
    await asyncio.sleep(0.1)
    return {}

async def never(call):
    await asyncio.Event().wait()

def lost(peer):
    print("lost", file=sys.stderr)

asyncio.run(serve_stdio({"slow": slow, "never": never}, lost, grace=float(sys.argv[1])))
"""

HASTY = """
import asyncio, sys
from acp_retry import serve_stdio

async def start(call):
    long = {"text": "x" * 2**20}
    for method in ("first", "second"):
        sending = asyncio.ensure_future(call.peer.notify(method, long))
        if method == "first":
            await asyncio.sleep(0.1)
            sending.cancel()
    await asyncio.sleep(0.1)
    print("given up", file=sys.stderr, flush=True)
    await sending

asyncio.run(serve_stdio({"start": start}, grace=300))
"""


class Ended:
    """A peer that reads some requests and the end of its input in one go."""

    def __init__(self, grace: float, *methods: str) -> None:
        self.near, self.far = pipes()
        self.lost: list[Peer] = []
        self.gate = asyncio.Event()
        self.tried: list[type[Exception]] = []
        handlers: Handlers = {"wait": self.wait, "tell": self.tell, "ask": self.ask}
        self.peer = Peer(self.far, handlers, self.lost.append, grace=grace)
        for number, method in enumerate(methods):
            self.near.outbox.put_nowait(json.dumps({"id": number, "method": method}))
        self.near.outbox.put_nowait("")
        self.serving = asyncio.ensure_future(self.peer.serve())

    async def wait(self, call: Call) -> object:
        del call
        await self.gate.wait()
        return {}

    async def tell(self, call: Call) -> object:
        await self.gate.wait()
        await call.peer.notify("session/update", {})
        return {}

    async def ask(self, call: Call) -> object:
        try:
            return await call.peer.request("fs/read_text_file", {})
        except ConnectionError as error:
            self.tried.append(type(error))
            raise

    @property
    def answers(self) -> list[Any]:
        """The ids of the answers, and the methods of the notifications."""
        return [message.get("id", message.get("method")) for message in self.far.sent]


@sync
async def test_what_was_read_is_answered() -> None:
    ended = Ended(PATIENCE, "wait", "wait", "unknown")
    await settle()
    assert (ended.answers, ended.lost, ended.peer.closed) == ([2], [], True)
    ended.gate.set()
    await ended.serving
    assert (ended.answers, ended.lost) == ([2, 0, 1], [ended.peer])


@sync
async def test_updates_may_precede_the_answer() -> None:
    ended = Ended(PATIENCE, "tell")
    await settle()
    ended.gate.set()
    await ended.serving
    assert ended.answers == ["session/update", 0]
    with pytest.raises(NeverSentError):
        await ended.peer.notify("session/update", {})


@sync
async def test_no_request_can_be_answered_any_more() -> None:
    ended = Ended(PATIENCE, "ask")
    await ended.serving
    assert ended.tried == [NeverSentError]
    assert ended.far.sent[-1]["error"]["code"] == -32603


@pytest.mark.parametrize("grace", [0.0, 0.01])
@sync
async def test_a_handler_that_takes_longer_is_cancelled(grace: float) -> None:
    ended = Ended(grace, "wait")
    await ended.serving
    ended.gate.set()
    await settle()
    assert (ended.answers, ended.lost) == ([], [ended.peer])


@sync
async def test_closing_ends_the_grace() -> None:
    ended = Ended(PATIENCE, "wait")
    await settle()
    await ended.peer.close()
    await ended.serving
    assert (ended.answers, ended.lost) == ([], [ended.peer])


@pytest.mark.parametrize(
    ("method", "grace", "reported"), [("slow", "300", [0, 1]), ("never", "0.01", [])]
)
def test_a_process_answers_before_it_ends(method: str, grace: str, reported: list[int]) -> None:
    requests = "".join(json.dumps({"id": n, "method": method}) + "\n" for n in range(2))
    done = subprocess.run(
        [sys.executable, "-c", SLOW, grace],
        input=requests,
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == reported
    assert done.stderr == "lost\n"


def test_a_message_that_is_given_up_half_way_is_not_cut_by_the_next() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", HASTY], stdin=pipe, stdout=pipe, stderr=pipe
    ) as agent:
        assert agent.stderr is not None
        assert agent.stdin is not None
        agent.stdin.write(b'{"method":"start"}\n')
        agent.stdin.flush()
        assert agent.stderr.readline() == b"given up\n"
        reported, _ = agent.communicate()
    methods = [json.loads(line)["method"] for line in reported.splitlines()]
    assert methods[-1] == "second"
