"""A server that sends without end, or nothing, takes neither memory nor time of a client."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_conformance.agent_connection import AgentConnection
from acp_conformance.remote_stream import EventLoopThread, RemoteStream
from acp_retry import Call
from acp_wire.remote import Remote, RemoteError
from acp_wire.remote.events import EventParser, TooLongEventError
from proofs import a_few
from remote_host import HostedAgent, RemoteHost

SCHEMES = ("http", "ws")
LIMIT = 2**20
SECONDS = 300.0


class _TalkativeAgent(HostedAgent):
    async def new(self, call: Call) -> Any:
        result = await super().new(call)
        for _ in range(self.host.updates):
            update = {"sessionUpdate": "agent_message_chunk", "content": "x" * self.host.size}
            await call.peer.notify("session/update", {"update": update})
            await asyncio.sleep(0)
        return result


class TalkativeHost(RemoteHost):
    """Sends some updates before it answers `session/new`."""

    agent_type = _TalkativeAgent

    def __init__(self, updates: int, size: int) -> None:
        super().__init__()
        self.updates = updates
        self.size = size


@contextlib.contextmanager
def connected(host: RemoteHost, scheme: str, **limits: int) -> Iterator[AgentConnection]:
    remote = Remote(f"{scheme}://127.0.0.1:{host.ports[scheme]}/acp", longest=LIMIT)
    loop = EventLoopThread()
    stream = RemoteStream(loop, remote, lambda _sender, _line: None, **limits)
    try:
        connection = AgentConnection(stream)
        assert connection.answer(connection.initialize(), SECONDS) is not None
        yield connection
    finally:
        stream.kill()
        loop.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_flood_of_messages_is_read_up_to_a_limit(scheme: str) -> None:
    with TalkativeHost(2000, 1000) as host, connected(host, scheme, most=LIMIT) as connection:
        asked = connection.request("session/new", {"cwd": "/", "mcpServers": []})
        assert connection.answer(asked, SECONDS) is None
        assert connection.stream.closed
        assert 500 < len(connection.stream.lines) < 1100
        limit = f"no more than {LIMIT} bytes of its messages are read"
        assert connection.stream.exit_report().summary == f" ({limit})"


@pytest.mark.parametrize(
    ("scheme", "reason"),
    [("http", f"an event has more than {LIMIT} bytes"), ("ws", "message too big")],
)
def test_a_message_is_read_up_to_a_limit(scheme: str, reason: str) -> None:
    with TalkativeHost(1, LIMIT) as host, connected(host, scheme) as connection:
        asked = connection.request("session/new", {"cwd": "/", "mcpServers": []})
        assert connection.answer(asked, SECONDS) is None
        assert connection.stream.closed
        assert reason in connection.stream.exit_report().summary


def test_an_event_counts_with_all_its_lines() -> None:
    parser = EventParser(longest=20)
    assert [*parser.feed(b"data: 1\n\ndata: 2\n\n: comment\n\ndata: 4\n\n")] == [b"1", b"2", b"4"]
    with pytest.raises(TooLongEventError):
        [*parser.feed(b"data: 1\ndata: 2\ndata: 3\n")]


@contextlib.contextmanager
def raw_server(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server on loopback that treats each TCP connection in its own way."""
    listening = socket.create_server(("127.0.0.1", 0))
    taken: list[socket.socket] = []

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                taken.append(listening.accept()[0])
                threading.Thread(target=serve, args=[taken[-1]], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        for each in taken:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def endless(connection: socket.socket) -> None:
    """Answer a request with a body without end."""
    connection.recv(2**16)
    with contextlib.suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"10000\r\n" + b" " * 2**16 + b"\r\n")


def test_the_response_to_a_post_is_read_up_to_a_limit() -> None:
    async def run(port: int) -> None:
        channel = await Remote(f"http://127.0.0.1:{port}/acp", longest=LIMIT).connect()
        try:
            await channel.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
        finally:
            await channel.close()

    with (
        raw_server(endless) as port,
        pytest.raises(RemoteError, match=f"the response to a POST has more than {LIMIT} bytes"),
    ):
        asyncio.run(run(port))


@pytest.mark.parametrize(
    "scheme", a_few(SCHEMES, ["http"], "a handshake without an answer is waited for")
)
def test_a_run_against_a_silent_server_can_be_stopped(tmp_path: Path, scheme: str) -> None:
    asked = threading.Event()

    def silent(connection: socket.socket) -> None:
        connection.recv(2**16)
        asked.set()

    with raw_server(silent) as port:
        url = f"{scheme}://127.0.0.1:{port}/acp"
        command = [sys.executable, "-m", "acpgen", "conform", "--url", url, "--timeout", "600"]
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        kit = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert asked.wait(SECONDS)
        kit.send_signal(signal.SIGTERM)
        _, errors = kit.communicate(timeout=SECONDS)
    assert kit.returncode == 2, errors
    assert [*tmp_path.iterdir()] == []
