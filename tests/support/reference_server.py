"""Starts, or kills and starts again, the kit's reference agent behind the server of an SDK.

Usage: reference_server.py FOLDER SDK [AGENT]. FOLDER keeps the store of the agent, the port of the
server, and the process that serves. AGENT is a variant: `forgetful` ignores keys. It ends once the
port can be reached.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from acp_conformance.reference_agent import ReferenceAgent
from acp_retry import Call, SqliteStore
from remote_servers import LoopbackServer, sdk_server
from waiting import until


class ForgetfulAgent(ReferenceAgent):
    """Ignores keys."""

    async def prompt(self, call: Call) -> object:
        return await self.ledger.prompt(call.peer, call.id, {**call.params, "idempotencyKey": None})


AGENTS = {"right": ReferenceAgent, "forgetful": ForgetfulAgent}


_started: list[subprocess.Popen[bytes]] = []


def start(folder: Path, sdk: str, agent: str = "right") -> int:
    """Kill the server of a folder, if it runs, and start it. Return its port."""
    port = folder / "port"
    stop(folder)
    old = port.read_text() if port.exists() else "0"
    port.unlink(missing_ok=True)
    command = [sys.executable, __file__, "serve", str(folder), sdk, agent, old]
    null = subprocess.DEVNULL
    process = subprocess.Popen(
        command, start_new_session=True, stdin=null, stdout=null, stderr=null
    )
    _started.append(process)
    (folder / "process").write_text(str(process.pid))
    until(lambda: port.exists() or process.poll() is not None)
    return int(port.read_text())


def stop(folder: Path) -> None:
    """Kill the server of a folder, if it runs."""
    pid = folder / "process"
    if pid.exists():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(int(pid.read_text()), signal.SIGKILL)
        pid.unlink()


def finish(folder: Path) -> None:
    """Kill the server of a folder, and wait for what this process has started."""
    stop(folder)
    while _started:
        _started.pop().wait()


def serve(folder: Path, sdk: str, agent: str, port: int) -> None:
    """Serve until killed."""
    reference = AGENTS[agent](SqliteStore(folder / "store.db"))
    with (
        LoopbackServer(lambda: (reference.handlers(), reference.lost)) as loopback,
        sdk_server(sdk, loopback.port, port) as server,
    ):
        (folder / "port.new").write_text(str(server.port))
        (folder / "port.new").rename(folder / "port")
        signal.pause()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(Path(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5]))
    else:
        start(Path(sys.argv[1]), *sys.argv[2:])
