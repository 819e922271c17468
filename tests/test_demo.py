"""`make demo` shows what acpgen answers, on one screen."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_demo_answers_four_questions_on_one_screen() -> None:
    done = subprocess.run(
        [sys.executable, "examples/demo.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert (done.stderr, len(lines)) == ("", 14)
    assert lines[1:3] == [
        "  without a key: not at all (keyed-without-key)",
        "  with its key: same key (keyed-with-key)",
    ]
    assert re.search(r"^  Class +Keyed$", done.stdout, re.MULTILINE)
    assert done.stdout.count(" error[") == 3
    assert "  20 messages: 18 accepted, 2 refused" in lines
    assert "breaks clients" in done.stdout
    assert lines[-1].startswith("Next: ")


def test_the_demo_is_what_make_runs() -> None:
    recipe = (ROOT / "Makefile").read_text("utf-8").split("\ndemo:")[1].split("\n\n")[0]
    assert recipe.split("\n\t")[1:] == ["@$(BIN)/python examples/demo.py"]


def test_installing_prints_one_line() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = makefile.split("\n.venv/bin/python:")[1].split("\n\n")[0]
    reported = [line for line in recipe.split("\n\t") if line.startswith("@echo")]
    assert len(reported) == 1
    calls = re.findall(r"^.*-m pip install.*$", makefile, re.MULTILINE)
    assert calls
    assert all("--quiet --quiet" in each for each in calls)
