"""An agent that honours keys behind the remote servers of the official SDKs."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from acp_retry import Call, KeyLedger, MemoryStore, Peer, Sessions, Submission
from acp_retry.peer import Handlers
from acp_retry.stdio import LONGEST_LINE, StreamChannel
from unavailable import skip
from waiting import HANGS

INTEROP = Path(__file__).parents[1] / "interop"
PYTHON = INTEROP.parents[1] / ".venv" / "sdk" / "bin" / "python"
"""The interpreter that has the packages of tests/interop/requirements.txt."""


Serving = tuple[Handlers, Callable[[Peer], None]]
"""The handlers of every connection, and what is called when one has ended."""


class LoopbackServer:
    """One agent for all connections on a port of loopback, in a thread of its own.

    Args:
        make: makes the agent in that thread.
        port: the port; 0 takes a free one.
    """

    def __init__(self, make: Callable[[], Serving], port: int = 0) -> None:
        self.port = port
        self.loop = asyncio.new_event_loop()
        self._make = make
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(HANGS)
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def _run(self) -> None:
        self.loop.run_until_complete(self._serve())
        self.loop.close()

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        self._serving = self._make()
        server = await asyncio.start_server(
            self._accept, "127.0.0.1", self.port, limit=LONGEST_LINE
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopping.wait()
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def write(line: bytes) -> None:
            writer.write(line)
            await writer.drain()

        async def close() -> None:
            writer.close()

        channel, (handlers, lost) = StreamChannel(reader, write, close), self._serving
        with contextlib.suppress(asyncio.CancelledError), contextlib.closing(writer):
            await Peer(channel, handlers, lost).serve()


class LoopbackAgent(LoopbackServer):
    """An agent that sends an update between each prompt and its answer.

    Args:
        pause: seconds between the arrival of a prompt and its insertion, and as many after it.
    """

    def __init__(self, pause: float = 0.0) -> None:
        super().__init__(self._agent)
        self.store = MemoryStore()
        self.pause = pause

    def texts(self, session: str) -> list[str]:
        """The messages that were inserted into a session."""
        future = asyncio.run_coroutine_threadsafe(self.store.messages(session), self.loop)
        return [body.decode() for _, body in future.result(HANGS)]

    def _agent(self) -> Serving:
        ledger = KeyLedger(self.store, self._work)
        self._sessions = Sessions(ledger, self.store, {"name": "loopback", "version": "1"})
        handlers = dict(self._sessions.handlers())
        prompt = handlers["session/prompt"]

        async def begin(call: Call) -> object:
            update = {"sessionUpdate": "state_update", "state": "running"}
            params = {"sessionId": call.params["sessionId"], "update": update}
            await call.peer.notify("session/update", params)
            return await prompt(call)

        return {**handlers, "session/prompt": begin}, self._sessions.lost

    async def _work(self, submission: Submission) -> None:
        await asyncio.sleep(self.pause)
        async with self._sessions.turn(submission):
            await asyncio.sleep(self.pause)


class SdkServer:
    """The server of an official SDK in front of an agent. It can be killed and started again.

    `agent` is a place, or a command with its arguments in `more`.
    """

    def __init__(
        self,
        sdk: str,
        *command: str,
        agent: str,
        port: int = 0,
        more: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.sdk = sdk
        self.port = port
        self._command = command
        self._agent = (agent, *more)
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, on the same port as before."""
        command = [*self._command, str(self.port), *self._agent]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=self._environment
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


SDKS = ("typescript", "python")


def sdk_server(sdk: str, agent_port: int, port: int = 0) -> SdkServer:
    """The server of an SDK for an agent on loopback. Skips the test if it is not installed."""
    node = shutil.which("node") or skip("node is missing")
    if sdk == "typescript" and not (INTEROP / "node_modules" / "ws").exists():
        skip("tests/interop needs npm ci")
    if sdk == "python" and not PYTHON.exists():
        skip("the Python SDK's server is not installed: make .venv/sdk/installed")
    program = {"typescript": (node, "mount.mjs"), "python": (str(PYTHON), "mount.py")}[sdk]
    place = f"tcp:{agent_port}" if sdk == "typescript" else str(agent_port)
    return SdkServer(sdk, program[0], str(INTEROP / program[1]), agent=place, port=port)


@contextlib.contextmanager
def served(sdk: str, pause: float = 0.0) -> Iterator[tuple[LoopbackAgent, SdkServer]]:
    """An agent behind the server of an SDK. Skips the test if that is not installed."""
    with LoopbackAgent(pause) as agent, sdk_server(sdk, agent.port) as server:
        yield agent, server
