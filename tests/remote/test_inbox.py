"""What a server sends is kept within limits until it is read."""

from __future__ import annotations

import asyncio

from acp_wire.remote.http_channel import HttpChannel
from acp_wire.remote.inbox import MOST_UNREAD, MOST_UNREAD_BYTES, Inbox
from acp_wire.remote.remote_channel import Timing
from agents import sync


@sync
async def test_a_full_inbox_stops_its_stream_until_a_message_is_read_or_it_ends() -> None:
    inbox = Inbox()
    for number in range(MOST_UNREAD):
        await inbox.wait_room()
        inbox.put({"n": number}, 1)
    waiting = asyncio.create_task(inbox.wait_room())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert await inbox.get() == {"n": 0}
    await waiting
    inbox.put({"n": MOST_UNREAD}, 1)
    waiting = asyncio.create_task(inbox.wait_room())
    await asyncio.sleep(0)
    inbox.end(None)
    await waiting


@sync
async def test_messages_of_many_bytes_stop_their_stream() -> None:
    inbox = Inbox()
    for _ in range(2):
        await inbox.wait_room()
        inbox.put({}, MOST_UNREAD_BYTES // 2)
    waiting = asyncio.create_task(inbox.wait_room())
    await asyncio.sleep(0)
    assert not waiting.done()
    await inbox.get()
    await waiting
    inbox.end(None)
    assert [await inbox.get() for _ in range(3)] == [{}, None, None]


@sync
async def test_what_is_not_a_message_is_counted_and_the_first_of_it_kept() -> None:
    channel = HttpChannel("http://localhost/acp", {}, Timing())
    for _ in range(150):
        channel.take(b"x" * 2000, None)
    assert channel.unparsed_count == 150
    assert channel.unparsed == [b"x" * 1000] * 100
    await channel.close()
