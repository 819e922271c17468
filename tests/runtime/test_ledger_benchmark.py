"""The benchmark of the ledger finds what it needs when it is run by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "ledger.py"


def test_it_starts(tmp_path: Path) -> None:
    program = f"import runpy; print(callable(runpy.run_path({str(BENCHMARK)!r})['main']))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
