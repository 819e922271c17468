"""The reference agent behind HTTP and WebSocket: `--listen` of its program."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from acp_conformance.reference_agent import ReferenceAgent
from acp_conformance.reference_listener import AddressError, listening
from acp_retry import MemoryStore
from conform_calls import conform
from waiting import HANGS

ASKED = {"protocolVersion": 2, "info": {"name": "test", "version": "1"}}
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": ASKED}
JSON = {"Content-Type": "application/json"}
EVENTS = {"Accept": "text/event-stream"}
PATIENCE = HANGS


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """The URLs of an agent in a thread of its own, by their scheme."""
    loop, ready = asyncio.new_event_loop(), threading.Event()
    found: dict[str, str] = {}

    async def serve() -> None:
        agent = ReferenceAgent(MemoryStore())
        async with contextlib.AsyncExitStack() as open_:
            for scheme in ("http", "ws"):
                address = listening(agent, f"{scheme}://127.0.0.1:0/acp")
                found[scheme] = await open_.enter_async_context(address)
            ready.set()
            await asyncio.Event().wait()

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    task = loop.create_task(serve())
    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(PATIENCE)
    yield found
    loop.call_soon_threadsafe(task.cancel)
    thread.join(PATIENCE)
    loop.close()


@pytest.fixture
def url(urls: dict[str, str]) -> str:
    """The URL of HTTP."""
    return urls["http"]


def ask(
    url: str, method: str, headers: dict[str, str], body: object = None, path: str = "/acp"
) -> tuple[int, dict[str, str], bytes]:
    """Send one request, and read its answer."""
    client = http.client.HTTPConnection(url.removeprefix("http://").partition("/")[0])
    text = None if body is None else body if isinstance(body, str) else json.dumps(body)
    client.request(method, path, text, headers)
    answer = client.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    client.close()
    return found


def opened(url: str) -> dict[str, str]:
    """The header of a new connection."""
    status, headers, body = ask(url, "POST", JSON, INITIALIZE)
    assert (status, json.loads(body)["result"]["protocolVersion"]) == (200, 2)
    return {"Acp-Connection-Id": headers["acp-connection-id"]}


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_the_kit_finds_nothing(urls: dict[str, str], scheme: str) -> None:
    status, out, _ = conform(
        "--url", urls[scheme], "--trace", "retry-answer", "--trace", "shape-replay"
    )
    assert (status, out.rpartition("\n")[0].rpartition("\n")[2]) == (
        0,
        "2 passed, 0 failed, 0 not exercised",
    )


REFUSED = [
    ("no connection", "POST", JSON, {**INITIALIZE, "method": "session/list"}, 400),
    ("unknown connection", "POST", {**JSON, "Acp-Connection-Id": "x"}, {"method": "m"}, 404),
    ("initialize twice", "POST", {**JSON, "Acp-Connection-Id": "x"}, INITIALIZE, 400),
    ("another type", "POST", {"Content-Type": "text/plain"}, INITIALIZE, 415),
    ("no JSON", "POST", JSON, "{", 400),
    ("a scalar", "POST", JSON, 5, 400),
    ("a batch", "POST", JSON, [INITIALIZE], 501),
    ("too long", "POST", JSON, " " * (16 * 2**20 + 1), 413),
    ("another method", "PUT", JSON, INITIALIZE, 405),
    ("a stream of nothing", "GET", EVENTS, None, 400),
    ("a stream of another", "GET", {**EVENTS, "Acp-Connection-Id": "x"}, None, 404),
    ("a page", "POST", {**JSON, "Origin": "https://example.com"}, INITIALIZE, 403),
]


@pytest.mark.parametrize(
    ("method", "headers", "body", "status"),
    [row[1:] for row in REFUSED],
    ids=[row[0] for row in REFUSED],
)
def test_a_request_is_refused(
    url: str, method: str, headers: dict[str, str], body: object, status: int
) -> None:
    assert ask(url, method, headers, body)[0] == status


def test_another_path_is_refused(urls: dict[str, str]) -> None:
    assert ask(urls["http"], "POST", JSON, INITIALIZE, "/other")[0] == 404
    other = urls["ws"].replace("/acp", "/other")
    with pytest.raises(InvalidStatus, match="404"), connect(other):
        pass


def test_a_page_opens_no_socket(urls: dict[str, str]) -> None:
    with (
        pytest.raises(InvalidStatus, match="403"),
        connect(urls["ws"], additional_headers={"Origin": "https://example.com"}),
    ):
        pass


def test_a_stream_has_one_reader_and_ends_with_its_connection(url: str) -> None:
    header = opened(url)
    assert ask(url, "GET", header)[0] == 406
    client = http.client.HTTPConnection(url.removeprefix("http://").partition("/")[0])
    client.request("GET", "/acp", headers={**EVENTS, **header})
    stream = client.getresponse()
    assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
    assert ask(url, "GET", {**EVENTS, **header})[0] == 409
    listed = {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
    assert ask(url, "POST", {**JSON, **header}, listed)[0] == 202
    event = stream.readline()
    assert json.loads(event.removeprefix(b"data: "))["id"] == 1
    assert ask(url, "DELETE", header)[0] == 202
    assert stream.read() == b"\n"
    client.close()
    assert ask(url, "DELETE", header)[0] == 404


def test_what_a_reader_missed_waits_for_the_next(url: str) -> None:
    header = opened(url)
    listed = {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
    assert ask(url, "POST", {**JSON, **header}, listed)[0] == 202
    client = http.client.HTTPConnection(url.removeprefix("http://").partition("/")[0])
    client.request("GET", "/acp", headers={**EVENTS, **header})
    with client.getresponse() as stream:
        assert json.loads(stream.readline().removeprefix(b"data: "))["id"] == 1
    client.close()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://127.0.0.1:1/acp", "give a URL such as http://127.0.0.1:8787/acp"),
        ("http://127.0.0.1/acp", "give a URL such as"),
        ("http://127.0.0.1:99999/acp", "Port out of range"),
        ("http://0.0.0.0:0/acp", "has no login, so it listens on 127.0.0.1 only"),
        ("https://127.0.0.1:1/acp", "give a URL such as"),
    ],
)
def test_an_address_is_refused(url: str, reason: str) -> None:
    async def serve() -> None:
        async with listening(ReferenceAgent(MemoryStore()), url):
            pass

    with pytest.raises(AddressError, match=reason):
        asyncio.run(serve())


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"ws://127.0.0.1:{taken.getsockname()[1]}/acp"
        program = [sys.executable, "-m", "acp_conformance.reference", "--listen", url]
        done = subprocess.run(
            program, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    assert done.returncode == 2
    assert f"--listen: {url}: " in done.stderr.splitlines()[-1]


def test_in_the_background_it_is_killed_and_started_again(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url, file = f"http://127.0.0.1:{port}/acp", tmp_path / "process"
    program = [sys.executable, "-m", "acp_conformance.reference", "--listen", url]
    program += ["--store", str(tmp_path / "store"), f"--background={tmp_path}/./process"]
    try:
        first = subprocess.run(program, check=True, capture_output=True, text=True, timeout=HANGS)
        assert first.stderr == f"the reference agent listens at {url}\n"
        before = file.read_text()
        options = ("--trace", "retry-after-restart", "--restart-command", shlex.join(program))
        status, out, _ = conform("--url", url, *options)
        assert (status, "0 failed" in out, file.read_text() != before) == (0, True, True)
    finally:
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(file.read_text()), signal.SIGKILL)


def test_the_background_needs_an_address() -> None:
    program = [sys.executable, "-m", "acp_conformance.reference", "--background", "x"]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("--background needs --listen URL\n")


def test_a_process_of_another_program_is_not_killed(tmp_path: Path) -> None:
    file = tmp_path / "process"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        file.write_text(f"{other.pid}\n")
        program = [sys.executable, "-m", "acp_conformance.reference", "--listen", "ftp://x"]
        program += ["--background", str(file)]
        done = subprocess.run(
            program, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert (done.returncode, other.poll()) == (2, None)
        other.communicate(b"\n")
