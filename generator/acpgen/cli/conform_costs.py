"""What the traces of an agent cost: `acpgen conform --dry-run`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from acp_conformance.trace_costs import TraceCost, cost_of, total
from acp_conformance.trace_script import Script

__all__ = ["plain_costs", "structured_costs"]


def plain_costs(played: Sequence[Script], quiet: float) -> str:
    """A line for each trace, and one for all.

    Args:
        played: the traces.
        quiet: the seconds that count as silence.
    """
    rows = [(script.name, cost_of(script, quiet)) for script in played]
    rows.append((f"{len(played)} {_noun('trace', len(played))}", total(played, quiet)))
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:{width}}  {_summary(cost)}" for name, cost in rows]
    lines.append(
        "Seconds are waits for silence, one trace after the other; what the agent takes to start,"
        " to answer and to work comes on top. A failure beside other traces is played once more."
    )
    return "\n".join(lines) + "\n"


def structured_costs(played: Sequence[Script], quiet: float) -> str:
    """The same as one JSON document."""
    traces = [{"name": each.name, **_members(cost_of(each, quiet))} for each in played]
    return json.dumps({"traces": traces, "total": _members(total(played, quiet))}, indent=2) + "\n"


def _summary(cost: TraceCost) -> str:
    prompts, starts = _range(cost.prompts), _range(cost.starts)
    prompt, start = _noun("prompt", cost.prompts[1]), _noun("start", cost.starts[1])
    return f"{prompts:>9} {prompt:7}  {starts:>6} {start:6}  {cost.seconds:6.1f} s"


def _noun(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _range(counts: tuple[int, int]) -> str:
    least, most = counts
    return str(least) if least == most else f"{least}-{most}"


def _members(cost: TraceCost) -> dict[str, object]:
    return {
        "prompts": {"least": cost.prompts[0], "most": cost.prompts[1]},
        "starts": {"least": cost.starts[0], "most": cost.starts[1]},
        "seconds": round(cost.seconds, 2),
    }
