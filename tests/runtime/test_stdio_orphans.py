"""Agents that end while a child of theirs goes on, with the agent's pipes in its hands."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from acp_retry import Call, Outbox, Peer, Unknown, spawn
from agents import PATIENCE, TEXT, is_gone, settle, sync

PARENT = """
import json, os, subprocess, sys

def say(**message):
    os.write(1, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")

child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
say(method="child", params={"pid": child.pid})
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "session/prompt":
        os._exit(1)
    for number in range(message["params"]["notes"]):
        say(method="note", params={"number": number, "text": "x" * 100})
    say(id=message["id"], result={"answer": True})
    os._exit(0)
"""

SLEEPS = "import time; time.sleep(60)"
TALKS = """
import os
os.set_blocking(1, True)
try:
    while True:
        os.write(1, b'{"jsonrpc":"2.0","method":"talk"}\\n' * 100)
except BrokenPipeError:
    pass
"""
LEAVES = """
import asyncio, sys
from acp_retry import AnswerLostError, spawn

async def born(call):
    print(call.params["pid"])

async def main():
    command = sys.executable, "-c", *sys.argv[1:]
    async with spawn(*command, handlers={"child": born}) as agent:
        try:
            await agent.request("session/prompt", {"text": "x" * 2**20})
        except AnswerLostError:
            print("lost")

asyncio.run(main())
"""


class Parent:
    """The output of an agent with a child, which is killed in the end."""

    def __init__(self) -> None:
        self.child: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.notes: list[object] = []

    @asynccontextmanager
    async def run(self, child: str) -> AsyncIterator[Peer]:
        handlers = {"child": self.born, "note": self.note, "talk": self.hear}
        try:
            async with spawn(sys.executable, "-c", PARENT, child, handlers=handlers) as agent:
                yield agent
        finally:
            with suppress(ProcessLookupError):
                os.kill(await self.child, signal.SIGKILL)

    async def born(self, call: Call) -> None:
        self.child.set_result(int(str(call.params["pid"])))

    async def note(self, call: Call) -> None:
        self.notes.append(call.params["number"])

    async def hear(self, call: Call) -> None:
        """Skip the output of the child."""


CHILDREN = pytest.mark.parametrize("child", [SLEEPS, TALKS], ids=["sleeps", "talks"])


@CHILDREN
@sync
async def test_an_agent_that_ends_has_lost_its_answer(child: str) -> None:
    async with Parent().run(child) as agent:
        outbox = Outbox()
        await outbox.resumed("s", agent, 2)
        prompt = await outbox.submit("s", TEXT)
        assert isinstance(await prompt.result(), Unknown)
        assert agent.closed


@CHILDREN
@pytest.mark.parametrize("notes", [0, 1, 400])
@sync
async def test_what_it_had_written_is_read(notes: int, child: str) -> None:
    parent = Parent()
    async with parent.run(child) as agent:
        assert await agent.request("any", {"notes": notes}) == {"answer": True}
        await settle()
        assert parent.notes == list(range(notes))
        with pytest.raises(ConnectionError):
            await agent.request("session/prompt", {})


@sync
async def test_what_it_had_written_is_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Parent):
        gate = asyncio.Event()

        async def note(self, call: Call) -> None:
            await self.gate.wait()
            await super().note(call)

    monkeypatch.setattr("acp_retry.agent_process.GRACE", PATIENCE)
    parent = Slow()
    async with parent.run(SLEEPS) as agent:
        await agent.request("any", {"notes": 3})
        with pytest.raises(ConnectionError):
            await agent.request("session/prompt", {})
        parent.gate.set()
        await settle()
        assert parent.notes == [0, 1, 2]


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    """Neither a warning, nor a line for an agent that is gone."""
    (tmp_path / "leaves.py").write_text(LEAVES, "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "leaves.py",
            PARENT,
            f"import os; os.close(2); {SLEEPS}",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    child, lost = done.stdout.splitlines()
    with suppress(ProcessLookupError):
        os.kill(int(child), signal.SIGKILL)
    assert (lost, done.stderr) == ("lost", "")


WRAPPER = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print('{"jsonrpc":"2.0","method":"child","params":{"pid":%d}}' % child.pid, flush=True)
child.wait()
"""


@sync
async def test_the_agent_in_a_wrapper_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrapper such as npx starts the real agent, which may not read its input."""
    monkeypatch.setattr("acp_retry.agent_process.PATIENCE", 0.1)
    parent = Parent()
    handlers = {"child": parent.born}
    async with spawn(sys.executable, "-c", WRAPPER, SLEEPS, handlers=handlers):
        pid = await parent.child
    await is_gone(pid)


@sync
async def test_a_child_that_an_agent_leaves_behind_ends() -> None:
    parent = Parent()
    handlers = {"child": parent.born}
    leaves = WRAPPER.replace("child.wait()", "")
    async with spawn(sys.executable, "-c", leaves, SLEEPS, handlers=handlers):
        pid = await parent.child
    await is_gone(pid)
