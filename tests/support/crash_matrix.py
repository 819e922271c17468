"""Kills clients and agents with SIGKILL, at every line and in the middle of system calls.

Both are real processes, joined by a socket. Each trial starts a client that submits one prompt and
an agent that inserts it, kills one of them, and starts both anew, until the client has its answer.
Then the agent must have the message exactly once. The client's outbox is an SQLite file.

    python crash_matrix.py [--trials N] [--broken agent|client] [--store KIND] [--conninfo TEXT]

Processes are forks of this one, which has everything imported and no threads.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import acp_retry
import crash_stores
from acp_retry import (
    Found,
    KeyLedger,
    MemoryOutbox,
    Message,
    Outbox,
    Peer,
    SqliteOutbox,
    SqliteStore,
    derive_message_id,
    prompt_handlers,
)
from acp_retry.stdio import StreamChannel
from agents import insert
from crash_stores import OpenStore, inserted

PACKAGE = str(Path(acp_retry.__file__).parent)
KEY = "the key that the application made"
PROMPT = [{"type": "text", "text": "Deploy the parser"}]
NEVER = sys.maxsize
MOST_RUNS = 4
LONGEST_RUN = {"postgres": 0.1}
"""Seconds within which a process is killed at random; about as long as it lives. Others: 0.02."""


@dataclass(frozen=True)
class Setting:
    """What the trials have in common."""

    store: str = "sqlite"
    conninfo: str = ""
    broken: str | None = None


@dataclass(frozen=True)
class Kill:
    """Who is killed in a run, and when: at a line, after seconds, or in the midst of a message."""

    side: str
    line: int = NEVER
    seconds: float | None = None
    half: bool = False

    @property
    def kind(self) -> str:
        """What the table counts."""
        if self.half:
            return f"{self.side}: half a message written"
        return f"{self.side}: at a {'line' if self.seconds is None else 'moment'}"


class Mortal:
    """Counts the lines of `acp_retry` that this process runs, and dies at one of them."""

    def __init__(self, line: int) -> None:
        self.left = line
        self.lines = 0
        threading.settrace(self.trace)
        sys.settrace(self.trace)

    def trace(self, frame: FrameType, event: str, argument: object) -> Any:
        del event, argument
        return self.count if frame.f_code.co_filename.startswith(PACKAGE) else None

    def count(self, frame: FrameType, event: str, argument: object) -> Any:
        del frame, argument
        if event == "line":
            self.lines += 1
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.count


async def connect(end: socket.socket, *, half: bool) -> tuple[StreamChannel, Callable[[], object]]:
    reader, writer = await asyncio.open_connection(sock=end)

    async def write(line: bytes) -> None:
        if half:
            end.send(line[: len(line) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        writer.write(line)
        await writer.drain()

    async def close() -> None:
        writer.close()

    return StreamChannel(reader, write, close), writer.close


class TwoSteps(SqliteStore):
    """Broken: stores the message, and in another transaction that its key is known."""

    async def find(self, session_id: str, record: Any) -> Found | None:
        return await super().find(f"keys of {session_id}", record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        again = Message(
            message.session_id, acp_retry.derive_message_id("", os.urandom(9).hex()), b""
        )
        given, _ = await super().insert(again)
        keyed = Message(f"keys of {message.session_id}", message.record, b"")
        await super().insert(keyed)
        return given, True


async def agent(end: socket.socket, folder: Path, setting: Setting, *, half: bool) -> None:
    """Serve one connection."""
    if setting.broken == "agent":
        broken = TwoSteps(folder / "agent.db")
        opened = OpenStore(broken, insert, lambda: asyncio.to_thread(broken.close))
    else:
        opened = await crash_stores.opened(setting.store, folder, setting.conninfo)
    ledger = KeyLedger(opened.store, opened.handler)
    channel, close = await connect(end, half=half)
    await Peer(channel, prompt_handlers(ledger), ledger.lost).serve()
    await ledger.stop()
    close()
    await opened.close()


async def client(
    end: socket.socket, folder: Path, setting: Setting, status: int, *, submits: bool, half: bool
) -> None:
    """Submit the prompt, or only resend what is pending, on one connection."""
    store = MemoryOutbox() if setting.broken == "client" else SqliteOutbox(folder / "outbox.db")
    outbox = Outbox(store)
    channel, close = await connect(end, half=half)
    peer = Peer(channel)
    serving = asyncio.ensure_future(peer.serve())
    await outbox.resumed(folder.name, peer, 2)
    if submits:
        await outbox.submit(folder.name, PROMPT, KEY)
        os.write(status, b"stored\n")
    for pending in await outbox.pending():
        await pending.result()
    if not await outbox.pending():
        os.write(status, b"done\n")
    close()
    await peer.close()
    await serving
    if isinstance(store, SqliteOutbox):
        store.close()


def fork(program: Callable[[], Coroutine[Any, Any, None]], status: int, line: int) -> int:
    """Run a program in a process of its own, and return its id."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        mortal = Mortal(line)
        asyncio.run(program())
        sys.settrace(None)
        os.write(status, b"lines %d\n" % mortal.lines)
        code = 0
    finally:
        os._exit(code)


