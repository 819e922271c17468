"""The reference agent as a program: `python -m acp_conformance.reference --store FILE`.

With `--socket PATH` it accepts connections at a Unix socket, too. `--join --socket PATH` is a
program that opens such a connection: a second connection to a running agent.

With `--listen URL` it serves HTTP or WebSocket on loopback. With `--background FILE` it does so in
a process of its own, whose id is in the file, after it has killed the one that the file names.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from acp_conformance.reference_agent import ReadableStore, ReferenceAgent
from acp_retry import MemoryStore, Peer, SqliteStore, serve_stdio
from acp_retry.stdio import LONGEST_LINE, StreamChannel
from acp_wire.extras import missing

__all__ = ["main"]

PROGRAM: Final = "acp_conformance.reference"

LISTENS: Final = "the reference agent listens at"
"""What precedes each URL on standard error."""


def main() -> None:
    """Run the agent, or a connection to a running one."""
    parser = argparse.ArgumentParser(prog=f"python -m {PROGRAM}")
    parser.add_argument("--store", metavar="FILE", help="keep sessions in this file")
    parser.add_argument("--socket", metavar="PATH", help="take connections here, too")
    parser.add_argument("--join", action="store_true", help="connect to that socket instead")
    parser.add_argument(
        "--listen",
        metavar="URL",
        action="append",
        help="serve at this URL of http or ws on loopback instead; may be given for each",
    )
    parser.add_argument(
        "--background",
        metavar="FILE",
        help="serve in a process of its own, whose id is written to FILE; kill the one before",
    )
    options = parser.parse_args()
    if options.background is not None:
        if options.listen is None:
            parser.error("--background needs --listen URL")
        words = ["--store", options.store] if options.store else []
        words += [word for url in options.listen for word in ("--listen", url)]
        sys.exit(_restart(Path(options.background), words))
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
    agent = ReferenceAgent(store)
    if options.listen is None:
        asyncio.run(_serve(agent, options.socket))
        return
    try:
        asyncio.run(_listen(agent, options.listen))
    except ModuleNotFoundError as error:
        parser.error(str(error))
    except ValueError as error:
        parser.error(f"--listen: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


async def _listen(agent: ReferenceAgent, urls: Sequence[str]) -> None:
    """Serve at all URLs until the process is ended. Prints each on standard error."""
    try:
        from acp_conformance.reference_listener import listening
    except ModuleNotFoundError as error:
        raise missing("--listen", "serve", error) from error
    async with contextlib.AsyncExitStack() as open_:
        for url in urls:
            address = await open_.enter_async_context(listening(agent, url))
            sys.stderr.write(f"{LISTENS} {address}\n")
        sys.stderr.flush()
        await asyncio.Event().wait()


def _restart(file: Path, words: Sequence[str]) -> int:
    """Kill the process that a file names, start another one, and wait until it listens.

    Returns its exit status if it ends early, else 0.
    """
    with contextlib.suppress(OSError, ValueError):
        before = int(file.read_text("utf-8"))
        if PROGRAM in _arguments(before):
            os.kill(before, signal.SIGKILL)
    command = [sys.executable, "-m", PROGRAM, *words]
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    process = subprocess.Popen(  # noqa: S603 - this program
        command, stdin=null, stdout=null, stderr=pipe, text=True, start_new_session=True
    )
    file.write_text(f"{process.pid}\n", "utf-8")
    left = words.count("--listen")
    for line in process.stderr or ():
        sys.stderr.write(line)
        left -= line.startswith(LISTENS)
        if not left:
            return 0
    return process.wait()


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


def _arguments(process: int) -> str:
    """The command line of a process. Empty if it does not run."""
    asked = ["ps", "-p", str(process), "-o", "args="]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout  # noqa: S603


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
