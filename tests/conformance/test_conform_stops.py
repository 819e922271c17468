"""A stopped `acpgen conform` reports what it has found, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from proofs import a_few
from waiting import HANGS, gone, until

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CHOSEN = ("--trace", "keyless-prompts-are-new", "--trace", "support-keys")
KIT = """
import runpy, signal

for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_DFL)  # who runs the tests may ignore them
runpy.run_module("acpgen", run_name="__main__", alter_sys=True)
"""
SECOND_HANGS = """
import os, pathlib, sys, time
from acp_conformance.reference import main

folder = pathlib.Path(sys.argv.pop())
if (folder / "first").exists():
    (folder / "new").write_text(f"{os.getpid()}\\n")
    (folder / "new").rename(folder / "pids")
    time.sleep(600)
(folder / "first").touch()
main()
"""
CLIENT_HANGS = """
import os, pathlib, subprocess, sys, time

folder, *command = sys.argv[1:]
agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
agent.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}\\n')
agent.stdin.flush()
agent.stdout.readline()
new = pathlib.Path(folder, "new")
new.write_text(f"{os.getpid()} {agent.pid}\\n")
new.rename(pathlib.Path(folder, "pids"))
time.sleep(600)
"""


def stopped(folder: Path, number: int, *args: str) -> tuple[int, str, str]:
    """Run it until there is a file of process IDs, and send it a signal."""
    temporary = folder / "tmp"
    temporary.mkdir()
    kit = subprocess.Popen(
        [sys.executable, "-c", KIT, "conform", "--timeout", "600", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    try:
        until(lambda: (folder / "pids").exists() or kit.poll() is not None)
        kit.send_signal(number)
        out, err = kit.communicate(timeout=HANGS)
    finally:
        kit.kill()
    pids = (folder / "pids").read_text().split()
    until(lambda: all(map(gone, pids)))
    assert [*temporary.iterdir()] == []
    return kit.returncode, out, err


@pytest.mark.parametrize("number", a_few(STOPS, {signal.SIGINT}, "plays until it is stopped"))
def test_an_agent_is_killed(tmp_path: Path, number: int) -> None:
    agent = (sys.executable, "-c", SECOND_HANGS, str(tmp_path))
    status, out, err = stopped(tmp_path, number, *CHOSEN, "--", *agent)
    assert "pass           stated  keyless-prompts-are-new: " in out
    assert "\n               retry-answer: interrupted\n" in out
    assert err.splitlines()[0] == "acpgen: interrupted; 1 played, 1 not"
    assert status == 2


@pytest.mark.parametrize("number", a_few(STOPS, {signal.SIGTERM}, "plays until it is stopped"))
def test_a_client_is_killed_with_its_agent(tmp_path: Path, number: int) -> None:
    client = (sys.executable, "-c", CLIENT_HANGS, str(tmp_path), "{agent}")
    status, _, err = stopped(tmp_path, number, "--client", "--format", "json", "--", *client)
    assert err.splitlines()[0].startswith("acpgen: interrupted; 0 played, ")
    assert status == 2


def test_an_interruption_is_not_a_pass(tmp_path: Path) -> None:
    agent = (sys.executable, "-c", SECOND_HANGS, str(tmp_path))
    only = ("--trace", "keyless", "--trace", "live-only", "--format", "json")
    status, out, _ = stopped(tmp_path, signal.SIGTERM, *only, "--", *agent)
    statuses = {each["id"]: each["status"] for each in json.loads(out)["requirements"]}
    assert statuses == {
        "keyless-prompts-are-new": "not exercised",
        "no-second-round": "not exercised",
        "known-live-only": "not exercised",
    }
    assert status == 2


@pytest.mark.parametrize("tenths", a_few(range(4, 16, 2), {4, 8}, "plays until it is stopped"))
def test_nothing_is_left_whenever_it_is_stopped(tmp_path: Path, tenths: int) -> None:
    mark = f"CONFORM_STOPPED={tmp_path}"
    agent = (sys.executable, "-m", "acp_conformance.reference")
    kit = subprocess.Popen(
        [sys.executable, "-c", KIT, "conform", "--", *agent],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **dict([mark.split("=")]), "TMPDIR": str(tmp_path)},
    )
    time.sleep(tenths / 10)
    kit.send_signal(signal.SIGTERM)
    status = kit.wait(HANGS)
    until(lambda: not any(map(partial(runs_with, mark), Path("/proc").glob("[0-9]*"))))
    assert [*tmp_path.iterdir()] == []
    assert status in {2, -signal.SIGTERM}  # the latter before it plays


def runs_with(mark: str, process: Path) -> bool:
    """True if a process runs that has this among its environment variables."""
    try:
        return mark.encode() in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
