"""Notices between nodes, by LISTEN and NOTIFY of PostgreSQL."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import logging
from collections.abc import Callable
from typing import Final
from uuid import UUID, uuid4

from psycopg import AsyncConnection, sql

from acp_retry.nodes import Notice, NoticeKind
from acp_retry.stores.postgres import PostgresStore

__all__ = ["PostgresNodes"]

PAUSE: Final = 1.0
"""Seconds between two attempts to listen."""

ALIVE: Final = 30.0
"""Seconds without a notice after which the connection is checked, and that the check may take."""

Heard = Callable[[Notice | None], None]

_log = logging.getLogger(__name__)


class PostgresNodes:
    """The `Nodes` that use one database. It takes one connection beside those of the store.

    Args:
        store: the store that the nodes share.
        channel: the name of the channel. Ledgers with different stores in one database need
            different names.
    """

    def __init__(self, store: PostgresStore, channel: str = "acp_retry") -> None:
        self._store = store
        self._channel = channel
        self._name = uuid4().hex
        self._heard: list[Heard] = []
        self._listening: asyncio.Task[None] | None = None
        self._first: AsyncConnection[tuple[object, ...]] | None = None

    async def open(self) -> None:
        """Begin to listen. Call it once, in the event loop of the ledger.

        Raises:
            UnusableStoreError: the server can't be reached.
        """
        self._first = await self._connect()
        self._listening = asyncio.create_task(self._listen(self._first))

    async def close(self) -> None:
        """Stop listening."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])
        if self._first is not None:  # a task that was cancelled before its start has not closed it
            await self._first.close()

    def listen(self, heard: Heard) -> None:
        """See `Nodes.listen`."""
        self._heard.append(heard)

    async def send(self, notice: Notice) -> None:
        """See `Nodes.send`.

        Raises:
            ValueError: the session ID takes more than 5,000 bytes, which a notice can't hold.
            psycopg.Error: the server could not be reached.
        """
        name = notice.session_id.encode()
        if len(name) > 5000:
            raise ValueError("a session ID has more than 5,000 bytes")
        record = None if notice.record is None else str(notice.record)
        text = json.dumps([self._name, notice.kind, base64.b64encode(name).decode(), record])
        await self._store.notify(self._channel, text)

    async def _connect(self) -> AsyncConnection[tuple[object, ...]]:
        connection = await self._store.connect()
        try:
            await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _listen(self, connection: AsyncConnection[tuple[object, ...]] | None) -> None:
        while True:
            try:
                if connection is None:
                    connection = await self._connect()
                    self._hear(None)
                async with connection:
                    while True:
                        async for each in connection.notifies(timeout=ALIVE):
                            self._take(each.payload)
                        async with asyncio.timeout(ALIVE):
                            await connection.execute("SELECT 1")
            except Exception as error:  # it is opened again, whatever the reason
                reason = error or type(error).__name__
                _log.warning("Notices of other nodes can't be heard: %s", reason)
                connection = None
            await asyncio.sleep(PAUSE)

    def _take(self, payload: str) -> None:
        notice = _read(payload, self._name)
        if notice is not None:
            self._hear(notice)

    def _hear(self, notice: Notice | None) -> None:
        for heard in self._heard:
            try:
                heard(notice)
            except Exception:
                _log.exception("A notice of another node could not be handled")


def _read(payload: str, mine: str) -> Notice | None:
    """Return a notice of another node. One of this node, or of another program, is None."""
    try:
        sender, kind, name, record = json.loads(payload)
        if sender == mine:
            return None
        session_id = base64.b64decode(name).decode()
        return Notice(NoticeKind(kind), session_id, None if record is None else UUID(record))
    except (ValueError, TypeError, AttributeError, binascii.Error):
        _log.warning("A notice can't be read, and was ignored")
        return None
