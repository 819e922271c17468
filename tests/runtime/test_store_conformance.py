"""A store that breaks a promise is found out by the check for it."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import unicodedata
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from acp_retry import (
    Found,
    MemoryStore,
    Message,
    Store,
)
from acp_retry.stores import conformance
from acp_retry.stores.conformance import CHECKS, SHARED_CHECKS, Check, NonconformingError
from agents import sync

ALL = CHECKS + SHARED_CHECKS
by_name = pytest.mark.parametrize("check", ALL, ids=lambda check: check.__name__)


class Broken(MemoryStore):
    """A store in memory that breaks its promises one at a time."""


class FindsAnything(Broken):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await super().find(session_id, record) or Found(str(record))


class TellsAnotherId(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        _, new = await super().insert(message)
        return Found(str(uuid4()), message.digest), new


class InsertsAgain(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        found, _ = await super().insert(message)
        return found, True


class MixesSessions(Broken):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await super().find(session_id.replace("\0", "").lower(), record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        session_id = message.session_id.replace("\0", "").lower()
        return await super().insert(replace(message, session_id=session_id))


class DropsLongBodies(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        if len(message.body) > 2**16:
            return Found(str(message.record)), False
        return await super().insert(message)


class NumbersFromOne(Broken):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await super().find(session_id, record) and Found("1")

    async def insert(self, message: Message) -> tuple[Found, bool]:
        return Found("1"), (await super().insert(message))[1]


class ForgetsNothing(Broken):
    async def forget(self, session_id: str) -> None:
        del session_id


class GoesOnAfterCancel(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        async def later() -> tuple[Found, bool]:
            await asyncio.sleep(0.001)
            return await MemoryStore.insert(self, message)

        return await asyncio.shield(asyncio.ensure_future(later()))


class LooksBeforeItLeaps(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        if await self.find(message.session_id, message.record) is not None:
            return await super().insert(message)
        await asyncio.sleep(0)
        found, _ = await super().insert(message)
        return found, True


class CachesMisses(Broken):
    def __init__(self) -> None:
        super().__init__()
        self.missed: set[UUID] = set()

    async def find(self, session_id: str, record: UUID) -> Found | None:
        found = None if record in self.missed else await super().find(session_id, record)
        if found is None:
            self.missed.add(record)
        return found

    async def insert(self, message: Message) -> tuple[Found, bool]:
        found, new = await super().insert(message)
        return found, new


class ForgesWriters(Broken):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        found = await super().find(session_id, record)
        return None if found is None else replace(found, writer=b"somebody")

    async def insert(self, message: Message) -> tuple[Found, bool]:
        return await super().insert(replace(message, writer=b"somebody"))


@sync
async def test_a_store_that_confuses_writers_is_detected() -> None:
    async def open_store() -> Store:
        return ForgesWriters()

    with pytest.raises(NonconformingError, match="a writer is kept as it came"):
        await conformance.finds_what_was_inserted(open_store)


class Renames(Broken):
    """Stores each session under a name that others have, too."""

    def name(self, session_id: str) -> str:
        raise NotImplementedError

    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await super().find(self.name(session_id), record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        return await super().insert(replace(message, session_id=self.name(message.session_id)))

    async def forget(self, session_id: str) -> None:
        await super().forget(self.name(session_id))


class DropsBlanksAtTheEnd(Renames):
    """As a column does that pads its values."""

    def name(self, session_id: str) -> str:
        return session_id.rstrip(" ")


class DropsBlanksAtTheBeginning(Renames):
    def name(self, session_id: str) -> str:
        return session_id.lstrip()


class EndsAtNul(Renames):
    def name(self, session_id: str) -> str:
        return session_id.split("\0")[0]


class Cuts(Renames):
    """As a column does that is too narrow."""

    def name(self, session_id: str) -> str:
        return session_id[:255]


class Composes(Renames):
    def name(self, session_id: str) -> str:
        return unicodedata.normalize("NFC", session_id)


class DropsAccents(Renames):
    def name(self, session_id: str) -> str:
        plain = unicodedata.normalize("NFD", session_id)
        return "".join(each for each in plain if not unicodedata.combining(each))


class ForgetsByPattern(Broken):
    """Finds messages under their exact name, and forgets those under similar names."""

    async def forget(self, session_id: str) -> None:
        pattern = re.escape(session_id).replace("%", ".*").replace("_", ".")
        for name in list(self._bodies):
            if re.fullmatch(pattern, name, re.DOTALL):
                await super().forget(name)


@pytest.mark.parametrize(
    "kind",
    [
        DropsBlanksAtTheEnd,
        DropsBlanksAtTheBeginning,
        EndsAtNul,
        Cuts,
        Composes,
        DropsAccents,
        ForgetsByPattern,
    ],
)
@sync
async def test_a_store_that_confuses_sessions_is_detected(kind: type[Broken]) -> None:
    store = kind()

    async def open_store() -> Store:
        return store

    with pytest.raises(NonconformingError, match="only"):
        await conformance.keeps_sessions_apart(open_store)


class WantsDigests(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        if message.digest is None:
            raise sqlite3.IntegrityError("NOT NULL constraint failed: acp_message.digest")
        return await super().insert(message)


class WantsWriters(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        if message.writer is None:
            raise sqlite3.IntegrityError("NOT NULL constraint failed: acp_message.writer")
        return await super().insert(message)


class InventsWriters(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        return await super().insert(replace(message, writer=message.writer or b"0" * 16))


@pytest.mark.parametrize("kind", [WantsWriters, InventsWriters])
@sync
async def test_a_store_that_wants_more_than_a_ledger_has_is_found_out(kind: type[Broken]) -> None:
    async def open_store() -> Store:
        return kind()

    with pytest.raises(NonconformingError):
        await conformance.takes_messages_without_digest_or_writer(open_store)


class Process:
    """A store of which only this process knows all that it does."""

    def __init__(self, disk: MemoryStore) -> None:
        self.disk = disk

    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await self.disk.find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        return await self.disk.insert(message)

    async def forget(self, session_id: str) -> None:
        await self.disk.forget(session_id)


class HidesWhatIsForgotten(Process):
    """It is there again after a restart."""

    def __init__(self, disk: MemoryStore) -> None:
        super().__init__(disk)
        self.gone: set[str] = set()

    async def find(self, session_id: str, record: UUID) -> Found | None:
        return None if session_id in self.gone else await super().find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        if message.session_id in self.gone:
            self.gone.discard(message.session_id)
            await super().forget(message.session_id)
        return await super().insert(message)

    async def forget(self, session_id: str) -> None:
        self.gone.add(session_id)


class WritesNoMoreOnceForgotten(Process):
    """What comes into a session that was deleted is lost with the process."""

    def __init__(self, disk: MemoryStore) -> None:
        super().__init__(disk)
        self.memory = MemoryStore()
        self.gone: set[str] = set()

    def of(self, session_id: str) -> MemoryStore:
        return self.memory if session_id in self.gone else self.disk

    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await self.of(session_id).find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        return await self.of(message.session_id).insert(message)

    async def forget(self, session_id: str) -> None:
        await super().forget(session_id)
        self.gone.add(session_id)


class TakesCancelledInsertsBack(Process):
    """What was written by then is there again after a restart."""

    def __init__(self, disk: MemoryStore) -> None:
        super().__init__(disk)
        self.hidden: set[UUID] = set()

    async def find(self, session_id: str, record: UUID) -> Found | None:
        return None if record in self.hidden else await super().find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        if message.record in self.hidden:
            self.hidden.discard(message.record)
            return (await super().insert(message))[0], True
        reported = await super().insert(message)
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.hidden.add(message.record)
            raise
        return reported


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (HidesWhatIsForgotten, conformance.forgets_a_session),
        (WritesNoMoreOnceForgotten, conformance.forgets_a_session),
        (TakesCancelledInsertsBack, conformance.tells_the_truth_after_a_cancelled_insert),
    ],
)
@sync
async def test_what_only_one_process_knows_is_found_out(kind: type[Process], check: Check) -> None:
    disk = MemoryStore()

    async def same() -> Store:
        return process

    async def open_store() -> Store:
        return kind(disk)

    process = kind(disk)
    await check(same)
    with pytest.raises(NonconformingError):
        await check(open_store)


@sync
async def test_an_error_of_a_store_names_the_check() -> None:
    class Full(Broken):
        async def insert(self, message: Message) -> tuple[Found, bool]:
            raise OSError("the disk is full", message)

    async def open_store() -> Store:
        return Full()

    with pytest.raises(OSError, match="full") as failed:
        await conformance.conform(open_store)
    assert failed.value.__notes__[0].startswith("finds_what_was_inserted: ")


BREAKS: dict[Check, type[Broken]] = {
    conformance.misses_what_was_never_inserted: FindsAnything,
    conformance.finds_what_was_inserted: TellsAnotherId,
    conformance.inserts_once: InsertsAgain,
    conformance.keeps_sessions_apart: MixesSessions,
    conformance.takes_messages_without_digest_or_writer: WantsDigests,
    conformance.takes_bodies_of_any_size: DropsLongBodies,
    conformance.tells_ids_apart: NumbersFromOne,
    conformance.forgets_a_session: ForgetsNothing,
    conformance.tells_the_truth_after_a_cancelled_insert: GoesOnAfterCancel,
    conformance.inserts_once_under_a_race: LooksBeforeItLeaps,
    conformance.inserts_once_among_writers: LooksBeforeItLeaps,
    conformance.trusts_no_cached_miss: CachesMisses,
}


@by_name
@sync
async def test_each_check_bites(check: Check) -> None:
    if check is conformance.survives_reopening:

        async def forgetful() -> Store:
            return MemoryStore()

        with pytest.raises(NonconformingError):
            await check(forgetful)
        return
    store = BREAKS[check]()

    async def open_store() -> Store:
        return store

    with pytest.raises(NonconformingError):
        await check(open_store)
