"""Clients and agents are killed; no prompt is lost and none is inserted twice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("crash_matrix.py")
FULL = bool(os.environ.get("CI") or os.environ.get("ACP_RETRY_FULL"))


def crash(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)


def test_every_prompt_is_inserted_once() -> None:
    done = crash(*(() if FULL else ("--trials", "60")))
    assert done.returncode == 0, done.stdout + done.stderr
    figures = re.search(r"(\d+)  kills in (\d+) trials", done.stdout)
    assert figures is not None
    kills, trials = map(int, figures.groups())
    assert f"{trials}  inserted once" in done.stdout
    assert kills >= (1_000 if FULL else 40)


@pytest.mark.parametrize(("side", "end"), [("agent", "doubled"), ("client", "lost")])
def test_the_matrix_bites(side: str, end: str) -> None:
    done = crash("--broken", side, "--trials", "80")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"  {end}\n" in done.stdout
