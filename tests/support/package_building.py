"""Packages of the languages, built as `make packages` builds them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "generated"
RELEASE = "0.1.0"
"""The newest release of the schema."""


def build(folder: Path, out: Path) -> list[Path]:
    """Build the package of a folder into another one, and return the files that were written."""
    done = subprocess.run(
        [sys.executable, ROOT / "packages/build_packages.py", folder, "--out", out],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [Path(line) for line in done.stdout.splitlines()]


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write the files of a fresh project into a folder, and return the folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder
