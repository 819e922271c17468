"""Where a client keeps the prompts that are not answered yet."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from os import PathLike
from typing import Final, Protocol
from uuid import uuid4

from acp_retry.outcome import NotSent, Refused, Unknown
from acp_retry.sqlite_file import SqliteFile, StoreInFile
from acp_retry.sqlite_layouts import AddedColumn, Tables

__all__ = ["MemoryOutbox", "Mode", "OutboxStore", "SqliteOutbox", "StoredPrompt"]


_log = logging.getLogger(__name__)

OFFLINE: Final = NotSent("the session is on no connection")


class Mode(StrEnum):
    """How a prompt is resent: by itself, or as the application decides."""

    PENDING = "pending"
    """It may be resent: every attempt carries the key."""

    REFUSED = "refused"
    """Its latest answer is an error. The application decides; the key stays valid."""

    AMBIGUOUS = "ambiguous"
    """Its latest answer has neither a `messageId` nor an error, which v2 does not allow. Neither
    the outcome nor the agent's treatment of keys is known, so the application decides."""

    UNKEYED = "unkeyed"
    """It was sent without a key, to an agent of v1. Resending it would be a new submission."""


@dataclass(frozen=True, slots=True)
class StoredPrompt:
    """One submission: what each attempt sends, and what a restarted client has to know.

    `prompt` holds the content blocks as JSON text, `submitted` the time in seconds since the epoch.
    `sent` is false while no attempt can have left, and again if the attempt after an error never
    left. `refused` is a definite error. `id` distinguishes it from a submission of another process
    under the same key, with 16 random bytes.
    """

    session_id: str
    key: str = field(repr=False)
    prompt: str = field(repr=False)
    submitted: float
    mode: Mode = Mode.PENDING
    sent: bool = False
    refused: Refused | None = None
    id: bytes = field(default_factory=lambda: uuid4().bytes, repr=False)

    @property
    def outcome(self) -> NotSent | Unknown | Refused:
        """The outcome that is known after a restart."""
        if self.refused is not None:
            return self.refused
        return Unknown("the client was restarted") if self.sent else OFFLINE


class OutboxStore(Protocol):
    """Keeps entries in the order in which they were added, at most one for a session and key.

    `mark` and `remove` change the entry of the same `id` only. `Outbox.submit`, `resend` and
    `withdraw` raise what a method raises; a later outcome of the prompt is then known in memory
    only.
    """

    async def add(self, entry: StoredPrompt) -> None:
        """Store an entry durably before returning.

        Raises:
            ValueError: the session and key have another entry, which stays unchanged.
        """
        ...

    async def mark(self, entry: StoredPrompt, mode: Mode) -> None:
        """Store another mode of an entry, durably before returning.

        Its other fields may have changed as well, and are stored too.
        """
        ...

    async def remove(self, entry: StoredPrompt) -> None:
        """Remove an entry. A missing entry is not an error."""
        ...

    async def entries(self) -> list[StoredPrompt]:
        """Return every entry, oldest first."""
        ...


