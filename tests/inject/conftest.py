"""The MDX compiler, for pages that hold regions."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import unavailable

MDX = Path(__file__).parents[1] / "mdx"


@pytest.fixture
def compiled() -> Callable[..., Mapping[str, str]]:
    """Compiles texts by name, and gives why those that fail do so.

    Where the compiler may be missing, its tests skip; in CI they fail.
    """
    missing = "" if shutil.which("node") else "node is missing"
    if not missing and not (MDX / "node_modules").is_dir():
        missing = "run `npm ci --prefix tests/mdx`"
    if missing:
        unavailable.skip(f"regions can't be compiled as MDX: {missing}")

    def run(texts: Mapping[str, str], *, elements: bool = False) -> Mapping[str, str]:
        done = subprocess.run(
            ["node", "compile.mjs", *(["--elements"] if elements else [])],
            cwd=MDX,
            input=json.dumps(texts),
            capture_output=True,
            text=True,
            check=True,
            encoding="utf-8",
        )
        reasons: dict[str, str] = json.loads(done.stdout)
        return reasons

    return run
