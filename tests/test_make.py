"""What `make` prints: its targets, and where a tool is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import unavailable

REPOSITORY = Path(__file__).parents[1]


def make(target: str, path: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Make a target. Programs are found in a path, by default none."""
    program = shutil.which("make")
    if program is None:
        unavailable.skip("make is missing")
    return subprocess.run(
        [program, "--silent", target],
        cwd=REPOSITORY,
        env={"PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_help_has_each_target_with_what_it_does() -> None:
    made = make("help", path=os.environ["PATH"])
    assert (made.returncode, made.stderr) == (0, "")
    shown = re.findall(r"^  make (\w+) +\S.*$", made.stdout, re.MULTILINE)
    text = (REPOSITORY / "Makefile").read_text("utf-8")
    (listed,) = re.findall(r"^\.PHONY: (help .*)$", text, re.MULTILINE)
    assert shown == sorted(listed.split())
    assert len(made.stdout.splitlines()) == len(shown)


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
