"""The proxy of the kit stands before any address, also one that is reached over TLS."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx2
import pytest

from acp_conformance.fault_proxy import FaultProxy
from acp_conformance.transport_faults import FaultyRoute, NoFaultError, TransportFault
from unavailable import skip

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer each request with its own head."""
    with contextlib.suppress(EOFError), contextlib.closing(writer):
        while head := await reader.readuntil(b"\r\n\r\n"):
            size = str(len(head)).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: " + size + b"\r\n\r\n" + head)


async def huge(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Begin a body that is larger than a proxy should keep."""
    with contextlib.closing(writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
        await reader.read()  # until the proxy leaves


async def fetched(serve: Serve, scheme: str, tls: ssl.SSLContext | None = None) -> str:
    """The head of a request as the server behind a route has received it."""
    server = await asyncio.start_server(serve, "127.0.0.1", ssl=tls)
    port = server.sockets[0].getsockname()[1]
    route = FaultyRoute(f"{scheme}://me:word@127.0.0.1:{port}/acp?a=b")
    try:
        async with httpx2.AsyncClient() as http:
            url = await route.start()
            assert f":{port}" not in url
            head = (await http.get(url)).text
        assert f"\r\nHost: 127.0.0.1:{port}\r\n" in head
    finally:
        await route.close()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)
    return head


def test_the_server_is_addressed_by_its_own_name() -> None:
    head = asyncio.run(fetched(echo, "http"))
    assert head.startswith("GET /acp?a=b HTTP/1.1\r\n")
    assert "\r\nAuthorization: Basic " in head


def test_tls_to_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = shutil.which("openssl") or skip("openssl is missing")
    pem = tmp_path / "server.pem"
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1"]
    named = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{pem}.key", "-out", str(pem)]
    subprocess.run([program, *made, *named], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, f"{pem}.key")
    with pytest.raises(httpx2.RemoteProtocolError):  # it trusts no one without a certificate
        asyncio.run(fetched(echo, "https", context))
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    assert asyncio.run(fetched(echo, "https", context)).startswith("GET /acp?a=b HTTP/1.1\r\n")


def test_a_body_that_is_too_large_ends_its_connection() -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        asyncio.run(fetched(huge, "http"))


def test_what_only_http_has() -> None:
    async def disturb(scheme: str) -> None:
        await FaultyRoute(f"{scheme}://127.0.0.1:9/acp").disturb(TransportFault.LOST_POST)

    asyncio.run(disturb("http"))
    with pytest.raises(NoFaultError, match="a WebSocket has no POST"):
        asyncio.run(disturb("wss"))


def test_a_proxy_that_was_never_started_can_be_closed() -> None:
    asyncio.run(FaultProxy(lambda: ("127.0.0.1", 9)).close())
