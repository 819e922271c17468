"""The channel of a client meets what goes wrong between it and the servers of the official SDKs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from acp_conformance.fault_proxy import FaultProxy, Moment, Relayed, RelayFault, Rule, once
from acp_retry import AnswerLostError, Call, Peer
from acp_retry.link import Params
from acp_wire.remote import Note, Remote, RemoteChannel, RemoteError, Timing
from proofs import a_few
from remote_servers import SDKS, LoopbackAgent, SdkServer, served
from waiting import HANGS

INITIALIZE = {"protocolVersion": 2, "info": {"name": "test", "version": "1"}}
HASTY = Timing(silence=1.0, doubt=0.5, closing=1.0)
SCHEMES = ("http", "ws")
PYTHON_DIALECT = {Note.SESSION_HEADER_REFUSED, Note.ANSWER_ON_OTHER_STREAM}
Server = tuple[LoopbackAgent, SdkServer]


@pytest.fixture(scope="module", params=SDKS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with served(request.param, pause=0.1) as both:
        yield both


class Client:
    """A peer on a channel, with its session."""

    def __init__(self, channel: RemoteChannel, peer: Peer, updates: list[Params]) -> None:
        self.channel = channel
        self.peer = peer
        self.updates = updates
        self.session = ""

    async def create(self) -> None:
        self.session = (await self.peer.request("session/new", {"cwd": "/"}))["sessionId"]

    async def resume(self, session: str) -> None:
        self.session = session
        params = {"sessionId": session, "cwd": "/", "replayFrom": {"type": "start"}}
        await self.peer.request("session/resume", params)

    async def updated(self, met: Callable[[Params], bool]) -> None:
        async with asyncio.timeout(HANGS):
            while not any(met(params) for params in self.updates):
                await asyncio.sleep(0.01)

    async def prompt(self, key: str, text: str = "hello") -> str:
        content = [{"type": "text", "text": text}]
        params = {"sessionId": self.session, "prompt": content, "idempotencyKey": key}
        result = await self.peer.request("session/prompt", params)
        return str(result["messageId"])


@contextlib.asynccontextmanager
async def client(url: str, timing: Timing = HASTY) -> AsyncIterator[Client]:
    updates: list[Params] = []

    async def update(call: Call) -> None:
        updates.append(call.params)

    channel = await Remote(url, timing=timing).connect()
    peer = Peer(channel, {"session/update": update})
    serving = asyncio.create_task(peer.serve())
    try:
        await peer.request("initialize", INITIALIZE)
        yield Client(channel, peer, updates)
    finally:
        await peer.close()
        await channel.release()
        await serving


@contextlib.asynccontextmanager
async def proxied(server: Server) -> AsyncIterator[tuple[FaultProxy, str]]:
    proxy = FaultProxy(lambda: ("127.0.0.1", server[1].port))
    try:
        yield proxy, f"127.0.0.1:{await proxy.start()}/acp"
    finally:
        await proxy.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_prompts_and_replay(server: Server, scheme: str) -> None:
    async def run() -> None:
        url = f"{scheme}://127.0.0.1:{server[1].port}/acp"
        async with client(url) as first:
            await first.create()
            ids = await asyncio.gather(*(first.prompt(f"k{n}") for n in range(5)))
            assert first.channel.unanswered == []
        async with client(url) as second:
            await second.resume(first.session)
            await second.updated(lambda _: len(second.updates) >= 5)
            assert await second.prompt("k0") == ids[0]
            python_http = (server[1].sdk, scheme) == ("python", "http")
            assert second.channel.notes == (PYTHON_DIALECT if python_http else set())
        assert len(server[0].texts(first.session)) == 5

    asyncio.run(run())


@pytest.mark.parametrize("scheme", a_few(SCHEMES, {"ws"}, "sends megabytes once more"))
def test_messages_of_any_size(server: Server, scheme: str) -> None:
    async def run() -> None:
        async with client(f"{scheme}://127.0.0.1:{server[1].port}/acp", Timing()) as each:
            await each.create()
            await each.prompt("k", "\u2028x" * 1_000_000)
            await each.updated(lambda params: len(repr(params)) > 2_000_000)

    asyncio.run(run())


def test_a_session_that_is_resumed_after_its_close_keeps_its_stream(server: Server) -> None:
    """Its stream would be left after `doubt`, which ends while a prompt is pending."""

    async def run() -> None:
        timing = Timing(doubt=server[0].pause)
        async with client(f"http://127.0.0.1:{server[1].port}/acp", timing) as each:
            await each.create()
            await each.prompt("k0")
            await each.peer.request("session/close", {"sessionId": each.session})
            await each.resume(each.session)
            async with asyncio.timeout(HANGS):
                await each.prompt("k1")

    asyncio.run(run())


async def answered_after(server: Server, scheme: str, rule: Rule) -> tuple[set[Note], bool]:
    """Prompt under a fault, then if that is lost on another connection. Return what happened."""
    lost = False
    async with proxied(server) as (proxy, place):
        async with client(f"{scheme}://{place}") as first:
            await first.create()
            proxy.rule = rule
            try:
                await first.prompt("key")
            except AnswerLostError:
                lost = True
        assert proxy.faults == 1
        async with client(f"{scheme}://{place}") as second:
            await second.resume(first.session)
            await second.prompt("key")
    assert len(server[0].texts(first.session)) == 1
    return first.channel.notes, lost


HTTP_FAULTS = [
    pytest.param(Moment.REQUEST, b"session/prompt", RelayFault.CUT, set(), True, id="lost before"),
    pytest.param(Moment.RESPONSE, b"session/prompt", RelayFault.CUT, set(), False, id="202 lost"),
    pytest.param(
        Moment.RESPONSE, b"session/prompt", RelayFault.BAD_GATEWAY, set(), False, id="bad gateway"
    ),
    pytest.param(
        Moment.EVENT,
        b'"result":{"messageId"',
        RelayFault.CUT,
        {Note.STREAM_REOPENED},
        True,
        id="answer lost with the stream",
    ),
    pytest.param(
        Moment.EVENT,
        b"state_update",
        RelayFault.CUT_AFTER,
        {Note.STREAM_REOPENED},
        False,
        id="cut between update and answer",
    ),
    pytest.param(
        Moment.EVENT,
        b"state_update",
        RelayFault.END,
        {Note.STREAM_REOPENED},
        False,
        id="ended properly",
    ),
    pytest.param(Moment.EVENT, b"state_update", RelayFault.STALL, set(), True, id="half-open"),
]


@pytest.mark.parametrize(("moment", "text", "fault", "notes", "is_lost"), HTTP_FAULTS)
def test_http(
    server: Server, moment: Moment, text: bytes, fault: RelayFault, notes: set[Note], is_lost: bool
) -> None:
    seen, lost = asyncio.run(answered_after(server, "http", once(moment, text, fault)))
    assert (seen, lost) == (notes, is_lost)


@pytest.mark.parametrize(
    ("moment", "text", "fault"),
    [
        (Moment.UP, b"session/prompt", RelayFault.CUT),
        (Moment.DOWN, b'"result":{"messageId"', RelayFault.CUT),
        (Moment.DOWN, b"state_update", RelayFault.CUT_AFTER),
        (Moment.DOWN, b"state_update", RelayFault.STALL),
    ],
)
def test_websocket(server: Server, moment: Moment, text: bytes, fault: RelayFault) -> None:
    seen, lost = asyncio.run(answered_after(server, "ws", once(moment, text, fault)))
    assert (seen, lost) == (set(), True)


@pytest.mark.parametrize("server", a_few(SDKS, SDKS[:1], "restarts servers"), indirect=True)
@pytest.mark.parametrize("scheme", a_few(SCHEMES, {"http"}, "restarts each server once more"))
def test_a_server_that_was_restarted_does_not_know_the_connection(
    server: Server, scheme: str
) -> None:
    async def run() -> None:
        async with client(f"{scheme}://127.0.0.1:{server[1].port}/acp") as first:
            await first.create()
            server[1].kill()
            server[1].start()
            with pytest.raises(ConnectionError):
                await first.prompt("key")
            async with asyncio.timeout(HANGS):
                while not first.peer.closed:
                    await asyncio.sleep(0.01)

    asyncio.run(run())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_server(scheme: str) -> None:
    async def run() -> None:
        async with client(f"{scheme}://127.0.0.1:9/acp"):
            pass

    with pytest.raises((RemoteError, AnswerLostError)):
        asyncio.run(run())


def test_a_connection_is_deleted_only_when_nothing_is_pending_on_it(server: Server) -> None:
    async def run() -> None:
        deleted: list[bytes] = []
        sent = asyncio.Event()

        def watch(exchange: Relayed) -> RelayFault:
            """Pass everything but the answer."""
            if exchange.data.startswith(b"DELETE"):
                deleted.append(exchange.data)
            if b"session/prompt" in exchange.data:
                sent.set()
            return RelayFault.DROP if b"messageId" in exchange.data else RelayFault.PASS

        async with proxied(server) as (proxy, place):
            proxy.rule = watch
            async with client(f"http://{place}") as each:
                await each.create()
                waiting = asyncio.create_task(each.prompt("key"))
                await sent.wait()
                await each.peer.close()
                with pytest.raises(AnswerLostError):
                    await waiting
                assert [each["method"] for each in each.channel.unanswered] == ["session/prompt"]
                assert deleted == []
                await each.channel.release()
                assert len(deleted) == 1

    asyncio.run(run())


@pytest.mark.parametrize("url", ["", "127.0.0.1:1", "ftp://host/acp", "http:///acp", "ws:"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="not a URL"):
        Remote(url)
