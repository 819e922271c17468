"""Which traces are played, where not all are: quickly, or within a number of prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from acp_conformance.requirements import BY_ID, CORE, SUPPORT, Role
from acp_conformance.shape_requirements import SHAPE
from acp_conformance.trace_costs import cost_of
from acp_conformance.trace_script import Script, scripts

__all__ = ["QUICK", "named", "quick", "within"]

QUICK: Final = (
    "retry-answer",
    "retry-same-connection",
    "retry-new-connection",
    "retry-after-restart",
    "retry-mid-turn",
    "retry-while-working",
    "retry-held-after-restart",
    "concurrent-attempts",
    "malformed-keys-refused",
    "malformed-keys-insert-nothing",
    "reused-key",
    "other-session",
    "null-key",
    "keyless",
    "private",
    "remote-answer-lost",
)
"""The traces of `--quick`: about the core, and about most of what the RFD asks with MUST.

The one about a transport is played with an agent at a URL only.
"""


def named(names: Iterable[str]) -> list[str]:
    """The names of traces and requirements, where `SHAPE` means all traces about shapes."""
    shapes = [each.name for each in scripts() if each.name.startswith(f"{SHAPE}-")]
    return [each for name in names for each in (shapes if name == SHAPE else [name])]


def quick(scripts: Iterable[Script]) -> list[Script]:
    """The traces among some that are played quickly."""
    return [script for script in scripts if script.name in QUICK]


def within(scripts: Sequence[Script], prompts: int) -> list[Script]:
    """The traces among some that send no more than a number of prompts in all, in their order.

    Those that the verdict rests on come first, then those with the stronger levels, then those
    with fewer prompts.
    """
    left = prompts
    chosen: set[str] = set()
    for script in sorted(scripts, key=_rank):
        most = cost_of(script).prompts[1]
        if most <= left:
            chosen.add(script.name)
            left -= most
    return [script for script in scripts if script.name in chosen]


def _rank(script: Script) -> tuple[bool, bool, int, int]:
    levels = [BY_ID[id_].level.rank for id_ in script.proves]
    core = bool(script.proves & CORE[Role.AGENT])
    return SUPPORT not in script.proves, not core, min(levels), cost_of(script).prompts[1]
