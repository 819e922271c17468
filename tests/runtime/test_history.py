"""The index of a runtime's history: read once, whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any
from uuid import uuid4

import pytest

from acp_retry import HistoryIndex, HistoryStore, Message, derive_message_id
from acp_retry.stores.conformance import NonconformingError, survives_reopening
from agents import Agent, settle, sync

KEYS = [derive_message_id("s", key) for key in "abcdef"]
IDS = [str(key) for key in KEYS]


class History:
    """Pages of IDs, each behind a gate."""

    def __init__(self, *pages: list[str]) -> None:
        self.pages = pages
        self.reads = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.broken_at: int | None = None

    async def read(self, session_id: str) -> AsyncIterator[Iterable[str]]:
        assert session_id == "s"
        self.reads += 1
        for number, page in enumerate(self.pages):
            await self.gate.wait()
            if number == self.broken_at:
                raise OSError("the page is gone")
            yield page


@sync
async def test_every_page_is_known_after_one_read() -> None:
    history = History(IDS[:2], [], IDS[2:4])
    index = HistoryIndex(history.read)
    found = [await index.contains("s", key) for key in KEYS]
    assert found == [True] * 4 + [False] * 2
    assert history.reads == 1


@sync
async def test_no_question_is_answered_before_the_last_page() -> None:
    history = History(IDS[:1], IDS[1:2])
    history.gate.clear()
    index = HistoryIndex(history.read)
    asked = [asyncio.ensure_future(index.contains("s", key)) for key in KEYS[:3]]
    await settle()
    assert not any(task.done() for task in asked)
    history.gate.set()
    assert [await task for task in asked] == [True, True, False]
    assert history.reads == 1


@sync
async def test_a_failed_read_answers_no_question() -> None:
    history = History(IDS[:1], IDS[1:])
    history.broken_at = 1
    index = HistoryIndex(history.read)
    asked = await asyncio.gather(
        *(index.contains("s", key) for key in KEYS[:3]), return_exceptions=True
    )
    assert [type(each) for each in asked] == [OSError] * 3
    with pytest.raises(OSError, match="gone"):
        await index.contains("s", KEYS[0])
    history.broken_at = None
    assert await index.contains("s", KEYS[5])
    assert history.reads == 3


@sync
async def test_one_who_gives_up_does_not_end_the_read() -> None:
    history = History(IDS)
    history.gate.clear()
    index = HistoryIndex(history.read)
    one, other = (asyncio.ensure_future(index.contains("s", key)) for key in KEYS[:2])
    await settle()
    one.cancel()
    await settle()
    history.gate.set()
    assert await other
    assert history.reads == 1


@sync
async def test_a_message_that_is_inserted_during_the_read_is_known() -> None:
    history = History(IDS[:1])
    history.gate.clear()
    index = HistoryIndex(history.read)
    asked = asyncio.ensure_future(index.contains("s", KEYS[1]))
    await settle()
    index.add("s", KEYS[1])
    history.gate.set()
    assert await asked


@sync
async def test_a_replay_fills_it() -> None:
    history = History(IDS)
    index = HistoryIndex(history.read)
    with index.replay("s") as replay:
        replay.add(IDS[:2])
        replay.add(["not an id", "z" * 14 + "5" + "z" * 21, str(uuid4()), *IDS[1:2]])
    assert [await index.contains("s", key) for key in KEYS[:3]] == [True, True, False]
    assert history.reads == 0


@sync
async def test_half_a_replay_does_not_fill_it() -> None:
    history = History(IDS)
    index = HistoryIndex(history.read)

    def break_off() -> None:
        with index.replay("s") as replay:
            replay.add(IDS[:1])
            raise OSError("the client is gone")

    with pytest.raises(OSError, match="gone"):
        break_off()
    assert await index.contains("s", KEYS[5])
    assert history.reads == 1


@sync
async def test_a_session_that_is_forgotten_during_the_read_is_read_again() -> None:
    history = History(IDS)
    history.gate.clear()
    index = HistoryIndex(history.read)
    asked = asyncio.ensure_future(index.contains("s", KEYS[0]))
    await settle()
    index.forget("s")
    history.pages = ([],)
    history.gate.set()
    assert not await asked
    assert history.reads == 2


@sync
async def test_an_insertion_in_doubt_is_looked_up() -> None:
    """The runtime accepted the message and died before it answered."""
    history = History([])

    async def submit(message: Message) -> None:
        history.pages = ([str(message.record)],)
        raise ConnectionError("the runtime is gone")

    async def remove(session_id: str) -> None:
        raise NotImplementedError(session_id)

    agent = Agent(HistoryStore(HistoryIndex(history.read), submit, remove))
    client = agent.connect()
    inserted = str(derive_message_id("s", "k"))
    assert await client.ask().answer() == inserted
    assert await client.ask().answer() == inserted
    assert agent.turns == [inserted]


NO_PAGES: list[tuple[str, list[Any]]] = [
    ("one by one", IDS),
    ("UUIDs", [KEYS]),
    ("nothing", [[None]]),
    ("numbers", [[5]]),
    ("bytes", [IDS[0].encode()]),
    ("no page", [None]),
    ("empty", [""]),
]


@pytest.mark.parametrize(("name", "pages"), NO_PAGES, ids=[name for name, _ in NO_PAGES])
@sync
async def test_a_wrong_page_answers_no_question(name: str, pages: list[Any]) -> None:
    del name
    index = HistoryIndex(History(*pages).read)
    for _ in range(2):
        with pytest.raises(TypeError):
            await index.contains("s", KEYS[0])

    def fill() -> None:
        with index.replay("s") as replay:
            for page in pages:
                replay.add(page)

    with pytest.raises(TypeError):
        fill()
    with pytest.raises(TypeError):
        await index.contains("s", KEYS[0])


FORMS: dict[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "no dashes": lambda id_: id_.replace("-", ""),
    "a prefix": "msg_{}".format,
    "a prefix of digits": "5{}".format,
    "a URN": "urn:uuid:{}".format,
    "a suffix": "{}/0".format,
    "all of it": lambda id_: f"MSG_{id_.replace('-', '').upper()}:5",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@sync
async def test_a_uuid_is_known_in_whatever_id(form: Callable[[str], str]) -> None:
    index = HistoryIndex(History([form(each) for each in IDS[:2]]).read)
    assert [await index.contains("s", key) for key in KEYS[:3]] == [True, True, False]


class Runtime(History):
    """A runtime that shows each message in a way of its own."""

    def __init__(self, shown: Callable[[str], str]) -> None:
        super().__init__()
        self.shown = shown
        self.ids: list[str] = []

    async def read(self, session_id: str) -> AsyncIterator[Iterable[str]]:
        del session_id
        self.reads += 1
        for page in self.pages:
            yield page

    async def submit(self, message: Message) -> None:
        self.ids.append(str(message.record))
        self.pages += ([self.shown(str(message.record))],)

    async def remove(self, session_id: str) -> None:
        raise NotImplementedError(session_id)

    async def open(self) -> HistoryStore:
        return HistoryStore(HistoryIndex(self.read), self.submit, self.remove)


WRONG: dict[str, Callable[[str], str]] = {
    "another UUID": lambda id_: str(uuid4()) if id_ else "",
    "turned round": lambda id_: id_[::-1],
    "nothing": lambda id_: id_[:0],
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@sync
async def test_a_reader_that_leaves_out_what_was_inserted_is_noticed(
    wrong: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    runtime = Runtime(wrong)
    agent = Agent(await runtime.open())
    client = agent.connect()
    first = await client.ask().answer()
    for key in ("k", "k2", "k2"):
        assert (await client.ask(key=key).error())["code"] == -32603
    assert agent.turns == runtime.ids == [first]
    assert "its reader must yield the ID" in caplog.text
    with pytest.raises(NonconformingError):
        await survives_reopening(Runtime(wrong).open)


@sync
async def test_a_reader_that_shows_an_insertion_is_trusted() -> None:
    runtime = Runtime(str)
    client = Agent(await runtime.open()).connect()
    for number in range(4):
        await client.ask(key=f"{number}").answer()
        await client.ask(key=f"{number}").answer()
    assert runtime.reads == 2


@sync
async def test_a_replay_that_leaves_out_what_was_inserted_fills_nothing() -> None:
    runtime = Runtime(str)
    store = await runtime.open()
    index = vars(store)["_index"]
    client = Agent(store).connect()
    for _ in range(2):
        inserted = await client.ask().answer()

    def fill() -> None:
        with index.replay("s") as replay:
            replay.add(["msg_1"])

    with pytest.raises(LookupError):
        fill()
    assert await client.ask().answer() == inserted
    assert runtime.reads == 3


@sync
async def test_what_is_inserted_during_a_read_need_not_be_in_it() -> None:
    history = History([])
    history.gate.clear()
    index = HistoryIndex(history.read)
    asked = asyncio.ensure_future(index.contains("s", KEYS[0]))
    await settle()
    index.add("s", KEYS[0])
    history.gate.set()
    assert await asked
    assert history.reads == 1


@sync
async def test_prompts_without_a_key_read_nothing() -> None:
    history, submitted = History(), []

    async def submit(message: Message) -> None:
        submitted.append(message)

    async def remove(session_id: str) -> None:
        raise NotImplementedError(session_id)

    agent = Agent(HistoryStore(HistoryIndex(history.read), submit, remove))
    assert await agent.connect().ask(key=None).answer()
    assert (history.reads, len(submitted)) == (0, 1)


@sync
async def test_keyed_prompts_are_refused_if_the_history_cannot_be_read() -> None:
    history, submitted = History([]), []
    history.broken_at = 0

    async def submit(message: Message) -> None:
        submitted.append(message)

    async def remove(session_id: str) -> None:
        raise NotImplementedError(session_id)

    agent = Agent(HistoryStore(HistoryIndex(history.read), submit, remove))
    assert (await agent.connect().ask().error())["code"] == -32603
    assert submitted == []


class Merging:
    """A runtime that joins prompts which arrive together into one message, under the first ID."""

    def __init__(self, *, yields_merged: bool) -> None:
        self.yields_merged = yields_merged
        self.messages: list[list[str]] = []
        self.queued: list[str] = []
        self.submitted = 0
        self.reads = 0

    async def submit(self, message: Message) -> None:
        self.submitted += 1
        self.queued.append(str(message.record))
        await settle(3)
        if self.queued:
            self.messages.append(self.queued)
            self.queued = []

    async def read(self, session_id: str) -> AsyncIterator[Iterable[str]]:
        assert session_id == "s"
        self.reads += 1
        for first, *others in self.messages:
            yield [first, *others] if self.yields_merged else [first]

    async def remove(self, session_id: str) -> None:
        raise AssertionError(f"{session_id} is not deleted")

    def store(self) -> HistoryStore:
        return HistoryStore(HistoryIndex(self.read), self.submit, self.remove)


async def insert(store: HistoryStore, key: str) -> None:
    record = derive_message_id("s", key)
    if await store.find("s", record) is None:
        await store.insert(Message("s", record, b""))


@sync
async def test_a_reader_that_yields_merged_messages_is_read_twice_to_prove_it() -> None:
    runtime = Merging(yields_merged=True)
    store = runtime.store()
    for keys in ("a", "bcd", "bcd", "ef", "ef"):
        await asyncio.gather(*(insert(store, key) for key in keys))
    assert [len(each) for each in runtime.messages] == [1, 3, 2]
    assert (runtime.submitted, runtime.reads) == (6, 3)
    again = runtime.store()
    await asyncio.gather(*(insert(again, key) for key in "abcdef"))
    assert runtime.submitted == 6


@sync
async def test_a_reader_that_leaves_merged_messages_out_is_caught_before_a_restart() -> None:
    runtime = Merging(yields_merged=False)
    store = runtime.store()
    await insert(store, "a")
    await asyncio.gather(*(insert(store, key) for key in "bcd"))
    with pytest.raises(LookupError, match="merged"):
        await insert(store, "e")
    assert runtime.submitted == 4
