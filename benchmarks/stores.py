"""The stores of agents and clients under load, against bare SQL of the same rows in the same run.

    python benchmarks/stores.py

Four bars, and 1 as the exit code if one is broken: eight processes together against one process
that inserts the same rows with bare INSERTs; session/resume of one session of 100,000; 10,000
prompts while the server of PostgreSQL restarts; and 3,000 prompts that are stored by one client and
resent by the next one. Everything is flushed to the disk before it counts.
PostgreSQL is measured when it is installed.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import psycopg

import private_postgres
from acp_retry import (
    Client,
    Connection,
    KeyLedger,
    MemoryStore,
    Message,
    RequestFailedError,
    Sessions,
    SessionStore,
    SqliteOutbox,
    SqliteStore,
    Stdio,
    Submission,
    serve_stdio,
)
from acp_retry.peer import Call, Peer
from acp_retry.stores.postgres import PostgresStore

PROCESSES = 8
ROWS = 250
"""Rows of each process."""
ROUNDS = 5
SESSIONS = 100_000
PROMPTS = 10_000
PENDING = 3000
TOGETHER_LIMIT, RESUME_LIMIT, REFUSED_LIMIT, PENDING_LIMIT = 2.5, 5.0, 0.0, 3.0
BODY, WRITER = b"x" * 300, b"w" * 16


def row(name: str, value: float, unit: str, limit: float | None) -> bool:
    """Print one row, and return whether it keeps within its limit."""
    kept = limit is None or value <= limit
    stated = "" if limit is None else f"{limit:>8g}  {'ok' if kept else 'TOO MUCH'}"
    print(f"{name:<58}{value:>10.2f} {unit:<6}{stated}", flush=True)
    return kept


@contextmanager
def places() -> Iterator[dict[str, str]]:
    """Where each kind of store is."""
    with tempfile.TemporaryDirectory() as folder:
        found = {"SQLite": str(Path(folder) / "agent.db")}
        programs = private_postgres.find()
        if programs is None:
            print("PostgreSQL is not installed and is not measured")
            yield found
            return
        with private_postgres.server(programs, durable=True) as conninfo:
            yield {**found, "PostgreSQL": conninfo}


async def opened(kind: str, place: str) -> SqliteStore | PostgresStore:
    """Open a store."""
    if kind == "SQLite":
        return SqliteStore(place)
    store = PostgresStore(place)
    await store.create()
    return store


async def closed(store: SqliteStore | PostgresStore) -> None:
    """Close a store."""
    if isinstance(store, SqliteStore):
        store.close()
    else:
        await store.close()


async def writer(kind: str, place: str) -> None:
    """Insert rows one after the other, when a line says so."""
    store = await opened(kind, place)
    await store.find("s", uuid4())
    os.write(1, b".")
    sys.stdin.readline()
    for _ in range(ROWS):
        await store.insert(Message("s", uuid4(), BODY, writer=WRITER))
    os.write(1, b".")
    await closed(store)


def together(kind: str, place: str) -> float:
    """Seconds that all processes take for their rows."""
    pipe = subprocess.PIPE
    command = [sys.executable, __file__, kind, place]
    writers = [subprocess.Popen(command, stdin=pipe, stdout=pipe) for _ in range(PROCESSES)]
    for each in writers:
        assert each.stdout is not None
        each.stdout.read(1)
    start = time.perf_counter()
    for each in writers:
        assert each.stdin is not None
        os.write(each.stdin.fileno(), b"\n")
    for each in writers:
        assert each.stdout is not None
        each.stdout.read(1)
    taken = time.perf_counter() - start
    for each in writers:
        each.communicate()
    return taken


def bare(kind: str, place: str) -> float:
    """Seconds that one process takes for the same rows with bare INSERTs, each one durable."""
    rows = [(b"s", uuid4(), WRITER, BODY) for _ in range(PROCESSES * ROWS)]
    if kind == "SQLite":
        with closing(sqlite3.connect(place, isolation_level=None)) as file:
            file.execute("PRAGMA synchronous = FULL")
            start = time.perf_counter()
            for session, record, name, body in rows:
                file.execute(
                    "INSERT INTO acp_message (session_id, record, writer, body, created_at)"
                    " VALUES (?, ?, ?, ?, 0)",
                    (session, record.bytes, name, body),
                )
            return time.perf_counter() - start
    with psycopg.connect(place, autocommit=True) as server:
        start = time.perf_counter()
        for values in rows:
            server.execute(
                "INSERT INTO acp_message (session_id, record, writer, body)"
                " VALUES (%s, %s, %s, %s)",
                values,
            )
        return time.perf_counter() - start


def fill(kind: str, place: str) -> None:
    """Add sessions until there are 100,000."""
    names = [(f"session {number}".encode(), number) for number in range(SESSIONS)]
    if kind == "SQLite":
        with closing(sqlite3.connect(place)) as file, file:
            file.executemany("INSERT INTO acp_session VALUES (NULL, ?, '/project', ?)", names)
        return
    with psycopg.connect(place) as server:
        server.cursor().executemany(
            "INSERT INTO acp_session (session_id, cwd, used_at)"
            " VALUES (%s, '/project', to_timestamp(%s))",
            names,
        )


class Discarding:
    """A channel that reads nothing and drops what is sent."""

    async def send(self, message: dict[str, object], /) -> None:
        """Drop a message."""

    async def receive(self) -> dict[str, object] | None:
        """Return the end."""
        return None

    async def close(self) -> None:
        """Do nothing."""


async def resume(store: SessionStore) -> float:
    """Median milliseconds that session/resume takes among 100,000 sessions."""
    sessions = Sessions(KeyLedger(store, work), store, {"name": "agent", "version": "1"})
    handlers = sessions.handlers()
    peer = Peer(Discarding())
    await handlers["initialize"](Call(peer, "initialize", {}, 0))
    taken = []
    for number in range(0, SESSIONS, SESSIONS // 100):
        params = {"sessionId": f"session {number}", "cwd": "/project"}
        start = time.perf_counter()
        await handlers["session/resume"](Call(peer, "session/resume", params, number))
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


async def work(submission: Submission) -> None:
    """An agent that inserts at once."""
    await submission.insert()


async def restarted(conninfo: str) -> tuple[int, int]:
    """How many of 10,000 prompts are refused, and inserted, while the server restarts."""
    store = PostgresStore(conninfo, patience=120.0)
    await store.open()
    ledger = KeyLedger(store, work)
    session, free, done, refused = uuid4().hex, asyncio.Semaphore(100), 0, 0

    async def ask(number: int) -> None:
        nonlocal done, refused
        prompt = [{"type": "text", "text": "Deploy the parser"}]
        params = {"sessionId": session, "prompt": prompt, "idempotencyKey": f"{number}"}
        async with free:
            try:
                await ledger.prompt("connection", number, params)
            except RequestFailedError:
                refused += 1
            done += 1

    asking = [asyncio.create_task(ask(number)) for number in range(PROMPTS)]
    while done < PROMPTS // 3:
        await asyncio.sleep(0.001)
    await asyncio.to_thread(private_postgres.restart, conninfo)
    assert done < PROMPTS
    await asyncio.gather(*asking)
    inserted = len(await store.messages(session))
    await ledger.stop()
    await store.close()
    return refused, inserted


class Unreachable:
    """A transport without an agent."""

    async def connect(self) -> Connection:
        """Fail."""
        raise ConnectionError("there is no agent")


async def pending(place: str) -> tuple[float, float]:
    """Seconds that storing 3,000 prompts takes, and that the next client takes to resend them.

    The agent keeps its messages in memory, so that only the flushes of the client count.
    """
    outbox = SqliteOutbox(place)
    async with Client(Unreachable(), outbox) as client:
        start = time.perf_counter()
        await asyncio.gather(*(client.submit("s", f"prompt {n}") for n in range(PENDING)))
        stored = time.perf_counter() - start
    outbox.close()
    outbox = SqliteOutbox(place)
    start = time.perf_counter()
    async with Client(Stdio(sys.executable, __file__, "agent"), outbox) as client:
        prompts = await client.ready()
        inserted = await asyncio.gather(*(prompt.message_id() for prompt in prompts))
        resent = time.perf_counter() - start
        assert len(set(inserted)) == PENDING
        assert await client.pending() == []
    outbox.close()
    return stored, resent


async def agent() -> None:
    """Serve an agent with one session on standard input and output."""
    store = MemoryStore()
    await store.add_session("s", "/project")

    async def work(submission: Submission) -> None:
        async with sessions.turn(submission):
            pass

    sessions = Sessions(KeyLedger(store, work), store, {"name": "agent", "version": "1"})
    await serve_stdio(sessions.handlers(), sessions.lost)


async def main() -> int:
    """Print the table; 1 when a limit is broken."""
    kept = True
    print(f"{'':<58}{'measured':>10} {'':<6}{'limit':>8}")
    with places() as found:
        for kind, place in found.items():
            store = await opened(kind, place)
            ratios = []
            for _ in range(ROUNDS):
                alone = bare(kind, place)
                ratios.append(together(kind, place) / alone)
            name = f"{kind}: {PROCESSES} processes against bare INSERTs"
            kept &= row(name, statistics.median(ratios), "x", TOGETHER_LIMIT)
            fill(kind, place)
            name = f"{kind}: session/resume, one of {SESSIONS:,}"
            kept &= row(name, await resume(store), "ms", RESUME_LIMIT)
            await closed(store)
        for name, taken in zip(
            ("stored", "resent"), await pending(found["SQLite"] + ".outbox"), strict=True
        ):
            kept &= row(f"SQLite: {PENDING:,} prompts {name}", taken, "s", PENDING_LIMIT)
        if "PostgreSQL" in found:
            refused, inserted = await restarted(found["PostgreSQL"])
            name = f"PostgreSQL: prompts of {PROMPTS:,} refused by a restart"
            kept &= row(name, refused, "", REFUSED_LIMIT)
            row("PostgreSQL: ... inserted", inserted, "", None)
    return 0 if kept else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["agent"]:
        asyncio.run(agent())
    elif len(sys.argv) > 1:
        asyncio.run(writer(*sys.argv[1:]))
    else:
        sys.exit(asyncio.run(main()))
