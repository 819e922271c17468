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


@pytest.mark.parametrize("word", ["a", "-", "a1", f"{KEY} "])
def test_words_of_any_length_are_read_in_no_time(word: str) -> None:
    """A search in square time would take hours for a million characters."""
    shown = Refused(-32603, f"Internal error {word * 1_000_000}").words
    assert shown.startswith("Internal error")
    assert len(shown) <= 303
    assert KEY[:8] not in shown


def test_the_start_of_a_cut_id_is_not_shown() -> None:
    for before in range(36):
        text = " " * before + f"{UUID} " * 40
        assert UUID[:4] not in Refused(-32603, text).words


UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
MISSING = "No such file or directory: '/nodir/a.db'"


async def answered(method: str, params: dict[str, object], error: dict[str, object]) -> str:
    """The text of the exception for a request that a peer answers with an error."""
    near, far = pipes()
    peer = Peer(near)
    serving = asyncio.ensure_future(peer.serve())
    asked = asyncio.ensure_future(peer.request(method, params))
    await far.receive()
    await far.send({"jsonrpc": "2.0", "id": 1, "error": error})
    with pytest.raises(RequestFailedError) as failed:
        await asked
    await far.close()
    await serving
    return str(failed.value)


@pytest.mark.parametrize(
    ("method", "error", "text"),
    [
        (
            "session/new",
            {"code": -32602, "message": MISSING},
            f"session/new was answered with error -32602 (Invalid params): {MISSING}",
        ),
        (
            "session/new",
            {"code": -32603, "message": "Internal error", "data": {"details": "disk\nfull"}},
            "session/new was answered with error -32603 (Internal error):"
            " Internal error: disk full",
        ),
        (
            "auth/login",
            {"code": 7, "message": "no \x1b[31m", "data": 5},
            "auth/login was answered with error 7: no ?[31m",
        ),
        (
            "initialize",
            {"code": -32603, "message": f"known {UUID} and {KEY}"},
            "initialize was answered with error -32603 (Internal error): known (an ID) and (an ID)",
        ),
        (
            "session/resume",
            {"code": -32002, "message": "k1 is known"},
            "session/resume was answered with error -32002 (Resource not found)",
        ),
    ],
)
@sync
async def test_the_method_is_named_and_words_are_shown_where_no_key_is(
    method: str, error: dict[str, object], text: str
) -> None:
    assert await answered(method, {}, error) == text


@pytest.mark.parametrize("key", ["k1", KEY, UUID])
@sync
async def test_the_answer_to_a_prompt_shows_no_words(key: str) -> None:
    error: dict[str, object] = {"code": -32602, "message": f"duplicate {key}", "data": key}
    text = await answered("session/prompt", {"idempotencyKey": key}, error)
    assert text == "session/prompt was answered with error -32602 (Invalid params)"


@sync
async def test_a_pending_prompt_does_not_show_its_key() -> None:
    outbox = Outbox()
    await outbox.resumed("s", ScriptedLink(ECHO), 2)
    pending = await outbox.submit("s", TEXT, KEY)
    with pytest.raises(RequestFailedError) as failed:
        await pending.message_id()
    assert KEY not in repr(pending) + repr(pending.outcome) + str(failed.value)


def test_long_words_are_shown_in_part() -> None:
    """It ends at once: a search that looks back from each letter would take hours."""
    assert Refused(-32603, "a" * 1_000_000).words == f"{'a' * 300}..."
    assert Refused(-32603, "a" * 1_000_000 + "1").words == "(an ID)"
