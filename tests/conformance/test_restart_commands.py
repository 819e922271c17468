"""A restart command may fail, hang, fork or flood, and leaves no process and no file behind."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from acp_conformance import remote_launcher
from acp_conformance.launchers import StartError
from acp_conformance.remote_launcher import RemoteAgent
from remote_host import RemoteHost
from waiting import gone, until

FORKS = """
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
while child == 0:
    time.sleep(60)
pathlib.Path(sys.argv[1]).write_text(f"{os.getpid()} {child}")
"""
"""Has a child. Both ignore SIGTERM."""

MEGABYTES = 64


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def restart(program: str, *args: object) -> RemoteAgent:
    """Run a restart command for an agent that runs."""
    command = [sys.executable, "-c", program, *map(str, args)]
    with RemoteHost() as host:
        url = f"ws://127.0.0.1:{host.ports['ws']}/acp"
        with RemoteAgent(url, {}, command) as agent:
            stream = agent.start(lambda _sender, _line: None)
            agent.kill(stream)
    return agent


def test_what_a_failed_command_has_started_is_killed(tmp_path: Path, temporary: Path) -> None:
    pids = tmp_path / "pids"
    program = f"{FORKS}\nprint('no database', file=sys.stderr); sys.exit(3)"
    with pytest.raises(StartError, match=r"failed \(exit status 3; standard error: no database"):
        restart(program, pids)
    until(lambda: all(map(gone, pids.read_text().split())))
    assert [*temporary.iterdir()] == []


def test_what_a_command_has_started_that_hangs_is_killed(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_launcher, "RESTARTING", 1.0)
    pids = tmp_path / "pids"
    with pytest.raises(StartError, match="has not ended in 1 seconds"):
        restart(f"{FORKS}\ntime.sleep(600)", pids)
    until(lambda: all(map(gone, pids.read_text().split())))
    assert [*temporary.iterdir()] == []


def test_the_server_that_a_command_has_started_lives_on(tmp_path: Path) -> None:
    """It may hold the standard error of the command, which no one waits for."""
    pid = tmp_path / "pid"
    program = """
import pathlib, subprocess, sys
server = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(sys.argv[1]).write_text(str(server.pid))
"""
    restart(program, pid)
    server = int(pid.read_text())
    try:
        assert not gone(server)
    finally:
        os.kill(server, signal.SIGKILL)


def test_a_flood_on_its_outputs_is_not_kept(temporary: Path) -> None:
    program = f"""
import os, sys
for _ in range({MEGABYTES}):
    os.write(1, b"x" * 2**20)
    os.write(2, b"x" * 2**20)
sys.exit(1)
"""
    with pytest.raises(StartError, match=r"standard error: \.\.\.x") as failure:
        restart(program)
    assert len(str(failure.value)) < 500
    assert [*temporary.iterdir()] == []


def test_a_command_that_is_not_there() -> None:
    with RemoteHost() as host:
        url = f"ws://127.0.0.1:{host.ports['ws']}/acp"
        with RemoteAgent(url, {}, ["/nowhere/restart"]) as agent:
            stream = agent.start(lambda _sender, _line: None)
            with pytest.raises(StartError, match=r"--restart-command: .*No such file"):
                agent.kill(stream)
