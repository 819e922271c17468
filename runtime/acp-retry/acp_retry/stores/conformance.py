"""Checks that a store keeps the promises that a ledger relies on.

For your own stores, with any test runner::

    async def test_my_store() -> None:
        await conform(lambda: MyStore.open("test.db"))

Every check uses its own sessions with random names, so a shared database is fine.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import product
from typing import Final
from uuid import uuid4

from acp_retry.message_ids import derive_message_id
from acp_retry.store import Found, Message, Store

__all__ = ["CHECKS", "SHARED_CHECKS", "Check", "NonconformingError", "Open", "conform"]

Open = Callable[[], Awaitable[Store]]
"""Opens the storage again, like another process. A store in memory returns itself."""

Check = Callable[[Open], Awaitable[None]]

WRITERS: Final = 8
"""The number of tasks that write at the same time."""
ODD_NAMES: Final = (
    "",
    " ",
    "  ",
    "\t",
    "\n",
    "\0",
    "nul\0",
    "nul\0 and more",
    "nul",
    "quote'\"\\;--",
    "../../etc/passwd",
    "%",
    "_",
    "\U0001f511",
    "e",
    "\u00e9",
    "e\u0301",
    "S",
    "s",
)
"""Prefixes and suffixes that distinguish session IDs which are otherwise equal."""
LONG_NAME: Final = 1_000
"""The length of session IDs in characters that every store has to accept."""


class NonconformingError(AssertionError):
    """A store broke a promise."""


def _expect(kept: bool, promise: str) -> None:
    if not kept:
        raise NonconformingError(promise)


def _message(session_id: str | None = None, body: bytes = b"[]") -> Message:
    session_id = uuid4().hex if session_id is None else session_id
    record = derive_message_id(session_id, uuid4().hex)
    return Message(session_id, record, body, os.urandom(32), os.urandom(16))


async def misses_what_was_never_inserted(open_store: Open) -> None:
    """A record that was never inserted is not found, nor is one in an unknown session."""
    store, message = await open_store(), _message()
    _expect(await store.find(message.session_id, message.record) is None, "find misses")


async def finds_what_was_inserted(open_store: Open) -> None:
    """An inserted record is found, under the `messageId` that `insert` returned."""
    store, message = await open_store(), _message()
    inserted, new = await store.insert(message)
    _expect(new, "the first insert is new")
    found = await store.find(message.session_id, message.record)
    _expect(found == inserted, "find returns what insert returned")
    _expect(inserted.digest in (None, message.digest), "a digest is kept as it came, or not at all")
    _expect(inserted.writer in (None, message.writer), "a writer is kept as it came, or not at all")


async def inserts_once(open_store: Open) -> None:
    """A second insert changes nothing and returns what the first one returned."""
    store, message = await open_store(), _message()
    first, _ = await store.insert(message)
    other = replace(_message(message.session_id, b"other"), record=message.record)
    second, new = await store.insert(other)
    _expect(not new, "the second insert is not new")
    _expect(second == first, "the second insert returns what the first one returned")
    found = await store.find(message.session_id, message.record)
    _expect(found == first, "the second insert changes nothing")


async def keeps_sessions_apart(open_store: Open) -> None:
    """A record is known in its own session only, whatever the session IDs are."""
    store, stem = await open_store(), uuid4().hex
    long = stem.ljust(LONG_NAME - 1, "x")
    # An index may compress names, so that only those of random characters are too long for it.
    points = [int.from_bytes(os.urandom(4)) % 0xF0000 for _ in range(LONG_NAME - 1)]
    random = "".join(chr(0x10000 + point) for point in points)
    names = [*(odd + stem for odd in ODD_NAMES), long + "1", long + "2", random + "1", random + "2"]
    names += [stem + odd for odd in ODD_NAMES if odd]
    messages = [_message(name) for name in names]
    for message in messages:
        _expect((await store.insert(message))[1], "the insert is new")
    for name, message in product(names, messages):
        found = await store.find(name, message.record)
        own = name == message.session_id
        _expect((found is not None) == own, "a record is known in its session only")
    while messages:
        await store.forget(messages.pop().session_id)
        for message in messages:
            found = await store.find(message.session_id, message.record)
            _expect(found is not None, "a session is forgotten under its own name only")


async def takes_messages_without_digest_or_writer(open_store: Open) -> None:
    """A message is stored without a digest or a writer."""
    store = await open_store()
    for digest, writer in product((os.urandom(32), None), (os.urandom(16), None)):
        message = replace(_message(), digest=digest, writer=writer)
        try:
            inserted, new = await store.insert(message)
        except Exception as error:
            raise NonconformingError("a message needs no digest and no writer") from error
        _expect(new, "the insert is new")
        _expect(await store.find(message.session_id, message.record) == inserted, "find returns it")
        _expect(inserted.digest in (None, digest), "a digest is kept as it came, or not at all")
        _expect(inserted.writer in (None, writer), "a writer is kept as it came, or not at all")


async def survives_reopening(open_store: Open) -> None:
    """An inserted message is there when the storage is opened anew."""
    message = _message()
    inserted, _ = await (await open_store()).insert(message)
    again = await open_store()
    _expect(
        await again.find(message.session_id, message.record) == inserted, "a restart loses nothing"
    )
    _expect(not (await again.insert(message))[1], "after a restart, the insert is not new")


async def takes_bodies_of_any_size(open_store: Open) -> None:
    """An empty body and a body of one megabyte are stored."""
    store = await open_store()
    for body in (b"", b"\0" * 2**20):
        message = _message(body=body)
        _expect((await store.insert(message))[1], "the insert is new")


async def tells_ids_apart(open_store: Open) -> None:
    """Two messages of a session have different `messageId`s."""
    store, session_id = await open_store(), uuid4().hex
    ids = {(await store.insert(_message(session_id)))[0].message_id for _ in range(20)}
    _expect(len(ids) == 20, "every message has a messageId of its own")


async def forgets_a_session(open_store: Open) -> None:
    """A deleted session's records are gone, and those of others stay. Deleting again succeeds."""
    store, gone, kept = await open_store(), _message(), _message()
    await store.insert(gone)
    await store.insert(kept)
    await store.forget(gone.session_id)
    await store.forget(gone.session_id)
    _expect(await store.find(gone.session_id, gone.record) is None, "a deleted record is gone")
    _expect(await store.find(kept.session_id, kept.record) is not None, "other sessions stay")
    again = await open_store()
    found = await again.find(gone.session_id, gone.record)
    _expect(found is None, "a deleted record is gone for good")
    _expect(await again.find(kept.session_id, kept.record) is not None, "other sessions stay")
    inserted, new = await store.insert(gone)
    _expect(new, "after the deletion the insert is new")
    found = await (await open_store()).find(gone.session_id, gone.record)
    _expect(found == inserted, "what was inserted after the deletion stays")


