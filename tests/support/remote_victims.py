"""An agent and a client over a remote transport, as processes that can be killed.

python remote_victims.py agent FOLDER PORT
python remote_victims.py client FOLDER URL MOST
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from acp_retry import (
    Backoff,
    Client,
    KeyLedger,
    Outbox,
    Remote,
    Sessions,
    SqliteOutbox,
    SqliteStore,
    Submission,
)
from acp_wire.remote import Timing
from remote_servers import LoopbackServer, Serving

TIMING = Timing(opening=5.0, posting=5.0, silence=3.0, doubt=0.4, closing=0.5)
TOGETHER = 3
"""Prompts that are on their way at once."""


class VictimAgent(LoopbackServer):
    """Keeps its messages in a file.

    Args:
        folder: where the file is.
    """

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__(self._agent, port)
        self._folder = folder

    def _agent(self) -> Serving:
        store = SqliteStore(self._folder / "agent.db")
        self._sessions = Sessions(
            KeyLedger(store, self._work), store, {"name": "v", "version": "1"}
        )
        return self._sessions.handlers(), self._sessions.lost

    async def _work(self, submission: Submission) -> None:
        async with self._sessions.turn(submission):
            await asyncio.sleep(0.002)


def report(line: str) -> None:
    """Write a line at once."""
    os.write(1, f"{line}\n".encode())


async def client(folder: Path, url: str, most: int) -> None:
    """Send what an earlier client left, and new prompts up to a number of them.

    Each line of the output is a prompt that is stored; the last one is "done".
    """
    outbox = SqliteOutbox(folder / "outbox.db")
    names, session_file = folder / "submitted", folder / "session"
    backoff = Backoff(first=0.02, longest=0.2)
    async with Client(Remote(url, timing=TIMING), Outbox(outbox), backoff=backoff) as client:
        if not session_file.exists():
            made = await client.new_session(cwd="/")
            session_file.write_text(made)
        session = session_file.read_text()
        client.open_session(session)
        pending = await client.pending()
        report("")  # it can be killed from here on

        async def send() -> None:
            while (number := names.stat().st_size if names.exists() else 0) < most:
                with names.open("a") as file:  # no other client uses this number
                    file.write(".")
                prompt = await client.submit(session, f"prompt {number}")
                report(f"prompt {number}")
                await prompt.message_id()

        await asyncio.gather(*(send() for _ in range(TOGETHER)))
        await asyncio.gather(*(prompt.message_id() for prompt in pending))
        assert await client.pending() == []
    outbox.close()
    report("done")


def main() -> None:
    """Run one of them until it is killed, or done."""
    side, folder, *rest = sys.argv[1:]
    if side == "client":
        asyncio.run(client(Path(folder), rest[0], int(rest[1])))
        return
    with VictimAgent(Path(folder), int(rest[0])) as agent:
        report(str(agent.port))
        sys.stdin.read()


if __name__ == "__main__":
    main()
