"""Prompts that another agent inserts, under message IDs of its own.

For adapters and proxies in front of an agent that knows no keys and chooses its own IDs. Key and
message can't be stored in one step then (RFD, Adapter validation). So each prompt is noted before
it is forwarded, and its `messageId` once it is known. What a crash leaves in between is forwarded
with an unknown outcome, and only the history of the agent can tell.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta
from os import PathLike
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

from acp_retry.outcome import CANCELLED, INTERNAL_ERROR, RequestFailedError
from acp_retry.prompt_events import label
from acp_retry.retention import pruned_before
from acp_retry.settling_gate import SettlingGate
from acp_retry.sqlite_file import SqliteFile, StoreInFile
from acp_retry.sqlite_layouts import AddedColumn, Tables
from acp_retry.store import Found, Message
from acp_retry.submission import Submission

__all__ = ["ForwardedPrompt", "ForwardingStore", "OutcomeUnknownError"]

CREATE = (
    """CREATE TABLE IF NOT EXISTS acp_forwarded (
      position INTEGER PRIMARY KEY,
      session_id BLOB NOT NULL,
      record BLOB NOT NULL,
      message_id TEXT,
      prompt BLOB,
      digest BLOB,
      UNIQUE (session_id, record)
    )""",
)
# Some files of layout 1 have it. The time of an older row is not known, and it counts as new.
ADD_TIME = AddedColumn(
    "acp_forwarded",
    "created_at",
    (
        "ALTER TABLE acp_forwarded ADD COLUMN created_at REAL NOT NULL DEFAULT 0",
        "UPDATE acp_forwarded SET created_at = (julianday('now') - 2440587.5) * 86400",
    ),
)
TABLES: Final = Tables(
    "acp_forwarded",
    (CREATE, (ADD_TIME,)),
    {"acp_forwarded": ("session_id", "record", "message_id", "prompt", "digest", "created_at")},
)
IDLE: Final = "SELECT session_id FROM acp_forwarded GROUP BY session_id HAVING max(created_at) < ?"

_log = logging.getLogger(__name__)

_Name = tuple[str, UUID]


class OutcomeUnknownError(RequestFailedError):
    """A prompt was forwarded, and it is not known whether it was inserted: -32603.

    Args:
        reason: why it is not known, for the sender.
    """

    def __init__(self, reason: str) -> None:
        data = {"reason": f"The prompt was forwarded, and its outcome is unknown: {reason}"}
        super().__init__(RequestFailedError.of(INTERNAL_ERROR, "Internal error", data).refused)


@dataclass(frozen=True, slots=True)
class ForwardedPrompt:
    """A prompt that was forwarded, and whose outcome is unknown.

    `known` holds the message IDs of the session's other prompts, with and without keys. They belong
    to those.
    """

    session_id: str
    prompt: object = field(repr=False)
    known: frozenset[str]


@dataclass(eq=False, slots=True)
class _Flight:
    """A prompt between its arrival and its insertion."""

    submission: Submission
    task: asyncio.Task[str] | None = None
    withdrawn: bool = False


class ForwardingStore(StoreInFile):
    """A `Store` and the handler of its `KeyLedger`: `KeyLedger(store, store.handle)`.

    The answer of the other agent is stored before the sender gets it. An error of the other agent
    frees the key, and the sender gets it as it is. After any other failure the prompt waits without
    an answer, since an error would mean that nothing was inserted: `settle` decides, at once and
    after each `agent_returned`. An attempt under the same key in a later process asks `settle`, and
    gets the error of `settle` if the outcome can't be known.

    While a prompt of a session is settled, no other prompt of that session is forwarded or settled,
    since both could be taken for the same message. It waits for those that are with the agent.

    A prompt without a key leaves an entry with its `messageId` only, so that no other prompt is
    taken for it. Only one process may use the file.

    Args:
        path: an SQLite file; created if it is missing, for its owner only.
        send: forwards a prompt without its key, and returns the agent's `messageId`. It raises
            `RequestFailedError` if the agent has answered with an error. Any other error means that
            the outcome is unknown.
        withdraw: asks the agent to cancel a prompt that was sent. `send` then returns or raises as
            the agent answers.
        settle: finds a prompt in the agent's history. It returns the `messageId`, or None if the
            prompt surely was not inserted, and raises `OutcomeUnknownError` if that can't be known.
            By default it never can.
        now: the clock of `created_at` and `prune`, in seconds since the epoch.

    Raises:
        UnusableStoreError: the file can't be read and written, or is not of this kind.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        send: Callable[[Submission], Awaitable[str]],
        *,
        withdraw: Callable[[Submission], Awaitable[None]] | None = None,
        settle: Callable[[ForwardedPrompt], Awaitable[str | None]] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database = SqliteFile(path, TABLES, private=True)
        self._now = now
        self._gates: WeakValueDictionary[str, SettlingGate] = WeakValueDictionary()
        self._send = send
        self._withdraw = withdraw
        self._settle = settle or _unknown
        self._flights: dict[_Name, _Flight] = {}
        self._returned = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def handle(self, submission: Submission) -> None:
        """Forward a prompt, and insert it once the agent has. The handler of the ledger."""
        name = _name(submission)
        flight = self._flights[name] = _Flight(submission)
        task = flight.task = asyncio.create_task(self._fly(name, flight))
        task.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            await asyncio.shield(task)
            await submission.insert(b"")
        except asyncio.CancelledError:
            self._give_up(flight)
            raise
        finally:
            if task.done():
                self._flights.pop(name, None)
            else:  # `find` waits for what the agent makes of it
                task.add_done_callback(lambda _: self._flights.pop(name, None))

    def agent_returned(self) -> None:
        """Settle what was forwarded before the agent was lost. It can be reached again."""
        self._returned.set()
        self._returned = asyncio.Event()

    async def unsettled(self) -> list[tuple[str, str]]:
        """Return session and derived message ID of the prompts whose outcome is unknown."""
        select = "SELECT session_id, record FROM acp_forwarded WHERE message_id IS NULL"
        rows = await self._database.read(lambda rows: rows.execute(select).fetchall())
        return [(session_id.decode(), str(UUID(bytes=record))) for session_id, record in rows]

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """See `Store.find`. Waits for a prompt that is with the agent.

        Raises:
            OutcomeUnknownError: the prompt was forwarded, and `settle` can't tell its outcome.
        """
        name = session_id, record
        flight = self._flights.get(name)
        if flight is not None and flight.task is not None:
            await asyncio.wait([flight.task])
        found = await self._database.read(lambda rows: _row(rows, name))
        if found is None:
            return None
        message_id, digest = found
        if message_id is None:
            message_id = await self._outcome(name)
        return None if message_id is None else Found(message_id, digest)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """See `Store.insert`. The agent has the message already."""
        name = message.session_id, message.record
        found = await self._database.write(lambda rows: _add_digest(rows, name, message.digest))
        if found is None or found[0] is None:
            raise OutcomeUnknownError("it is not in the file any more")
        return Found(found[0], message.digest, message.writer), True

    async def forget(self, session_id: str) -> None:
        """See `Store.forget`."""
        delete = "DELETE FROM acp_forwarded WHERE session_id = ?"
        await self._database.write(lambda rows: rows.execute(delete, (session_id.encode(),)))

    async def prune(self, older_than: timedelta, *, keep: Collection[str] = ()) -> int:
        """Remove sessions in which nothing was forwarded for some time. Return their number.

        A session goes as a whole. A retry of one of its prompts is then forwarded again.

        Args:
            older_than: how long ago the latest prompt was forwarded.
            keep: sessions that stay, such as those that the agent still has.

        Raises:
            ValueError: `older_than` is negative.
        """
        latest = pruned_before(older_than, self._now())
        kept = {name.encode() for name in keep} | {name.encode() for name, _ in self._flights}
        return await self._database.write(lambda rows: _prune(rows, latest, kept))

    async def _fly(self, name: _Name, flight: _Flight) -> str:
        """Forward a prompt until its outcome is known, and return its `messageId`.

        Raises:
            RequestFailedError: it was refused or withdrawn.
        """
        message_id: str | None = None
        while message_id is None:
            message_id = await self._forward(name, flight)
            if message_id is None:
                message_id = await self._certain_outcome(name)
        return message_id

    async def _forward(self, name: _Name, flight: _Flight) -> str | None:
        """Forward a prompt once, and return its `messageId`, or None if that is unknown.

        Raises:
            RequestFailedError: it was refused or withdrawn.
        """
        prompt = json.dumps(flight.submission.prompt).encode()
        await self._database.write(lambda rows: _add(rows, name, prompt, self._now()))
        async with self._gate(name).forwarding():
            if flight.withdrawn:
                await self._set(name, None)
                raise RequestFailedError(CANCELLED)
            try:
                message_id = await self._send(flight.submission)
            except RequestFailedError:
                await self._set(name, None)
                raise
            except Exception:
                _log.exception("%s: forwarded, outcome unknown", label(name[0], str(name[1])))
                return None
            await self._set(name, message_id)
        return message_id

    async def _certain_outcome(self, name: _Name) -> str | None:
        """Return the outcome, however long it is unknown."""
        while True:
            returned = self._returned
            try:
                return await self._outcome(name)
            except Exception:
                _log.warning("%s: the outcome stays unknown", label(name[0], str(name[1])))
            await returned.wait()

    async def _outcome(self, name: _Name) -> str | None:
        """Settle a prompt of unknown outcome, and store that."""
        async with self._gate(name).settling():
            found = await self._database.read(lambda rows: _row(rows, name))
            if found is None or found[0] is not None:  # another attempt has settled it
                return None if found is None else found[0]
            forwarded = await self._database.read(lambda rows: _forwarded(rows, name))
            message_id = await self._settle(forwarded)
            await self._set(name, message_id)
        return message_id

    def _gate(self, name: _Name) -> SettlingGate:
        return self._gates.setdefault(name[0], SettlingGate())

    def _give_up(self, flight: _Flight) -> None:
        flight.withdrawn = True
        if self._withdraw is not None and flight.task is not None and not flight.task.done():
            task = asyncio.create_task(_quietly(self._withdraw(flight.submission)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _set(self, name: _Name, message_id: str | None) -> None:
        """Store the `messageId` of a prompt. None removes a prompt that was not inserted."""
        await self._database.write(lambda rows: _change(rows, name, message_id))


async def _unknown(prompt: ForwardedPrompt) -> str | None:
    del prompt
    raise OutcomeUnknownError("the agent did not answer")


async def _quietly(withdrawing: Awaitable[None]) -> None:
    try:
        await withdrawing
    except ConnectionError:
        _log.info("The connection was lost before a cancellation left")
    except Exception:
        _log.exception("A prompt could not be withdrawn")


def _name(submission: Submission) -> _Name:
    return submission.session_id, UUID(submission.message_id)


def _key(name: _Name) -> tuple[bytes, bytes]:
    return name[0].encode(), name[1].bytes


def _row(rows: sqlite3.Connection, name: _Name) -> tuple[str | None, bytes | None] | None:
    select = "SELECT message_id, digest FROM acp_forwarded WHERE session_id = ? AND record = ?"
    found: tuple[str | None, bytes | None] | None = rows.execute(select, _key(name)).fetchone()
    return found


def _add(rows: sqlite3.Connection, name: _Name, prompt: bytes, now: float) -> None:
    insert = (
        "INSERT OR IGNORE INTO acp_forwarded (session_id, record, prompt, created_at)"
        " VALUES (?, ?, ?, ?)"
    )
    rows.execute(insert, (*_key(name), prompt, now))


def _prune(rows: sqlite3.Connection, latest: float, kept: Collection[bytes]) -> int:
    idle = [name for (name,) in rows.execute(IDLE, (latest,)).fetchall() if name not in kept]
    for name in idle:
        rows.execute("DELETE FROM acp_forwarded WHERE session_id = ?", (name,))
    return len(idle)


def _add_digest(
    rows: sqlite3.Connection, name: _Name, digest: bytes | None
) -> tuple[str | None, bytes | None] | None:
    update = "UPDATE acp_forwarded SET digest = ? WHERE session_id = ? AND record = ?"
    if digest is not None:
        rows.execute(update, (digest, *_key(name)))
    return _row(rows, name)


def _change(rows: sqlite3.Connection, name: _Name, message_id: str | None) -> None:
    if message_id is None:
        delete = "DELETE FROM acp_forwarded WHERE session_id = ? AND record = ?"
        rows.execute(delete, _key(name))
        return
    # The prompt is needed only as long as the outcome is unknown.
    update = (
        "UPDATE acp_forwarded SET message_id = ?, prompt = NULL WHERE session_id = ? AND record = ?"
    )
    rows.execute(update, (message_id, *_key(name)))


def _forwarded(rows: sqlite3.Connection, name: _Name) -> ForwardedPrompt:
    session_id, record = _key(name)
    select = "SELECT record, message_id, prompt FROM acp_forwarded WHERE session_id = ?"
    found = rows.execute(select, (session_id,)).fetchall()
    known = frozenset(message_id for _, message_id, _ in found if message_id is not None)
    prompt = next((prompt for other, _, prompt in found if other == record), None)
    return ForwardedPrompt(name[0], json.loads(prompt or b"null"), known)
