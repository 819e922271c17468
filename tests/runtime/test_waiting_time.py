"""When a prompt has waited for so long that the user is asked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from acp_retry import Inserted, MemoryOutbox, Outbox, PendingPrompt
from acp_retry.waiting_time import has_waited_for_long
from agents import TEXT, sync
from scripted import ScriptedLink

DAY = 24 * 60 * 60


@pytest.fixture(params=["UTC", "Pacific/Chatham", "America/Los_Angeles"], autouse=True)
def _zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(day: int, hour: int, minute: int = 0) -> float:
    """A local time in May."""
    return time.mktime((2026, 5, day, hour, minute, 0, 0, 0, -1))


def test_since_a_previous_day() -> None:
    assert has_waited_for_long(at(4, 22), at(5, 8))
    assert has_waited_for_long(at(4, 23), at(5, 1))
    assert not has_waited_for_long(at(4, 23, 50), at(5, 0, 10))
    assert not has_waited_for_long(at(4, 8), at(4, 19))
    assert has_waited_for_long(at(4, 8), at(4, 21))


def test_a_limit_of_ones_own_is_the_only_one() -> None:
    assert not has_waited_for_long(at(4, 22), at(5, 8), timedelta(hours=12))
    assert has_waited_for_long(at(4, 22), at(4, 23), timedelta(minutes=5))


@pytest.mark.parametrize("submitted", [1e300, -1e300, float("inf"), float("nan")])
def test_an_impossible_time_has_waited_for_long(submitted: float) -> None:
    assert has_waited_for_long(submitted, at(4, 22))
    assert has_waited_for_long(at(4, 22), submitted)


async def resumed(store: MemoryOutbox, now: float) -> tuple[list[PendingPrompt], ScriptedLink]:
    """What a restarted client shows, and the link on which it resends the rest."""
    link, outbox = ScriptedLink(Inserted("m"), Inserted("n")), Outbox(store, now=lambda: now)
    shown = await outbox.resumed("s", link, 2)
    for prompt in await outbox.pending():
        await prompt.result()
    return shown, link


@pytest.mark.parametrize("ahead", [3650 * DAY, 40 * DAY, -3650 * DAY])
@sync
async def test_a_prompt_of_a_wrong_clock_is_shown(ahead: int) -> None:
    store = MemoryOutbox()
    await Outbox(store, now=lambda: at(4, 22) + ahead).submit("s", TEXT)
    shown, link = await resumed(store, at(4, 22) + 30 * DAY)
    assert (len(shown), link.params) == (1, [])


@sync
async def test_a_clock_that_is_wrong_now_resends_nothing() -> None:
    store = MemoryOutbox()
    await Outbox(store, now=lambda: at(4, 22)).submit("s", TEXT)
    await Outbox(store, now=lambda: at(4, 22) + 20 * DAY).submit("s", TEXT)
    shown, link = await resumed(store, at(4, 22) + 60)
    assert (len(shown), link.params) == (2, [])


@sync
async def test_a_clock_that_is_set_back_a_little_still_resends() -> None:
    store = MemoryOutbox()
    now = datetime(2026, 5, 4, 12, tzinfo=UTC).timestamp()
    await Outbox(store, now=lambda: now).submit("s", TEXT)
    shown, link = await resumed(store, now - 60)
    assert (shown, len(link.params)) == ([], 1)


@sync
async def test_a_prompt_of_the_evening_is_shown_in_the_morning() -> None:
    store = MemoryOutbox()
    await Outbox(store, now=lambda: at(4, 22)).submit("s", TEXT)
    shown, link = await resumed(store, at(5, 8))
    assert (len(shown), link.params) == (1, [])
