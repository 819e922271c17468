"""Programs that fork, hide, ignore signals or flood leave no process and no file behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_conformance.stray_processes import kill_marked, marked
from conform_calls import ONE
from proofs import a_few
from waiting import HANGS, until

SPEAKS = """
import os, runpy, signal, subprocess, sys, time
sys.argv = ["reference"]
def speak():
    runpy.run_module("acp_conformance.reference", run_name="__main__", alter_sys=True)
def left(**options):
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    subprocess.Popen([sys.executable, "-I", "-S", "-c", code], **options)
"""
HABITS = {
    "forks": "left()\nspeak()",
    "hides in a session": "left(start_new_session=True)\nspeak()",
    "hides without an environment": "left(start_new_session=True, env={})\nspeak()",
    "is a daemon": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        left()\n"
        "        time.sleep(600)\n    os._exit(0)\nos.wait()\nspeak()"
    ),
    "ignores SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nspeak()",
    "never reads": "left(start_new_session=True)\ntime.sleep(600)",
    "floods its error": (
        "import threading\n"
        "def flood():\n    while True:\n        os.write(2, b'x' * 65536)\n"
        "threading.Thread(target=flood, daemon=True).start()\nspeak()"
    ),
    "floods": "while True:\n    os.write(1, b'{}\\n' * 20000)",
    "prints a gigabyte": (
        "for _ in range(1024):\n    os.write(1, b'x' * 2**20)\n"
        "left(start_new_session=True)\ntime.sleep(600)"
    ),
}


def processes(folder: Path) -> list[str]:
    """The command lines of processes that belong to a test, whatever their environment."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if (each / "cwd").readlink() == folder:
                found.append((each / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    "habit",
    a_few(
        list(HABITS),
        {"hides in a session", "hides without an environment"},
        "plays with each of nine agents",
    ),
)
def test_nothing_is_left_behind(habit: str, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    agent = (sys.executable, "-c", SPEAKS + HABITS[habit])
    speaks = habit not in {"never reads", "floods", "prints a gigabyte"}
    command = ("conform", *ONE, "--timeout", "300" if speaks else "5", "--", *agent)
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", *command],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (0 if speaks else 2), done.stderr
    assert processes(tmp_path) == []
    assert [*temporary.iterdir()] == []


def test_a_client_leaves_nothing_behind(tmp_path: Path) -> None:
    client = SPEAKS + (
        "left(start_new_session=True)\n"
        "left(start_new_session=True, env={})\n"
        "sys.exit('no such option')"
    )
    command = ("conform", "--client", "--", sys.executable, "-c", client, "{agent}")
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", *command],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, processes(tmp_path)) == (2, [])


def test_only_marked_processes_are_killed() -> None:
    env, mark = marked({"A": "b"})
    assert env["A"] == "b"
    ours = subprocess.Popen(["sleep", "600"], env=env)
    other = subprocess.Popen(["sleep", "600"], env=marked(None)[0])
    try:
        kill_marked(mark)
        assert ours.wait(HANGS) == -9
        assert other.poll() is None
    finally:
        for each in (ours, other):
            each.kill()
            each.wait()


ORPHANS = """
import os, subprocess, sys
from acp_conformance.stray_processes import adopt_orphans, kill_orphans

kept = subprocess.Popen(["sleep", "600"])
before = adopt_orphans()
subprocess.run(["sh", "-c", "setsid sleep 601 & setsid sleep 602 &"], env={"PATH": sys.argv[1]})
kill_orphans(before)
print(kept.poll(), flush=True)
kept.kill()
command = ["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"]
late = int(subprocess.run(command, capture_output=True, check=True).stdout)
with open(f"/proc/{late}/stat") as file:
    print(file.read().rpartition(")")[2].split()[1] == str(os.getpid()))
os.kill(late, 9)
"""


def test_orphans_are_killed_and_children_of_before_are_not(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ORPHANS, os.environ["PATH"]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "None\nFalse\n"
    until(lambda: not processes(tmp_path))