async def inserts_once_under_a_race(open_store: Open) -> None:
    """One of several simultaneous inserts is new, and all return the same `messageId`."""
    store = await open_store()
    for _ in range(10):
        message = _message()
        await _race([store] * WRITERS, message)


async def tells_the_truth_after_a_cancelled_insert(open_store: Open) -> None:
    """Once a cancelled insert has ended, it has no later effect."""
    store = await open_store()
    for turns in range(12):
        message = _message()
        task = asyncio.create_task(store.insert(message))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        found = await store.find(message.session_id, message.record)
        await asyncio.sleep(0.005)
        later = await store.find(message.session_id, message.record)
        _expect(found == later, "find shows how a cancelled insert ended")
        again = await (await open_store()).find(message.session_id, message.record)
        _expect(found == again, "a restart changes nothing about a cancelled insert")
        _, new = await store.insert(message)
        _expect(new == (found is None), "insert agrees with find about a cancelled insert")


async def inserts_once_among_writers(open_store: Open) -> None:
    """One of several writers that share the storage inserts, and all return its `messageId`."""
    stores = [await open_store() for _ in range(WRITERS)]
    for _ in range(10):
        message = _message()
        await _race(stores, message)


async def trusts_no_cached_miss(open_store: Open) -> None:
    """A record that another writer inserts is found after it was missed before."""
    reader, writer, message = await open_store(), await open_store(), _message()
    _expect(await reader.find(message.session_id, message.record) is None, "find misses")
    inserted, _ = await writer.insert(message)
    found = await reader.find(message.session_id, message.record)
    _expect(found == inserted, "a miss is not cached")
    await writer.forget(message.session_id)
    found = await reader.find(message.session_id, message.record)
    _expect(found is None, "a hit does not outlive its session")


async def _race(stores: list[Store], message: Message) -> None:
    inserted: list[tuple[Found, bool]] = await asyncio.gather(
        *(each.insert(message) for each in stores)
    )
    _expect(sum(new for _, new in inserted) == 1, "exactly one insert is new")
    _expect(len({found for found, _ in inserted}) == 1, "every insert returns the same messageId")


CHECKS: Final[tuple[Check, ...]] = (
    misses_what_was_never_inserted,
    finds_what_was_inserted,
    inserts_once,
    keeps_sessions_apart,
    takes_messages_without_digest_or_writer,
    survives_reopening,
    takes_bodies_of_any_size,
    tells_ids_apart,
    forgets_a_session,
    tells_the_truth_after_a_cancelled_insert,
)
"""The promises of every store."""

SHARED_CHECKS: Final[tuple[Check, ...]] = (
    inserts_once_under_a_race,
    inserts_once_among_writers,
    trusts_no_cached_miss,
)
"""The promises of a store to which several tasks or processes write."""


async def conform(open_store: Open, *, shared: bool = True) -> None:
    """Run every check on a store.

    Args:
        open_store: opens the storage, any number of times.
        shared: False for a store that relies on the ledger to write one record at a time.

    Raises:
        NonconformingError: the first promise that is not kept, with the check as a note.
        Exception: what the store raised, with the same note.
    """
    for check in CHECKS + (SHARED_CHECKS if shared else ()):
        try:
            await check(open_store)
        except Exception as error:
            error.add_note(f"{check.__name__}: {check.__doc__}")
            raise
