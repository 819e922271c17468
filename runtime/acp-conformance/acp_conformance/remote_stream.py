"""A connection to an agent over HTTP or WebSocket, for a kit that runs on threads."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from acp_conformance.exit_report import ExitReport
from acp_conformance.message_stream import EACH, LEAVING, MOST, ReceivedLines
from acp_wire.remote import Note, Remote, RemoteChannel, RemoteError

__all__ = ["EventLoopThread", "RemoteStream"]

T = TypeVar("T")

OPENING: Final = 30.0
"""Seconds to open or to end a connection."""


class EventLoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Run a coroutine and wait for its result.

        Raises:
            TimeoutError: it takes too long.
            Exception: what the coroutine raises.
        """
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def start(self, work: Coroutine[Any, Any, object]) -> Future[object]:
        """Run a coroutine beside everything else. Cancelling the result cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Cancel what still runs and end the loop."""
        with contextlib.suppress(TimeoutError):
            self.run(_cancel_others(), LEAVING)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class RemoteStream(ReceivedLines):
    """An `AgentStream` on a channel of `acp_wire.remote`.

    Args:
        loop: runs the channel.
        remote: the address.
        record: called with the sender and each line.
        most: bytes of all messages that are kept. The connection ends after them.

    Raises:
        RemoteError: the agent can't be reached.
    """

    def __init__(
        self,
        loop: EventLoopThread,
        remote: Remote,
        record: Callable[[str, bytes], None],
        *,
        most: int = MOST,
    ) -> None:
        super().__init__(record)
        self._left = self._most = most
        self.can_initialize_again = not remote.is_http
        self._loop = loop
        self._server = remote.address
        self._errors: list[str] = []
        self._unsent = 0
        self._ended = False
        self._channel: RemoteChannel = loop.run(remote.connect(), OPENING)
        self._outgoing: asyncio.Queue[dict[str, object]] = asyncio.Queue()
        self._works = [loop.start(self._read()), loop.start(self._write())]

    @property
    def notes(self) -> set[Note]:
        """What the channel had to do differently."""
        return self._channel.notes

    @property
    def noise(self) -> int:
        """See `AgentStream.noise`. The channel keeps few of them, and counts all."""
        return super().noise + self._channel.unparsed_count

    @property
    def has_ended(self) -> bool:
        """True if the kit has ended the connection."""
        return self._ended

    def send(self, message: Mapping[str, object]) -> None:
        """See `AgentStream.send`."""
        self._record("client", json.dumps(message, separators=(",", ":")).encode())
        with self._news:
            self._unsent += 1
        self._loop.start(self._outgoing.put(dict(message)))

    def flush(self) -> None:
        """See `AgentStream.flush`. The server has what was sent; the agent may read it later."""
        self.wait(lambda: not self._unsent, LEAVING)

    def kill(self) -> None:
        """End the connection at once. The server goes on."""
        self._end()

    def end(self) -> None:
        """End the connection once everything is sent. The server goes on."""
        self.flush()
        self._end()

    def exit_report(self) -> ExitReport:
        """Report what the transport did in place of an answer."""
        limit = f"no more than {self._most} bytes of its messages are read" if self._full else ""
        errors = "\n".join(dict.fromkeys(self._errors))
        return ExitReport(None, errors.encode(), limit, self._server)

    @property
    def _full(self) -> bool:
        return self._left < 0

    def _end(self) -> None:
        if self._ended:
            return
        self._ended = True
        with contextlib.suppress(TimeoutError):
            self._loop.run(self._leave(), OPENING)
        for work in self._works:
            work.cancel()
        self._note_end()

    async def _leave(self) -> None:
        await self._channel.close()
        await self._channel.release()

    async def _read(self) -> None:
        try:
            while (message := await self._channel.receive()) is not None:
                line = json.dumps(message, separators=(",", ":")).encode()
                self._left -= len(line) + EACH
                self._take(line)
                if self._full:
                    await self._channel.close()
                    break
        except RemoteError as error:
            self._errors.append(str(error))
        self._note_end()

    async def _write(self) -> None:
        while True:
            message = await self._outgoing.get()
            try:
                await self._channel.send(message)
            except RemoteError as error:
                self._errors.append(str(error))
            with self._news:
                self._unsent -= 1
                self._news.notify_all()


async def _cancel_others() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
