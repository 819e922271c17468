"""The outbox: which prompts are resent, and the outcome of each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

import pytest

from acp_retry import (
    Inserted,
    MalformedKeyError,
    MemoryOutbox,
    Mode,
    NeverSentError,
    NotSent,
    Outbox,
    Refused,
    RequestFailedError,
    Unknown,
)
from acp_retry.link import Sent
from acp_retry.outbox_stores import StoredPrompt
from acp_v2.models import ContentBlockText
from agents import TEXT, settle, sync
from scripted import ScriptedLink

SECRET = "the-secret-key-of-a-client"


@sync
async def test_keys_are_random_uuids() -> None:
    outbox = Outbox()
    keys = [UUID((await outbox.submit("s", TEXT)).key) for _ in range(3)]
    assert {key.version for key in keys} == {4}
    assert len(set(keys)) == 3


@sync
async def test_the_application_brings_its_key() -> None:
    outbox, link = Outbox(), ScriptedLink("held")
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT, "mine")
    assert await outbox.submit("s", TEXT, "mine") == pending
    await settle()
    assert [params["idempotencyKey"] for params in link.params] == ["mine"]
    with pytest.raises(ValueError, match="another prompt"):
        await outbox.submit("s", [*TEXT, *TEXT], "mine")
    assert await outbox.submit("other", TEXT, "mine") != pending
    for bad in ("", "k" * 256):
        with pytest.raises(MalformedKeyError):
            await outbox.submit("s", TEXT, bad)


@pytest.mark.parametrize("prompt", [[object()], [float("nan")]])
@sync
async def test_a_prompt_that_is_not_json_is_refused(prompt: list[object]) -> None:
    outbox = Outbox()
    with pytest.raises((TypeError, ValueError)):
        await outbox.submit("s", prompt)
    assert await outbox.pending() == []


@pytest.mark.parametrize(
    ("session", "prompt", "reason"),
    [
        ("s", "text", "prompt must be an array"),
        ("s", [], "prompt must be an array"),
        ("s", None, "prompt must be an array"),
        ("s", TEXT[0], "prompt must be an array"),
        ("s", [1], "each content block"),
        (None, TEXT, "sessionId must be a string"),
    ],
)
@sync
async def test_a_prompt_that_every_agent_refuses_is_not_stored(
    session: str, prompt: list[object], reason: str
) -> None:
    outbox = Outbox()
    with pytest.raises(ValueError, match=reason):
        await outbox.submit(session, prompt)
    assert await outbox.pending() == []


@sync
async def test_models_are_prompts() -> None:
    pending = await Outbox().submit("s", [ContentBlockText(type="text", text="x")])
    assert pending.prompt == TEXT


@sync
async def test_success_ends_the_key() -> None:
    store = MemoryOutbox()
    outbox = Outbox(store)
    await outbox.resumed("s", ScriptedLink(Inserted("m")), 2)
    pending = await outbox.submit("s", TEXT)
    assert await pending.message_id() == "m"
    assert pending.done
    assert await store.entries() == []
    assert await pending.result() == await pending.resend() == Inserted("m")


@sync
async def test_three_outcomes_of_an_attempt() -> None:
    outbox, link = Outbox(), ScriptedLink("unsent", "lost", Inserted("m"))
    pending = await outbox.submit("s", TEXT)
    assert await pending.result() == NotSent("the session is on no connection")
    await outbox.resumed("s", link, 2)
    assert isinstance(await pending.result(), NotSent)
    assert isinstance(await pending.resend(), Unknown)
    assert await pending.resend() == Inserted("m")


@sync
async def test_an_error_leaves_the_key_to_the_application() -> None:
    store = MemoryOutbox()
    outbox, refused = Outbox(store), Refused(-32000, "Authentication required")
    await outbox.resumed("s", ScriptedLink(refused), 2)
    pending = await outbox.submit("s", TEXT)
    with pytest.raises(RequestFailedError, match="-32000"):
        await pending.message_id()
    link = ScriptedLink(Inserted("m"))
    assert await outbox.resumed("s", link, 2) == [pending]
    restarted = Outbox(store)
    (shown,) = await restarted.resumed("s", link, 2)
    assert (shown.key, shown.mode, link.params) == (pending.key, Mode.REFUSED, [])
    assert await shown.resend() == Inserted("m")
    assert link.params[0]["idempotencyKey"] == pending.key


@sync
async def test_pending_prompts_are_resent_in_order() -> None:
    outbox = Outbox()
    dead = ScriptedLink("held", "held", "held")
    await outbox.resumed("s", dead, 2)
    prompts = [await outbox.submit("s", [{"n": number}]) for number in range(3)]
    await settle()
    dead.lose()
    prompts.append(await outbox.submit("s", [{"n": 3}]))
    link = ScriptedLink(*[Inserted("m")] * 5)
    assert await outbox.resumed("s", link, 2) == []
    prompts.append(await outbox.submit("s", [{"n": 4}]))
    for pending in prompts:
        await pending.message_id()
    assert [params["prompt"] for params in link.params] == [[{"n": n}] for n in range(5)]
    assert [params["idempotencyKey"] for params in link.params] == [p.key for p in prompts]


@sync
async def test_sessions_are_resent_apart() -> None:
    outbox, link = Outbox(), ScriptedLink(Inserted("m"))
    prompts = [await outbox.submit(session, TEXT) for session in ("s1", "s2")]
    await outbox.resumed("s2", link, 2)
    await prompts[1].message_id()
    assert [params["sessionId"] for params in link.params] == ["s2"]
    assert isinstance(prompts[0].outcome, NotSent)


@sync
async def test_nothing_is_resent_on_an_open_connection() -> None:
    outbox, link, other = Outbox(), ScriptedLink("held"), ScriptedLink(Inserted("m2"))
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", link, 2)
    await outbox.resumed("s", other, 2)
    await settle()
    assert (len(link.params), len(other.params)) == (1, 0)
    link.lose()
    assert await pending.message_id() == "m2"


@sync
async def test_nothing_is_resent_on_a_connection_that_may_still_answer() -> None:
    class Impatient(ScriptedLink):
        async def notify(self, method: str, params: object) -> None:
            del method, params

        async def request(
            self, method: str, params: Mapping[str, object], sent: Sent | None = None
        ) -> dict[str, object]:
            await super().request(method, params, sent)
            raise TimeoutError

    outbox, link, other = Outbox(), Impatient("ok", "ok"), ScriptedLink("lost")
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    await prompt.result()
    assert await outbox.resumed("s", link, 2) == [prompt]
    await outbox.resumed("s", other, 2)
    await settle()
    assert await outbox.resumed("s", link, 2) == [prompt]
    await settle()
    assert (len(link.params), len(other.params)) == (1, 1)
    assert isinstance(await prompt.resend(), Unknown)  # the application's word
    assert len(link.params) == 2


@sync
async def test_what_never_left_is_sent_when_its_session_is_resumed_on_the_same_connection() -> None:
    outbox, link = Outbox(), ScriptedLink("unsent", "held")
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    assert isinstance(await prompt.result(), NotSent)
    assert await outbox.resumed("s", link, 2) == []
    await settle()
    assert len(link.params) == 1


END = {"lost": None, "refused": Refused(-32603, "busy")}


@pytest.mark.parametrize("end", END)
@sync
async def test_a_prompt_on_two_connections_is_resent_after_both_are_lost(end: str) -> None:
    outbox, one, other = Outbox(), ScriptedLink("held"), ScriptedLink("held")
    await outbox.resumed("s", one, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    insisting = asyncio.ensure_future(prompt.resend())
    await settle()
    other.lose()
    await settle()
    last = ScriptedLink(Inserted("m"))
    assert await outbox.resumed("s", last, 2) == []
    await settle()
    assert last.params == []  # the first connection is open
    refused = END[end]
    if refused is None:
        one.lose()
    else:
        one.held.pop(1).set_exception(RequestFailedError(refused))
    assert await prompt.message_id() == "m"
    assert len(last.params) == 1
    await insisting


@sync
async def test_the_last_connection_that_may_answer_decides_when_to_resend() -> None:
    outbox, one, other = Outbox(), ScriptedLink("held"), ScriptedLink("held")
    await outbox.resumed("s", one, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    insisting = asyncio.ensure_future(prompt.resend())
    await settle()
    last = ScriptedLink(Inserted("m"))
    await outbox.resumed("s", last, 2)
    other.lose()
    await settle()
    assert last.params == []
    one.lose()
    assert await prompt.message_id() == "m"
    await insisting


@sync
async def test_one_word_is_one_attempt() -> None:
    """The connection that may still answer is lost while the word is being noted."""

    class Slow(MemoryOutbox):
        async def mark(self, entry: StoredPrompt, mode: Mode) -> None:
            await super().mark(entry, mode)
            await settle()

    outbox, one, other = Outbox(Slow()), ScriptedLink("held"), ScriptedLink("held", "held")
    await outbox.resumed("s", one, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    resending = asyncio.ensure_future(prompt.resend())
    await asyncio.sleep(0)
    one.lose()
    await settle(200)
    assert len(other.params) == 1
    other.answer("m")
    assert await resending == Inserted("m")


@sync
async def test_a_word_is_for_the_connection_that_is_there_once_it_is_noted() -> None:
    class Slow(MemoryOutbox):
        gate = asyncio.Event()

        async def mark(self, entry: StoredPrompt, mode: Mode) -> None:
            await super().mark(entry, mode)
            await self.gate.wait()

    store, one = Slow(), ScriptedLink(Refused(-32603, "busy"))
    store.gate.set()
    outbox, other = Outbox(store, oldest=timedelta(-1)), ScriptedLink(Inserted("m"))
    await outbox.resumed("s", one, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    store.gate.clear()
    resending = asyncio.ensure_future(prompt.resend())
    await settle()
    assert await outbox.resumed("s", other, 2) == [prompt]
    store.gate.set()
    assert await resending == Inserted("m")
    assert (len(one.params), len(other.params)) == (1, 1)


@sync
async def test_nothing_is_resent_on_v1() -> None:
    outbox, link = Outbox(), ScriptedLink("lost", {"stopReason": "end_turn"})
    waiting = await outbox.submit("s", TEXT)
    assert await outbox.resumed("s", link, 1) == [waiting]
    assert link.params == []
    first = await outbox.submit("s", TEXT)
    assert isinstance(await first.result(), Unknown)
    assert "idempotencyKey" not in link.params[0]
    later = ScriptedLink(Inserted("m"))
    assert await outbox.resumed("s", later, 2) == [first]
    assert await waiting.message_id() == "m"
    assert len(later.params) == 1
    await outbox.resumed("s", link, 1)
    assert await first.resend() == Inserted("")


@sync
async def test_a_prompt_that_went_out_without_a_key_stays_so_after_a_restart() -> None:
    store = MemoryOutbox()
    outbox = Outbox(store)
    await outbox.resumed("s", ScriptedLink("held"), 1)
    await outbox.submit("s", TEXT)
    await settle()
    link = ScriptedLink()
    (shown,) = await Outbox(store).resumed("s", link, 2)
    assert (shown.mode, link.params) == (Mode.UNKEYED, [])


@sync
async def test_an_old_prompt_is_shown() -> None:
    now = 1000.0
    outbox = Outbox(oldest=timedelta(seconds=60), now=lambda: now)
    old = await outbox.submit("s", TEXT)
    now += 61
    young = await outbox.submit("s", TEXT)
    link = ScriptedLink(Inserted("m1"), Inserted("m2"))
    assert await outbox.resumed("s", link, 2) == [old]
    assert await young.message_id() == "m1"
    assert await old.resend() == Inserted("m2")


@sync
async def test_a_late_answer_counts_once() -> None:
    store = MemoryOutbox()
    outbox, link = Outbox(store), ScriptedLink("held", Refused(-32603, "Internal error"))
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await settle()
    resent = asyncio.ensure_future(pending.resend())
    await settle()
    assert isinstance(pending.outcome, Unknown)
    link.answer("m")
    assert await resent == await pending.result() == Inserted("m")
    assert await store.entries() == []


@sync
async def test_a_failing_link_is_not_an_answer(caplog: pytest.LogCaptureFixture) -> None:
    class Faulty(ScriptedLink):
        async def request(self, *args: object, **kwargs: object) -> dict[str, object]:
            raise LookupError("a fault of the link", len(args), len(kwargs))

    outbox = Outbox()
    await outbox.resumed("s", Faulty(), 2)
    pending = await outbox.submit("s", TEXT)
    assert await pending.result() == NotSent("the link failed")
    assert "a fault of the link" in caplog.text


@sync
async def test_a_late_failure_does_not_count() -> None:
    outbox, link = Outbox(), ScriptedLink("held", "held")
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await settle()
    resent = asyncio.ensure_future(pending.resend())
    await settle()
    link.held.pop(1).set_exception(RequestFailedError.of(-32603, "a proxy gave up"))
    await settle()
    assert pending.mode is Mode.PENDING
    link.answer("m", 2)
    assert await resent == Inserted("m")


@sync
async def test_resending_needs_a_connection() -> None:
    outbox = Outbox()
    pending = await outbox.submit("s", TEXT)
    with pytest.raises(NeverSentError):
        await pending.resend()


@sync
async def test_no_text_contains_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    store = MemoryOutbox()
    outbox = Outbox(store)
    pending = await outbox.submit("s", TEXT, SECRET)
    with pytest.raises(ValueError, match="another prompt") as error:
        await outbox.submit("s", [*TEXT, *TEXT], SECRET)
    texts = [repr(pending), repr(await store.entries()), str(error.value), caplog.text]
    assert [text for text in texts if SECRET in text] == []
