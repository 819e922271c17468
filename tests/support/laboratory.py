"""Agents in this process: each a thread with a loop of its own, which a kill stops at once."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from uuid import UUID

from acp_conformance.exit_report import ExitReport
from acp_conformance.launchers import Record
from acp_conformance.message_stream import AgentStream, MessageStream
from acp_conformance.reference_agent import ReferenceAgent
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import Script
from acp_conformance.verdict import TraceResult
from acp_retry import Found, MemoryStore, Message, Peer
from acp_retry.stdio import StreamChannel
from waiting import HANGS

SECONDS = HANGS
PATIENCE = AgentTimeouts(answer=6.0, quiet=0.5)
MORE = AgentTimeouts(answer=60.0, quiet=3.0)
"""What the kit asks for where a busy machine was late: more --silence, and more --timeout."""

T = TypeVar("T")


def patiently(
    judge: Callable[[AgentTimeouts], T],
    right: Callable[[T], object],
    least: AgentTimeouts = PATIENCE,
) -> T:
    """Return what is found with the least patience, or what is found with more if that is wrong.

    The kit asks for more patience where an agent is late, as each is on a busy machine.
    """
    found = judge(least)
    for times in (5, 25):
        if right(found):
            break
        found = judge(AgentTimeouts(times * least.answer, times * least.quiet))
    return found


class Disk(MemoryStore):
    """What outlives an agent: its messages, and notes of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: dict[str, Any] = {}


class Mount:
    """A disk as one agent sees it, until it is killed."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.dead = False

    def _alive(self) -> Disk:
        if self.dead:
            raise asyncio.CancelledError
        return self.disk

    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await self._alive().find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        return await self._alive().insert(message)

    async def forget(self, session_id: str) -> None:
        await self._alive().forget(session_id)

    async def messages(self, session_id: str) -> list[tuple[str, bytes]]:
        return await self._alive().messages(session_id)


Make = Callable[[Mount], ReferenceAgent]


class Running:
    """One agent with its loop."""

    def __init__(self, make: Make, disk: Disk) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self.mount = Mount(disk)
        self.agent = make(self.mount)
        self.over = False
        self.serving: list[asyncio.Task[None]] = []

    def connect(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        asyncio.run_coroutine_threadsafe(self._begin(theirs), self.loop).result(SECONDS)
        return ours

    def stop(self, *, killed: bool) -> None:
        if self.over:
            return
        self.over = True
        self.mount.dead = killed
        if not killed and (left := getattr(self.agent, "left", None)) is not None:
            left()
        asyncio.run_coroutine_threadsafe(self._cancel(), self.loop).result(SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(SECONDS)
        self.loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def _begin(self, theirs: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=theirs, limit=2**20)

        async def write(line: bytes) -> None:
            if not self.mount.dead:
                writer.write(line)

        async def close() -> None:
            writer.close()

        async def serve() -> None:
            try:
                peer = Peer(
                    StreamChannel(reader, write, close), self.agent.handlers(), self.agent.lost
                )
                await peer.serve()
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()

        self.serving.append(asyncio.create_task(serve()))  # a loop holds its tasks weakly

    async def _cancel(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


class _Held:
    """A `Process` over a running agent."""

    def __init__(self, running: Running, end: socket.socket) -> None:
        self.running = running
        self.end = end

    def kill(self) -> None:
        self.running.stop(killed=True)
        self.end.close()

    def leave(self) -> None:
        with contextlib.suppress(OSError):
            self.end.shutdown(socket.SHUT_WR)
        self.running.stop(killed=False)
        self.end.close()

    def exit_report(self, seconds: float) -> ExitReport:
        del seconds
        return ExitReport()


class _Beside(_Held):
    """A second connection: it ends alone."""

    def leave(self) -> None:
        with contextlib.suppress(OSError):
            self.end.shutdown(socket.SHUT_WR)
        self.end.close()


class Laboratory:
    """A launcher for one trace."""

    def __init__(self, make: Make) -> None:
        self.make = make
        self.disk = Disk()
        self.running: Running | None = None

    def start(self, record: Record) -> AgentStream:
        self.running = Running(self.make, self.disk)
        return self._wire(_Held(self.running, self.running.connect()), record)

    def restart(self, record: Record) -> AgentStream:
        return self.start(record)

    def second(self, record: Record) -> AgentStream | None:
        assert self.running is not None
        return self._wire(_Beside(self.running, self.running.connect()), record)

    def kill(self, stream: AgentStream) -> None:
        stream.kill()

    def _wire(self, held: _Held, record: Record) -> AgentStream:
        return MessageStream(held, held.end.makefile("rb"), held.end.makefile("wb"), record)


def examine(
    make: Make, scripts: tuple[Script, ...], timeouts: AgentTimeouts = PATIENCE
) -> list[TraceResult]:
    """Play traces against agents of one kind, all at once."""
    with ThreadPoolExecutor(len(scripts)) as pool:
        return list(pool.map(lambda script: play(script, Laboratory(make), timeouts), scripts))
