"""`acpgen conform` as people call it, and two agents for it: one is right, one forgets keys."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from command_calls import call_acpgen

__all__ = ["AGENT", "ONE", "conform", "conform_apart", "write_forgetful"]

AGENT = [sys.executable, "-m", "acp_conformance.reference"]
ONE = ("--trace", "retry-answer")
FORGETFUL = """
from acp_conformance import reference
from acp_conformance.reference_agent import ReferenceAgent

class Agent(ReferenceAgent):
    async def prompt(self, call):
        return await self.ledger.prompt(call.peer, call.id, {**call.params, "idempotencyKey": None})

reference.ReferenceAgent = Agent
reference.main()
"""


def conform(*args: str | Path) -> tuple[int, str, str]:
    return call_acpgen("conform", *args)


def conform_apart(*args: str | Path) -> tuple[int, str, str]:
    """As `conform`, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", "conform", *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def write_forgetful(folder: Path) -> list[str]:
    """Write the agent that forgets keys, and return what starts it."""
    path = folder / "forgetful.py"
    path.write_text(FORGETFUL, "utf-8")
    return [sys.executable, str(path)]
