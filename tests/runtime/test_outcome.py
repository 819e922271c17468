"""What outcomes and exceptions print: nothing that the peer chose."""

from __future__ import annotations

import asyncio
import traceback

import pytest

from acp_retry import Outbox, Peer, Refused, RequestFailedError
from agents import TEXT, pipes, sync
from scripted import ScriptedLink

KEY = "the-secret-key-of-a-client"
ECHO = Refused(-32602, f"\x1b[31m{KEY}", {"idempotencyKey": KEY})


def test_the_code_is_all_that_is_printed() -> None:
    error = RequestFailedError(ECHO)
    texts = [str(error), repr(error), repr(ECHO), f"{ECHO}"]
    assert [text for text in texts if "-32602" not in text] == []
    assert [text for text in texts if KEY in text or "\x1b" in text or "[31m" in text] == []


def test_the_text_is_still_there() -> None:
    refused = RequestFailedError(ECHO).refused
    assert (refused.message, refused.data) == (f"\x1b[31m{KEY}", {"idempotencyKey": KEY})
    assert refused != Refused(-32602, "another text", refused.data)


@sync
async def test_a_traceback_does_not_show_an_echoed_key() -> None:
    near, far = pipes()
    peer = Peer(near)
    serving = asyncio.ensure_future(peer.serve())
    asked = asyncio.ensure_future(peer.request("session/prompt", {"idempotencyKey": KEY}))
    await far.receive()
    error = {"code": -32602, "message": ECHO.message, "data": KEY}
    await far.send({"jsonrpc": "2.0", "id": 1, "error": error})
    with pytest.raises(RequestFailedError) as failed:
        await asked
    assert KEY not in "".join(traceback.format_exception(failed.value))
    await far.close()
    await serving


@sync
async def test_a_pending_prompt_does_not_show_its_key() -> None:
    outbox = Outbox()
    await outbox.resumed("s", ScriptedLink(ECHO), 2)
    pending = await outbox.submit("s", TEXT, KEY)
    with pytest.raises(RequestFailedError) as failed:
        await pending.message_id()
    assert KEY not in repr(pending) + repr(pending.outcome) + str(failed.value)
