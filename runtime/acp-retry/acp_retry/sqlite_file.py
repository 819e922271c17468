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
from pathlib import Path
from typing import Any, Final, TypeVar

from acp_retry.sqlite_layouts import Tables
from acp_retry.store import UnusableStoreError

__all__ = ["SqliteFile", "StoreInFile"]

T = TypeVar("T")
PATIENCE = 30.0
"""Seconds to wait while another process writes."""
PAUSE = 0.01
"""Seconds between two attempts to open a file that another process is opening."""

MEMORY: Final = ":memory:"

TOGETHER: Final = 1000
"""The most writes in one transaction."""

Work = Callable[[sqlite3.Connection], Any]
Outcomes = list[tuple["asyncio.Future[Any]", Any, BaseException | None]]


class StoreInFile:
    """What the stores in a file of SQLite have in common."""

    _database: SqliteFile

    async def backup(self, target: str | PathLike[str]) -> None:
        """Copy the file as it is now to a new file, which only its owner may read.

        Other work goes on, and the copy needs no other file beside it.

        Raises:
            FileExistsError: the target exists.
            sqlite3.Error: the file could not be copied. The target does not exist then.
        """
        await self._database.backup(target)

    def close(self) -> None:
        """Close the file. Closing it again does nothing."""
        self._database.close()


class SqliteFile:
    """One SQLite file behind one thread, so that no write blocks the event loop.

    Writes that wait while another one is under way share one transaction, since most of the time
    of a transaction goes into making it durable.

    Work is done in the order of the calls. Work that has begun is finished even if its caller is
    cancelled, so that later work sees it.

    The file is opened at once, so that a wrong one is noticed at the start. While another process
    writes, this takes up to 30 seconds.

    Args:
        path: the file, or `:memory:`.
        tables: the tables that are used; created or brought to the newest layout.
        private: whether only the user may read and write the file, if it is created here.

    Raises:
        UnusableStoreError: the file can't be read and written, or is not of this kind.
    """

    def __init__(self, path: str | PathLike[str], tables: Tables, *, private: bool = False) -> None:
        self._path = os.fspath(path)
        self._private = private
        self._tables = tables
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="acp-retry-sqlite")
        self._closed = False
        self._waiting: deque[tuple[Work, asyncio.Future[Any]]] = deque()
        try:
            self._connection = self._thread.submit(self._open).result()
        except BaseException as error:
            self._closed = True
            self._thread.shutdown()
            if isinstance(error, sqlite3.Error | OSError):
                raise UnusableStoreError(f"{self._path}: {_reason(error)}") from None
            raise

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run one query and return the result of `work`.

        Raises:
            sqlite3.Error: the file could not be read.
        """
        return await self._run(lambda: work(self._connection))

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run work in a transaction and return its result.

        The transaction is durable before this returns. If the work raises, all that it did is
        undone.

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

    async def backup(self, target: str | PathLike[str]) -> None:
        """Copy the file as it is now to a new file, while other work goes on.

        The copy is whole, needs no other file beside it, and only its owner may read it.

        Raises:
            FileExistsError: the target exists.
            sqlite3.Error: the file could not be copied. The target does not exist then.
        """
        if self._path == MEMORY:  # another connection would have a memory of its own
            await self._run(lambda: _copy(self._connection, Path(target)))
            return

        def work() -> None:
            # A connection of its own does not delay what the thread of this file does.
            with contextlib.closing(sqlite3.connect(self._path, timeout=PATIENCE)) as connection:
                _copy(connection, Path(target))

        await asyncio.to_thread(self._named, work)

    def close(self) -> None:
        """Finish the work that was requested and close the file. Closing it again does nothing."""
        if not self._closed:
            self._closed = True
            self._thread.submit(self._connection.close).result()
            self._thread.shutdown()

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._named, work)

    def _named(self, work: Callable[[], T]) -> T:
        """Do work, and have the errors of SQLite name the file."""
        try:
            return work()
        except sqlite3.Error as error:
            error.args = (f"{self._path}: {error}",)
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
        connection = self._connection
        with connection:
            # A lock at the start can be waited for; a lock taken later may deadlock.
            connection.execute("BEGIN IMMEDIATE")
            if len(works) == 1:
                ((work, done),) = works
                return [(done, work(connection), None)]
            return [(done, *_apart(connection, work)) for work, done in works]

    def _open(self) -> sqlite3.Connection:
        if self._private and self._path != MEMORY:
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
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            self._tables.migrate(connection, self._path)


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
    return _code(error) == sqlite3.SQLITE_BUSY


def _code(error: BaseException) -> int | None:
    """The low byte of an extended result code of SQLite."""
    code: object = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def _reason(error: BaseException) -> str:
    """What is wrong with a file that can't be opened, and what to do."""
    if isinstance(error, OSError):
        return f"{error.strerror}: {WRITABLE}"
    return f"{error}: {ADVICE.get(_code(error) or 0, WRITABLE)}"


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        connection.execute("VACUUM INTO ?", (os.fspath(target),))
        _make_durable(target)
    except BaseException:
        target.unlink()
        raise


def _make_durable(path: Path) -> None:
    # On POSIX the name of a file is durable once its folder is.
    for each in (path, path.parent) if os.name == "posix" else (path,):
        descriptor = os.open(each, os.O_RDONLY if each is not path else os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


WRITABLE: Final = "name a file that can be written, in a folder that exists and can be written"
ADVICE: Final = {
    sqlite3.SQLITE_NOTADB: "name a file that acp_retry has created, or one that does not exist",
    sqlite3.SQLITE_CORRUPT: "the file is damaged, so restore a backup of it",
    sqlite3.SQLITE_BUSY: "end the process that has locked the file",
    sqlite3.SQLITE_FULL: "make room on the disk",
}
