"""The cost of an idempotency key: time a prompt, memory a key, and filling an index from a history.

Everything is measured against the same work without it, in turns, so that a busy machine slows
both; in CPU time, but for the stores on disk, where waiting is what counts. PostgreSQL is measured
when its server is installed.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import private_postgres
from acp_retry import (
    Found,
    HistoryIndex,
    KeyLedger,
    MemoryStore,
    Message,
    SqliteStore,
    Store,
    Submission,
    derive_message_id,
)
from acp_retry.core import ArrivedPrompt, AttemptId, Core, StartClaim
from acp_retry.stores.postgres import PostgresStore

Clock = Callable[[], float]

PROMPT = [{"type": "text", "text": "Deploy the parser"}]
ROUNDS = 15
FAST, SLOW = 500, 50
KEYS = 1_000_000
HISTORY = 100_000
PAGE = 500
PROMPT_LIMIT, KEY_LIMIT, FILL_LIMIT, GROWTH_LIMIT = 20.0, 200.0, 1.2, 1.25


async def work(submission: Submission) -> None:
    """An agent that inserts at once."""
    await submission.insert()


async def prompts(ledger: KeyLedger, keys: Iterable[str | None], clock: Clock) -> float:
    """Microseconds that a prompt takes."""
    numbers = count()
    params = [{"sessionId": "s", "prompt": PROMPT, "idempotencyKey": key} for key in keys]
    start = clock()
    for each in params:
        await ledger.prompt("connection", next(numbers), each)
    return (clock() - start) / len(params) * 1e6


async def overhead(store: Store, times: int, clock: Clock) -> tuple[float, float, float]:
    """Medians for prompts without a key, with one, and for retries."""
    ledger = KeyLedger(store, work)
    taken: list[tuple[float, float, float]] = []
    for _ in range(ROUNDS):
        keys = [str(uuid4()) for _ in range(times)]
        taken.append(
            (
                await prompts(ledger, [None] * times, clock),
                await prompts(ledger, keys, clock),
                await prompts(ledger, keys, clock),
            )
        )
    plain, keyed, retried = (statistics.median(column) for column in zip(*taken, strict=True))
    return plain, keyed, retried


async def retained(keys: int) -> object:
    """A store with a message for each key. The bodies are one and the same, so they don't count."""
    store, writer = MemoryStore(), uuid4().bytes
    for number in range(keys):
        record = derive_message_id("s", f"{number}")
        await store.insert(Message("s", record, b"", writer=writer))
    return store


async def live_only(keys: int) -> object:
    """The rules with a live-only message for each key."""
    core = Core()
    for number in range(keys):
        record = derive_message_id("s", f"{number}")
        for effect in core.prompt(AttemptId("connection", number), ArrivedPrompt("s", record)):
            assert isinstance(effect, StartClaim)
            core.found(effect.claim, None)
            core.begin(effect.claim)
            core.inserted(effect.claim, Found(str(record)), retained=False)
    return core


async def memory(keep: Callable[[int], Awaitable[object]], keys: int) -> float:
    """Bytes that are kept for each key."""
    gc.collect()
    tracemalloc.start()
    kept = await keep(keys)
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del kept
    return taken / keys


def write(path: Path, messages: int) -> None:
    """Write a history as runtimes do: one JSON text a line, with prompts of a few sentences."""
    content = [{"type": "text", "text": "Deploy the parser, then tell what changed. " * 8}]
    with path.open("w", encoding="utf-8") as lines:
        for number in range(messages):
            entry = {
                "type": "user",
                "uuid": str(derive_message_id("s", f"{number}")),
                "message": {"role": "user", "content": content},
                "timestamp": "2026-01-01T00:00:00Z",
                "cwd": "/project",
            }
            lines.write(json.dumps(entry) + "\n")


async def pages(path: Path) -> AsyncIterator[list[str]]:
    """Read a history page by page."""
    with path.open(encoding="utf-8") as lines:
        while page := [json.loads(line)["uuid"] for line in islice(lines, PAGE)]:
            await asyncio.sleep(0)
            yield page


async def read(path: Path) -> float:
    """Seconds to read a history and keep nothing."""
    start = time.process_time()
    async for _ in pages(path):
        pass
    return time.process_time() - start


async def fill(path: Path) -> float:
    """Seconds to fill an index from the same history."""
    index = HistoryIndex(lambda _: pages(path))
    start = time.process_time()
    assert await index.contains("s", derive_message_id("s", "0"))
    return time.process_time() - start


async def filling(messages: int) -> tuple[float, float]:
    """Medians of reading a history and of filling an index from it, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.ndjson"
        write(path, messages)
        await read(path)
        taken = [(await read(path), await fill(path)) for _ in range(ROUNDS)]
    reading, filled = (statistics.median(column) for column in zip(*taken, strict=True))
    return reading, filled


def row(name: str, value: float, unit: str, limit: float | None) -> bool:
    """Print one row, and say whether it keeps within its limit."""
    kept = limit is None or value <= limit
    stated = "" if limit is None else f"{limit:>8g}  {'ok' if kept else 'TOO MUCH'}"
    print(f"{name:<58}{value:>10.2f} {unit:<6}{stated}")
    return kept


def overheads() -> Iterator[tuple[str, Callable[[], Awaitable[tuple[float, float, float]]]]]:
    """Every store, with what measures it."""
    yield "memory", lambda: overhead(MemoryStore(), FAST, time.process_time)

    async def sqlite() -> tuple[float, float, float]:
        with tempfile.TemporaryDirectory() as folder:
            store = SqliteStore(Path(folder) / "agent.db")
            try:
                return await overhead(store, SLOW, time.perf_counter)
            finally:
                store.close()

    yield "SQLite", sqlite

    programs = private_postgres.find()
    if programs is None:
        print("PostgreSQL is not installed and is not measured")
        return

    async def postgres() -> tuple[float, float, float]:
        with private_postgres.server(programs) as conninfo:
            store = PostgresStore(conninfo)
            await store.create()
            try:
                return await overhead(store, SLOW, time.perf_counter)
            finally:
                await store.close()

    yield "PostgreSQL", postgres


async def main() -> int:
    """Print the table; 1 when a limit is broken."""
    kept = True
    print(f"{'':<58}{'measured':>10} {'':<6}{'limit':>8}")
    for name, measure in overheads():
        plain, keyed, retried = await measure()
        limit = PROMPT_LIMIT if name == "memory" else None
        row(f"{name}: a prompt without a key", plain, "us", None)
        kept &= row(f"{name}: what a key adds", keyed - plain, "us", limit)
        row(f"{name}: a prompt with a key, ratio", keyed / plain, "x", None)
        row(f"{name}: a retry, ratio", retried / plain, "x", None)
    for kind, keep in (("retained", retained), ("live-only", live_only)):
        few, many = [await memory(keep, keys) for keys in (KEYS // 10, KEYS)]
        kept &= row(f"{kind}: memory a key, of {KEYS:,}", many, "B", KEY_LIMIT)
        kept &= row(f"{kind}: ... against {KEYS // 10:,}", many / few, "x", GROWTH_LIMIT)
    (few_read, few_fill), (reading, filled) = [await filling(n) for n in (HISTORY // 10, HISTORY)]
    kept &= row(
        f"history of {HISTORY:,}: filling against reading", filled / reading, "x", FILL_LIMIT
    )
    row(
        f"history: reading {HISTORY:,} against {HISTORY // 10:,}, each",
        reading / few_read / 10,
        "x",
        None,
    )
    kept &= row("history: filling, the same", filled / few_fill / 10, "x", GROWTH_LIMIT)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
