"""SQLite files that survive a crash, for the stores of clients and agents."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import Any, Final, TypeVar

__all__ = ["SqliteFile"]

T = TypeVar("T")
PATIENCE = 30.0
"""Seconds to wait while another process writes."""
PAUSE = 0.01
"""Seconds between two attempts to open a file that another process is opening."""

TOGETHER: Final = 1000
"""The most writes in one transaction."""

Work = Callable[[sqlite3.Connection], Any]
Outcomes = list[tuple["asyncio.Future[Any]", Any, BaseException | None]]


class SqliteFile:
    """One SQLite file behind one thread, so that no write blocks the event loop.

    Writes that wait while another one is under way share one transaction, since most of the time
    of a transaction goes into making it durable.

    Work is done in the order of the calls. Work that has begun is finished even if its caller is
    cancelled, so that later work sees it.

    Args:
        path: the file, or `:memory:`.
        schema: statements that create what is missing.
        private: whether only the user may read and write the file, if it is created here.
    """

    def __init__(self, path: str | PathLike[str], schema: str, *, private: bool = False) -> None:
        self._path = path
        self._private = private
        self._schema = schema
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="acp-retry-sqlite")
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        self._waiting: deque[tuple[Work, asyncio.Future[Any]]] = deque()

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run one query and return the result of `work`.

        Raises:
            sqlite3.Error: the file could not be read.
        """
        return await self._run(lambda: work(self._connect()))

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run work in a transaction and return its result.

        The transaction is durable before this returns. If the work raises, nothing that it did
        remains.

        Raises:
            sqlite3.Error: the file could not be read or written.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._waiting.append((work, done))
        try:
            self._thread.submit(self._write_waiting, loop)
        except RuntimeError:  # the file is closed
            self._waiting.pop()
            raise
        return await done

    def close(self) -> None:
        """Finish the work that was requested and close the file. Closing it again does nothing."""
        if not self._closed:
            self._closed = True
            self._thread.submit(self._disconnect).result()
            self._thread.shutdown()

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._named, work)

    def _named(self, work: Callable[[], T]) -> T:
        """Do work, and have the errors of SQLite name the file."""
        try:
            return work()
        except sqlite3.Error as error:
            error.args = (f"{os.fspath(self._path)}: {error}",)
            raise

    def _write_waiting(self, loop: asyncio.AbstractEventLoop) -> None:
        """Write what waits by now, unless an earlier call has done so, and report it."""
        works: list[tuple[Work, asyncio.Future[Any]]] = []
        while self._waiting and len(works) < TOGETHER:
            work, done = self._waiting.popleft()
            if not done.cancelled():
                works.append((work, done))
        if not works:
            return
        outcomes: Outcomes
        try:
            outcomes = self._transact(works)
        except BaseException as error:  # the callers get it
            outcomes = [(done, None, error) for _, done in works]
        with contextlib.suppress(RuntimeError):  # the loop is closed, and nothing waits
            loop.call_soon_threadsafe(_report, outcomes)

    def _transact(self, works: list[tuple[Work, asyncio.Future[Any]]]) -> Outcomes:
        connection = self._connect()
        with connection:
            # A lock at the start can be waited for; a lock taken later may deadlock.
            connection.execute("BEGIN IMMEDIATE")
            if len(works) == 1:
                ((work, done),) = works
                return [(done, work(connection), None)]
            return [(done, *_apart(connection, work)) for work, done in works]

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if self._private and os.fspath(self._path) != ":memory:":
            # SQLite gives the files beside it the same mode.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        deadline = time.monotonic() + PATIENCE
        while True:
            connection = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
            try:
                self._prepare(connection)
            except BaseException as error:
                connection.close()
                if not _is_busy(error) or time.monotonic() >= deadline:
                    raise
            else:
                return connection
            # SQLite's own timeout does not wait while another process switches the file to WAL.
            time.sleep(PAUSE)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        # With WAL, only FULL makes a commit survive a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(self._schema)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _apart(connection: sqlite3.Connection, work: Work) -> tuple[Any, BaseException | None]:
    """Run one work of a transaction. Its error leaves the others as they are.

    Raises:
        sqlite3.Error: SQLite has rolled the whole transaction back.
    """
    connection.execute("SAVEPOINT work")
    try:
        result = work(connection)
    except BaseException as error:
        if not connection.in_transaction:
            raise
        connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")
        return None, error
    connection.execute("RELEASE work")
    return result, None


def _report(outcomes: Outcomes) -> None:
    for done, result, error in outcomes:
        if done.done():
            continue
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)


def _is_busy(error: BaseException) -> bool:
    primary = 0xFF  # the low byte of an extended result code
    return (
        isinstance(error, sqlite3.OperationalError)
        and error.sqlite_errorcode & primary == sqlite3.SQLITE_BUSY
    )
