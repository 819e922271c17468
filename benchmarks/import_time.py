"""CPU time of starting with the models: importing them and reading a first prompt.

Compares whole processes with one that imports the models of the official Python SDK (PyPI
`agent-client-protocol`). The programs take turns, so that a busy machine slows all of them.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

RUNS = 15
PROMPT = '{"sessionId": "s", "prompt": [{"type": "text", "text": "hello"}], "idempotencyKey": "k"}'
OFFICIAL = "import acp.schema"
FIRST_PROMPT = "acp_v2.models and a first prompt"
PROGRAMS = {
    OFFICIAL: "import acp.schema",
    FIRST_PROMPT: f"from acp_v2.models import PromptRequest; PromptRequest.from_wire({PROMPT!r})",
    "every model of acp_v2.models": "from acp_v2.models import *",
    "acp_v2.retry": "import acp_v2.retry",
    "pydantic alone": "from pydantic import BaseModel",
    "Python alone": "pass",
}


def cpu_seconds(program: str) -> float:
    """User and system time of a process that runs a program."""
    process = subprocess.Popen([sys.executable, "-c", program], env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {program}")
    return usage.ru_utime + usage.ru_stime


def environment() -> dict[str, str]:
    """Ours, with the folders that this process imports from."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def main() -> None:
    """Print a table of medians, and the ratio to the official SDK."""
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for program in PROGRAMS.values():
        cpu_seconds(program)  # leaves byte code behind
    for _ in range(RUNS):
        for name, program in PROGRAMS.items():
            times[name].append(cpu_seconds(program))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    print(f"{'program':<36}{'CPU ms':>8}{'ratio':>8}   (medians of {RUNS} runs)")
    for name, median in medians.items():
        print(f"{name:<36}{median * 1000:>8.0f}{median / medians[OFFICIAL]:>8.2f}")


if __name__ == "__main__":
    main()
