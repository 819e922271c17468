"""Messages beyond the limit of a line: they are refused, and the messages behind them arrive."""

from __future__ import annotations

import asyncio
import json

import pytest

from acp_retry import (
    AnswerLostError,
    Inserted,
    MemoryOutbox,
    NotSent,
    Outbox,
    Peer,
    RequestFailedError,
)
from acp_retry.outbox import LONGEST_PROMPT
from acp_retry.stdio import StreamChannel
from agents import sync
from scripted import ScriptedLink

LIMIT = 1000


def channel(*chunks: bytes) -> tuple[StreamChannel, list[bytes]]:
    """A channel that reads these chunks, and the lines that are written to it."""
    reader = asyncio.StreamReader(LIMIT)
    for chunk in chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    written: list[bytes] = []

    async def write(line: bytes) -> None:
        written.append(line)

    async def close() -> None:
        return

    return StreamChannel(reader, write, close), written


GOOD = b'{"a":1}\n'


@pytest.mark.parametrize("size", [LIMIT + 1, 2 * LIMIT, 10 * LIMIT + 7])
@pytest.mark.parametrize("step", [1, 7, 10**6])
@sync
async def test_a_line_beyond_the_limit_is_skipped(size: int, step: int) -> None:
    text = GOOD + b'"' + b"x" * size + b'"\n' + GOOD
    stream, _ = channel(*(text[at : at + step] for at in range(0, len(text), step)))
    assert await stream.receive() == {"a": 1}
    with pytest.raises(RequestFailedError) as refused:
        await stream.receive()
    assert refused.value.refused.code == -32600
    assert await stream.receive() == {"a": 1}
    assert await stream.receive() is None


@sync
async def test_a_line_at_the_limit_is_read() -> None:
    text = json.dumps({"a": "x" * (LIMIT - 9)}).encode()
    assert len(text) == LIMIT
    stream, _ = channel(text + b"\n" + GOOD)
    assert await stream.receive() == json.loads(text)
    assert await stream.receive() == {"a": 1}


@sync
async def test_an_endless_line_ends_with_the_stream() -> None:
    stream, _ = channel(b"x" * 5 * LIMIT)
    with pytest.raises(RequestFailedError):
        await stream.receive()
    assert await stream.receive() is None


@sync
async def test_a_peer_answers_and_goes_on() -> None:
    request = b'{"jsonrpc":"2.0","id":1,"method":"x"}\n'
    stream, written = channel(b"y" * 5 * LIMIT + b"\n", request)
    await Peer(stream, grace=5.0).serve()
    first, second = map(json.loads, written)
    assert (first["id"], first["error"]["code"]) == (None, -32600)
    assert (second["id"], second["error"]["code"]) == (1, -32601)


@sync
async def test_the_outbox_refuses_a_prompt_that_no_line_can_carry() -> None:
    outbox = Outbox()
    block = {"type": "text", "text": "x" * LONGEST_PROMPT}
    long = await outbox.submit("s", [block])
    outcome = await long.result()
    assert isinstance(outcome, NotSent)
    assert "67043328 bytes" in outcome.reason
    assert long.done
    assert await outbox.pending() == []
    with pytest.raises(AnswerLostError, match="67043328 bytes"):
        await long.message_id()
    assert await long.withdraw() == outcome
    fitting = {"type": "text", "text": "x" * (LONGEST_PROMPT - 100)}
    assert await outbox.submit("s", [fitting])


@sync
async def test_a_long_prompt_of_an_earlier_version_does_not_block_those_behind_it() -> None:
    store, link = MemoryOutbox(), ScriptedLink(Inserted("m"))
    earlier = Outbox(store)
    await earlier.submit("s", [{"type": "text", "text": "x" * LIMIT}])
    await earlier.submit("s", [{"type": "text", "text": "short"}])
    outbox = Outbox(store, longest=LIMIT)
    long, short = await outbox.pending()
    shown = await outbox.resumed("s", link, 2)
    assert [each.key for each in shown] == [long.key]
    assert await short.result() == Inserted("m")
    assert [params["prompt"] for params in link.params] == [short.prompt]
    await long.withdraw()
    assert await outbox.pending() == []