class MemoryOutbox:
    """Entries that end with the process: they outlive connections, but not the client."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], StoredPrompt] = {}

    async def add(self, entry: StoredPrompt) -> None:
        """See `OutboxStore.add`."""
        if (entry.session_id, entry.key) in self._entries:
            raise _taken()
        self._entries[entry.session_id, entry.key] = entry

    async def mark(self, entry: StoredPrompt, mode: Mode) -> None:
        """See `OutboxStore.mark`."""
        if self._has(entry):
            self._entries[entry.session_id, entry.key] = replace(entry, mode=mode)

    async def remove(self, entry: StoredPrompt) -> None:
        """See `OutboxStore.remove`."""
        if self._has(entry):
            del self._entries[entry.session_id, entry.key]

    async def entries(self) -> list[StoredPrompt]:
        """See `OutboxStore.entries`."""
        return list(self._entries.values())

    def _has(self, entry: StoredPrompt) -> bool:
        known = self._entries.get((entry.session_id, entry.key))
        return known is not None and known.id == entry.id


CREATE = """CREATE TABLE IF NOT EXISTS acp_outbox (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id BLOB NOT NULL,
  key BLOB NOT NULL,
  prompt TEXT NOT NULL,
  submitted REAL NOT NULL,
  mode TEXT NOT NULL,
  sent INTEGER NOT NULL,
  refused TEXT,
  id BLOB NOT NULL UNIQUE,
  UNIQUE (session_id, key)
)"""
# An older prompt may have left, and its error is not known.
ADD_SENT = AddedColumn(
    "acp_outbox",
    "sent",
    (
        "ALTER TABLE acp_outbox ADD COLUMN sent INTEGER NOT NULL DEFAULT 1",
        "ALTER TABLE acp_outbox ADD COLUMN refused TEXT",
    ),
)
# A column that is unique can't be added to a table.
ADD_ID = AddedColumn(
    "acp_outbox",
    "id",
    (
        "ALTER TABLE acp_outbox RENAME TO acp_outbox_without_id",
        CREATE,
        "INSERT INTO acp_outbox (session_id, key, prompt, submitted, mode, sent, refused, id)"
        " SELECT session_id, key, prompt, submitted, mode, sent, refused, randomblob(16)"
        " FROM acp_outbox_without_id ORDER BY position",
        "DROP TABLE acp_outbox_without_id",
    ),
)
RENAME_TIME = "ALTER TABLE acp_outbox RENAME COLUMN submitted TO created_at"
RENAME_MODE = "UPDATE acp_outbox SET mode = 'ambiguous' WHERE mode = 'untold'"
COLUMNS = ("session_id", "key", "prompt", "created_at", "mode", "sent", "refused", "id")
TABLES: Final = Tables(
    "acp_outbox",
    ((CREATE, ADD_SENT, ADD_ID), (RENAME_TIME, RENAME_MODE)),
    {"acp_outbox": COLUMNS},
)


class SqliteOutbox(StoreInFile):
    """Entries in an SQLite file, on the disk before the first byte of a request leaves.

    The file contains prompts and keys, so it is created with mode 0600. It is for one process at a
    time: another process treats its entries as left behind.

    Args:
        path: the file; created if it is missing.

    Raises:
        UnusableStoreError: the file can't be read and written, or is not of this kind.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = path
        self._database = SqliteFile(path, TABLES, private=True)

    async def add(self, entry: StoredPrompt) -> None:
        """See `OutboxStore.add`."""
        insert = (
            "INSERT INTO acp_outbox (session_id, key, prompt, created_at, mode, sent, refused, id)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session_id, key) DO NOTHING"
        )
        name = entry.session_id.encode(), entry.key.encode()
        known = _known(entry, entry.mode)
        values = (*name, entry.prompt, entry.submitted, *known, entry.id)
        added = await self._database.write(lambda rows: rows.execute(insert, values).rowcount)
        if not added:
            raise _taken()

    async def mark(self, entry: StoredPrompt, mode: Mode) -> None:
        """See `OutboxStore.mark`."""
        update = "UPDATE acp_outbox SET mode = ?, sent = ?, refused = ? WHERE id = ?"
        values = (*_known(entry, mode), entry.id)
        await self._database.write(lambda rows: rows.execute(update, values))

    async def remove(self, entry: StoredPrompt) -> None:
        """See `OutboxStore.remove`."""
        delete = "DELETE FROM acp_outbox WHERE id = ?"
        await self._database.write(lambda rows: rows.execute(delete, (entry.id,)))

    async def entries(self) -> list[StoredPrompt]:
        """See `OutboxStore.entries`. A row that can't be read is logged and left in the file."""
        select = (
            "SELECT position, session_id, key, prompt, created_at, mode, sent, refused, id"
            " FROM acp_outbox ORDER BY position"
        )
        rows = await self._database.read(lambda database: database.execute(select).fetchall())
        read = [(position, _entry(row)) for position, *row in rows]
        for position, entry in read:
            if isinstance(entry, str):
                _log.error("%s: row %s can't be read: its %s", self._path, position, entry)
        return [entry for _, entry in read if not isinstance(entry, str)]


def _entry(row: Sequence[object]) -> StoredPrompt | str:
    """The entry of a row, or what is wrong with it. Neither key nor prompt is named."""
    session, key, prompt, submitted, mode, sent, refused, id_ = row
    if not (isinstance(session, bytes) and isinstance(key, bytes) and isinstance(id_, bytes)):
        return "session, key or id is not bytes"
    if not (isinstance(prompt, str) and _is_json(prompt)):
        return "prompt is not JSON"
    if not isinstance(submitted, int | float):
        return "time is not a number"
    try:
        error = None if refused is None else Refused(*json.loads(str(refused)))
        return StoredPrompt(
            session.decode(),
            key.decode(),
            prompt,
            submitted,
            Mode(str(mode)),
            bool(sent),
            error,
            id_,
        )
    except UnicodeDecodeError:
        return "session or key is not UTF-8"
    except (ValueError, TypeError):
        return "mode or error is unknown"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _known(entry: StoredPrompt, mode: Mode) -> tuple[str, bool, str | None]:
    refused = entry.refused
    error = None if refused is None else (refused.code, refused.message, refused.data)
    # `data` from a custom link may not be JSON
    return mode.value, entry.sent, None if error is None else json.dumps(error, default=repr)


def _taken() -> ValueError:
    return ValueError(
        "the key belongs to a prompt that another process has put in the outbox: leave it to that"
        " process, or use a key of your own"
    )