@dataclass
class Run:
    """What one start of both processes came to."""

    killed: bool
    stored: bool
    done: bool
    lines: dict[str, int]


def run(folder: Path, kill: Kill | None, setting: Setting, *, submits: bool) -> Run:
    """Start both processes, kill one, and wait for both."""
    ends = dict(zip(("agent", "client"), socket.socketpair(), strict=True))
    statuses = {side: os.pipe() for side in ends}
    pids: dict[str, int] = {}
    for side, end in ends.items():
        line = kill.line if kill is not None and kill.side == side else NEVER
        half = kill is not None and kill.half and kill.side == side
        other = ends["client" if side == "agent" else "agent"]

        def program(
            side: str = side,
            end: socket.socket = end,
            other: socket.socket = other,
            half: bool = half,
        ) -> Coroutine[Any, Any, None]:
            other.close()
            end.setblocking(False)
            if side == "agent":
                return agent(end, folder, setting, half=half)
            return client(end, folder, setting, statuses[side][1], submits=submits, half=half)

        pids[side] = fork(program, statuses[side][1], line)
    for end in ends.values():
        end.close()
    if kill is not None and kill.seconds is not None:
        time.sleep(kill.seconds)
        os.kill(pids[kill.side], signal.SIGKILL)
    codes = {side: os.waitpid(pid, 0)[1] for side, pid in pids.items()}
    given = {side: _read(*statuses[side]) for side in statuses}
    killed = {side for side, code in codes.items() if code == signal.SIGKILL}
    assert killed <= {kill.side if kill else None}, "the wrong one died"
    assert all(code == 0 for side, code in codes.items() if side not in killed), (codes, kill)
    lines = {side: int(text.split()[-1]) for side, text in given.items() if "lines" in text}
    return Run(bool(killed), "stored" in given["client"], "done" in given["client"], lines)


def _read(reader: int, writer: int) -> str:
    os.close(writer)
    with os.fdopen(reader) as status:
        return status.read()


def trial(kills: list[Kill], setting: Setting) -> tuple[int, str]:
    """Return how many processes were killed, and what became of the prompt."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        killed, stored = 0, False
        for number in range(MOST_RUNS):
            kill = kills[number] if number < len(kills) else None
            # The user submits until the prompt is reported as safe, and not once more.
            result = run(folder, kill, setting, submits=not stored)
            killed += result.killed
            stored |= result.stored
            if result.done and not result.killed and kill is None:
                break
        else:
            return killed, "stuck"
        records = inserted(setting.store, folder, setting.conninfo, folder.name)
        if not records:
            return killed, "lost"
        if len(records) > 1:
            return killed, "doubled"
        mine = [str(derive_message_id(folder.name, KEY))]
        own = setting.broken == "agent" or setting.store == "forwarding"
        return killed, "inserted once" if own or records == mine else "inserted under another ID"
    finally:
        shutil.rmtree(folder)


def matrix(trials: int | None, setting: Setting) -> Iterator[list[Kill]]:
    """Every line of both sides; then twice in a row, at moments, and in the midst of a message."""
    folder = Path(tempfile.mkdtemp())
    lines = run(folder, None, replace(setting, broken=None), submits=True).lines
    shutil.rmtree(folder)
    chance = random.Random(20)
    every = [Kill(side, line) for side in lines for line in range(1, lines[side] + 1)]
    longest = LONGEST_RUN.get(setting.store, 0.02)
    moments = [Kill(side, seconds=chance.uniform(0, longest)) for side in lines for _ in range(150)]
    halves = [Kill(side, half=True) for side in lines for _ in range(5)]
    plan = [[kill] for kill in every + moments + halves]
    plan += [[kill, chance.choice(every)] for kill in chance.sample(every, len(every) // 2)]
    if trials is not None:
        plan = chance.sample(plan, min(trials, len(plan)))
    yield from plan


def main() -> int:
    """Print what was killed and what became of it; 1 when a prompt was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, help="a sample instead of all")
    parser.add_argument("--broken", choices=("agent", "client"), help="a side that does it wrong")
    parser.add_argument("--store", choices=crash_stores.KINDS, default="sqlite")
    parser.add_argument("--conninfo", default="", help="of a database with the tables")
    arguments = parser.parse_args()
    setting = Setting(arguments.store, arguments.conninfo, arguments.broken)
    kinds: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    kills = 0
    start = time.monotonic()
    gc.freeze()  # what a fork does not touch, it need not copy
    for plan in matrix(arguments.trials, setting):
        killed, end = trial(plan, setting)
        kinds[plan[0].kind + (", then again" if len(plan) > 1 else "")] += killed
        ends[end] += 1
        kills += killed
        if end != "inserted once":
            print(f"{end}: {plan}")
            if arguments.broken:
                break
    for kind, count in sorted(kinds.items()):
        print(f"{count:>6}  {kind}")
    print(f"{kills:>6}  kills in {sum(ends.values())} trials, {time.monotonic() - start:.0f} s")
    for end, count in sorted(ends.items()):
        print(f"{count:>6}  {end}")
    return 0 if set(ends) == {"inserted once"} else 1


if __name__ == "__main__":
    sys.exit(main())
