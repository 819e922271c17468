"""The kinds of stores that the crash matrix kills agents over.

What an agent behind a store keeps is a file to which one line at a time is appended: whole, or not
at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from acp_retry import (
    ForwardedPrompt,
    ForwardingStore,
    HistoryIndex,
    HistoryStore,
    Message,
    SqliteStore,
    Store,
    Submission,
)
from acp_retry.stores.postgres import PostgresStore
from agents import insert

Handler = Callable[[Submission], Awaitable[None]]
KINDS = ("sqlite", "postgres", "history", "forwarding")


@dataclass(frozen=True)
class OpenStore:
    """A store, the handler of its ledger, and what closes it."""

    store: Store
    handler: Handler
    close: Callable[[], Awaitable[None]]


class LineFile:
    """An agent's own messages, a line each."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, **members: object) -> None:
        """Append a line in one call of the system."""
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, json.dumps(members).encode() + b"\n")
        finally:
            os.close(file)

    def lines(self) -> list[dict[str, Any]]:
        """What was appended."""
        return [*map(json.loads, self.path.read_text().splitlines())] if self.path.exists() else []


async def opened(kind: str, folder: Path, conninfo: str) -> OpenStore:
    """Open a store of a kind."""
    match kind:
        case "sqlite":
            sqlite = SqliteStore(folder / "agent.db")
            return OpenStore(sqlite, insert, lambda: asyncio.to_thread(sqlite.close))
        case "postgres":
            postgres = PostgresStore(conninfo)
            return OpenStore(postgres, insert, postgres.close)
        case "history":
            return history(LineFile(folder / "history.ndjson"))
        case "forwarding":
            return forwarding(folder / "agent.db", LineFile(folder / "inner.ndjson"))
    raise AssertionError(kind)


async def nothing(*_: object) -> None:
    """Do nothing."""


def history(file: LineFile) -> OpenStore:
    """A runtime that keeps its messages under the IDs that it gets."""

    async def read(session_id: str) -> AsyncIterator[Iterable[str]]:
        del session_id
        yield [each["id"] for each in file.lines()]

    async def submit(message: Message) -> None:
        file.add(id=str(message.record))

    return OpenStore(HistoryStore(HistoryIndex(read), submit, nothing), insert, nothing)


def forwarding(path: Path, inner: LineFile) -> OpenStore:
    """An agent behind a proxy, with message IDs of its own."""

    async def send(submission: Submission) -> str:
        message_id = uuid.uuid4().hex
        inner.add(id=message_id, prompt=submission.prompt)
        return message_id

    async def settle(prompt: ForwardedPrompt) -> str | None:
        same = [each["id"] for each in inner.lines() if each["prompt"] == prompt.prompt]
        return next((each for each in same if each not in prompt.known), None)

    store = ForwardingStore(path, send, settle=settle)
    return OpenStore(store, store.handle, lambda: asyncio.to_thread(store.close))


def inserted(kind: str, folder: Path, conninfo: str, session: str) -> list[str]:
    """The IDs of the messages that an agent has."""
    if kind == "history":
        return [each["id"] for each in LineFile(folder / "history.ndjson").lines()]
    if kind == "forwarding":
        return [each["id"] for each in LineFile(folder / "inner.ndjson").lines()]
    if kind == "postgres":
        select = b"SELECT record FROM acp_message WHERE session_id = %s"
        with psycopg.connect(conninfo) as rows:
            return [str(row[0]) for row in rows.execute(select, (session.encode(),))]
    with contextlib.closing(sqlite3.connect(folder / "agent.db")) as file:
        try:
            found = file.execute(
                "SELECT record FROM acp_message WHERE session_id = ?", (session.encode(),)
            ).fetchall()
        except sqlite3.OperationalError:  # nothing ever reached the agent: no table
            return []
    return [str(UUID(bytes=record)) for (record,) in found]
