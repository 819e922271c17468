"""The benchmarks of ledger and stores find what they need when they are run by themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("name", ["ledger.py", "stores.py"])
def test_it_starts(name: str, tmp_path: Path) -> None:
    path = str(BENCHMARKS / name)
    program = f"import runpy; print(callable(runpy.run_path({path!r})['main']))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
