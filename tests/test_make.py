"""What `make` prints where a tool is missing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import unavailable

REPOSITORY = Path(__file__).parents[1]


def make(target: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Make a target with no program to be found."""
    program = shutil.which("make")
    if program is None:
        unavailable.skip("make is missing")
    return subprocess.run(
        [program, "--silent", target],
        cwd=REPOSITORY,
        env={"PATH": "", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("target", ["docs", "view"])
def test_a_page_can_not_be_built_without_npm(target: str) -> None:
    made = make(target)
    assert made.returncode == 2
    assert made.stdout == ""
    assert made.stderr.splitlines()[0] == (
        "npm is missing: install Node.js with npm (Debian: apt-get install npm)"
    )


@pytest.mark.parametrize(("variables", "effect"), [({}, "are skipped"), ({"CI": "true"}, "fail")])
def test_tests_without_npm_are_skipped_except_in_ci(variables: dict[str, str], effect: str) -> None:
    made = make("node", **variables)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout == f"npm is missing: tests that need it {effect}\n"
