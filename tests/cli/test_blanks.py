"""A blank word on the command line is refused: an empty path would be the current folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from acpgen.startup.blank_arguments import blank


@pytest.mark.parametrize(
    ("words", "which"),
    [
        (("--out", ""), "the value of --out"),
        (("--out", " \t"), "the value of --out"),
        (("--out=",), "the value of --out"),
        (("--out= ",), "the value of --out"),
        (("inject", ""), "argument 2"),
        (("-f", ""), "argument 2"),
        (("",), "argument 1"),
        (("a=", "--out", "b", "-"), None),
        ((), None),
    ],
)
def test_the_first_blank_is_found(words: tuple[str, ...], which: str | None) -> None:
    assert blank(words) == which


@pytest.mark.parametrize(
    ("words", "which"),
    [
        (("lint", ""), "argument 1"),
        (("generate", "--out", ""), "the value of --out"),
        (("generate", "--only="), "the value of --only"),
        (("watch", "--schema", " "), "the value of --schema"),
        (("validate", "--schema", "", "-"), "the value of --schema"),
        (("validate", ""), "argument 1"),
        (("trace", ""), "argument 1"),
        (("diff", ""), "argument 1"),
        (("release", ""), "argument 1"),
        (("methods", ""), "argument 1"),
        (("explain", ""), "argument 1"),
        (("docs", "inject", ""), "argument 2"),
        (("templates", ""), "argument 1"),
        (("upstream", "--schema", ""), "the value of --schema"),
    ],
)
def test_every_command_refuses_it(words: tuple[str, ...], which: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"acpgen: {which} is blank: is a variable unset?\n"
    assert [*tmp_path.iterdir()] == []
