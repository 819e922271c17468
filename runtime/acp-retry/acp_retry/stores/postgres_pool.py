"""Connections to PostgreSQL that are kept, checked and replaced."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

from acp_retry.store import UnusableStoreError

__all__ = ["Connection", "PostgresPool", "is_lost"]

T = TypeVar("T")
Connection = AsyncConnection[TupleRow]
Use = Callable[[Connection], Awaitable[T]]

MARGIN: Final = 5.0
"""Seconds after the end of a statement in which the server has to report it."""
PAUSE: Final = 0.05
"""Seconds between two attempts to reach a server."""

_log = logging.getLogger(__name__)


class PostgresPool:
    """Connections to one server, opened at the first use and replaced when they break.

    Args:
        conninfo: the connection string of libpq.
        prepare: called once with the first connection. It raises if the database can't be used.
        size: the most connections.
        connect_timeout: seconds until an attempt to connect has failed; 2 at least.
        statement_timeout: seconds until the server gives a statement up.
        patience: seconds in which work is tried again while the server can't be reached.
    """

    def __init__(
        self,
        conninfo: str,
        prepare: Use[None],
        *,
        size: int,
        connect_timeout: float,
        statement_timeout: float,
        patience: float,
    ) -> None:
        self._prepare = prepare
        self._statement_timeout = statement_timeout
        self._patience = patience
        self._conninfo = conninfo
        self._connect_timeout = max(2, math.ceil(connect_timeout))
        self._size = size
        self._pool: AsyncConnectionPool[Connection] | None = None
        self._opening = asyncio.Lock()
        self._closed = False

    async def open(self) -> AsyncConnectionPool[Connection]:
        """Connect, unless that is done.

        Raises:
            UnusableStoreError: the server can't be reached, or `prepare` has refused it.
        """
        async with self._opening:
            if self._closed:
                raise RuntimeError("the store is closed")
            if self._pool is None:
                async with await self.connect() as first:
                    await self._prepare(first)
                pool = AsyncConnectionPool(
                    self._conninfo,
                    connection_class=AsyncConnection[TupleRow],
                    kwargs={"autocommit": True, "connect_timeout": self._connect_timeout},
                    configure=self._configure,
                    min_size=1,
                    max_size=self._size,
                    open=False,
                    timeout=self._patience,
                )
                try:
                    await pool.open()
                except BaseException:
                    await pool.close()
                    raise
                self._pool = pool
            return self._pool

    async def connect(self) -> Connection:
        """Open a connection of its own, which is not one of the pool.

        Raises:
            UnusableStoreError: the server can't be reached.
        """
        try:
            connection = await AsyncConnection.connect(
                self._conninfo, autocommit=True, connect_timeout=self._connect_timeout
            )
        except psycopg.OperationalError as error:
            raise UnusableStoreError(
                f"{self._name()}: {str(error).strip()}: start the server, or correct the"
                " connection string"
            ) from error
        await self._configure(connection)
        return connection

    async def use(self, work: Use[T], *, again: Callable[[], bool] = lambda: True) -> T:
        """Do work on a connection, and do it again if the connection breaks.

        Other errors are raised at once. What an earlier attempt has begun may be committed.

        Args:
            work: what to do.
            again: called after a connection broke; False raises the error.

        Raises:
            psycopg.Error: what the server or the connection reported.
            UnusableStoreError: see `open`.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        pool = await self.open()
        while True:
            try:
                # The server can't report a statement that it gave up if it can't be reached.
                async with pool.connection(timeout=max(deadline - loop.time(), PAUSE)) as rows:
                    async with asyncio.timeout(self._statement_timeout + MARGIN):
                        return await work(rows)
            except psycopg.OperationalError as error:
                if not is_lost(error) or loop.time() >= deadline or not again():
                    raise
                _log.info("A connection to PostgreSQL was lost, and the work is done again")
            # Others that the same restart has broken must not fail one after the other.
            await asyncio.wait_for(pool.check(), self._statement_timeout + MARGIN)
            await asyncio.sleep(PAUSE)

    async def close(self) -> None:
        """Close every connection. Closing again does nothing."""
        self._closed = True
        async with self._opening:
            if self._pool is not None:
                # One of its tasks may be about to connect.
                await self._pool.close(self._connect_timeout + MARGIN)
                self._pool = None

    async def _configure(self, connection: Connection) -> None:
        """Set a new connection up, or close it: the pool leaves it open if this raises."""
        milliseconds = f"{self._statement_timeout * 1000:.0f}"
        try:
            await connection.execute(
                "SELECT set_config('statement_timeout', %s, false)", (milliseconds,)
            )
        except BaseException:
            await connection.close()
            raise

    def _name(self) -> str:
        """Which server it is, without a password."""
        parts = conninfo_to_dict(self._conninfo)
        shown = ("host", "port", "dbname", "user")
        named = " ".join(f"{name}={parts[name]}" for name in shown if name in parts)
        return f"PostgreSQL ({named})" if named else "PostgreSQL"


def is_lost(error: psycopg.Error) -> bool:
    """True if an error means that the connection ended, and not that a statement was wrong."""
    stopped = errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow
    if isinstance(error, stopped):
        return True
    code = error.sqlstate
    return isinstance(error, psycopg.OperationalError) and (code is None or code.startswith("08"))
