"""All about judging messages, in one run: `python benchmarks [--peers FOLDER]`.

Prints, as Markdown, the machine, the engines inside one process, and whole processes. The table in
docs/benchmarks.md is kept from it.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = ("orjson", "msgspec", "jsonschema-rs", "fastjsonschema", "jsonschema", "pydantic")


def machine() -> str:
    """The machine, and the versions of what is measured."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    cpu = names[0] if names else platform.processor()
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}; {versions}"


def main() -> None:
    """Run one after the other."""
    print(machine(), flush=True)
    print("\n### In one process, 1 % faulty\n", flush=True)
    subprocess.run([sys.executable, str(HERE / "engine.py")], check=True)
    print(flush=True)
    subprocess.run([sys.executable, str(HERE / "processes.py"), *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
