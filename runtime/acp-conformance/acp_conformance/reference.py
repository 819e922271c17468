"""The reference agent as a program: `python -m acp_conformance.reference --store FILE`.

With `--socket PATH` it accepts connections at a Unix socket, too. `--join --socket PATH` is a
program that opens such a connection: a second connection to a running agent.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import sys
import threading

from acp_conformance.reference_agent import ReadableStore, ReferenceAgent
from acp_retry import MemoryStore, Peer, SqliteStore, serve_stdio
from acp_retry.stdio import LONGEST_LINE, StreamChannel

__all__ = ["main"]


def main() -> None:
    """Run the agent, or a connection to a running one."""
    parser = argparse.ArgumentParser(prog="python -m acp_conformance.reference")
    parser.add_argument("--store", metavar="FILE", help="keep sessions in this file")
    parser.add_argument("--socket", metavar="PATH", help="take connections here, too")
    parser.add_argument("--join", action="store_true", help="connect to that socket instead")
    options = parser.parse_args()
    if options.join and options.socket is None:
        parser.error("--join needs --socket PATH, the socket of an agent that runs")
    if options.join:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(options.socket)
            except OSError as error:
                parser.error(f"--join: no agent takes connections at {options.socket}: {error}")
            _join(connection)
        return
    store: ReadableStore = SqliteStore(options.store) if options.store else MemoryStore()
    asyncio.run(_serve(ReferenceAgent(store), options.socket))


async def _serve(agent: ReferenceAgent, path: str | None) -> None:
    if path is None:
        await serve_stdio(agent.handlers(), agent.lost)
        return

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def write(line: bytes) -> None:
            writer.write(line)
            await writer.drain()

        async def close() -> None:
            writer.close()

        try:
            await Peer(StreamChannel(reader, write, close), agent.handlers(), agent.lost).serve()
        finally:
            writer.close()

    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108 - a socket, left by an agent that was killed
    await asyncio.start_unix_server(connected, path, limit=LONGEST_LINE)
    await serve_stdio(agent.handlers(), agent.lost)


def _join(connection: socket.socket) -> None:
    def forward() -> None:
        while data := os.read(sys.stdin.fileno(), 2**16):
            connection.sendall(data)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=forward, daemon=True).start()
    while data := connection.recv(2**16):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
