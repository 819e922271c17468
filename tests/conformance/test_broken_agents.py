"""Each requirement has an agent that breaks it, and the kit finds just what that agent breaks."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

import acp_conformance
import broken_handling
import broken_keys
import broken_lifetimes
import broken_moments
import broken_privacy
import broken_shapes
import broken_turns
from acp_conformance.requirements import Role
from acp_conformance.trace_runner import AgentTimeouts
from acp_conformance.trace_script import scripts
from acp_conformance.verdict import RequirementVerdict, VerdictStatus, verdicts
from laboratory import MORE, PATIENCE, Mount, examine, patiently
from variation import FAULTS, Variation

MODULES = (
    broken_handling,
    broken_keys,
    broken_lifetimes,
    broken_moments,
    broken_privacy,
    broken_shapes,
    broken_turns,
)
AT_ONCE = 6
A_FEW = (
    broken_handling.IgnoresKeys,
    broken_keys.FoldsCase,
    broken_lifetimes.KeepsKeysInMemory,
)
"""What `make test` tries of them, in the traces about what they break."""

ONE_TRACE: dict[type[Variation], str] = {
    broken_moments.DropsStoredKeysWhenForked: "fork",
    broken_moments.ForgetsWhenAnOptionIsSet: "retry-after-option",
    broken_moments.ForgetsWhenArchived: "retry-after-archive",
    broken_moments.ForgetsWhenClosedElsewhere: "two-connections",
    broken_moments.ForgetsWhenAConnectionLeaves: "held-connection-ends",
    broken_privacy.ShowsKeysInBase64: "private",
    broken_turns.InsertsAndFails: "retry-after-error",
    broken_turns.MergesWhatWaits: "retry-queued",
    broken_turns.StopsItsWorkAtARetry: "retry-while-working",
}
"""Agents whose fault one trace shows."""


def judge(agent: type[Variation], timeouts: AgentTimeouts = PATIENCE) -> list[RequirementVerdict]:
    def make(mount: Mount) -> Variation:
        return agent(mount)

    return verdicts(examine(make, scripts(), timeouts), Role.AGENT)


def missed(found: list[RequirementVerdict]) -> dict[str, tuple[str, ...]]:
    return {v.requirement.id: (*v.details,) for v in found if v.status is not VerdictStatus.PASS}


def failing(found: list[RequirementVerdict]) -> dict[str, list[str]]:
    return {v.requirement.id: [*v.details] for v in found if v.status is VerdictStatus.FAIL}


def test_the_reference_keeps_everything() -> None:
    assert not missed(judge(Variation)) or missed(judge(Variation, MORE)) == {}


@pytest.mark.parametrize("agent", A_FEW)
def test_a_few_broken_agents_fail_what_they_break(agent: type[Variation]) -> None:
    about = tuple(script for script in scripts() if script.proves & FAULTS[agent])
    found = patiently(
        lambda timeouts: failing(verdicts(examine(agent, about, timeouts), Role.AGENT)),
        lambda failed: failed.keys() == FAULTS[agent],
    )
    assert found.keys() == FAULTS[agent]


def test_one_trace_shows_the_fault_of_some() -> None:
    def seen(agent: type[Variation]) -> set[str]:
        played = tuple(script for script in scripts() if script.name == ONE_TRACE[agent])
        (result,) = patiently(
            lambda timeouts: examine(agent, played, timeouts), lambda results: results[0].broken
        )
        return {*dict(result.broken)}

    with ThreadPoolExecutor(len(ONE_TRACE)) as pool:
        found = dict(zip(ONE_TRACE, pool.map(seen, ONE_TRACE), strict=True))
    wrong = {agent.__name__: ids for agent, ids in found.items() if not ids}
    assert wrong == {}
    assert [agent for agent, ids in found.items() if not ids <= FAULTS[agent]] == []


@pytest.mark.prove("plays all traces with each of the 109 agents")
def test_broken_agents_fail_what_they_break_and_nothing_else() -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(FAULTS, map(failing, pool.map(judge, FAULTS)), strict=True))
        # A busy machine is late: what the kit asks for then is more patience.
        late = [agent for agent, failed in found.items() if failed.keys() != FAULTS[agent]]
        again = pool.map(partial(judge, timeouts=MORE), late)
        found |= zip(late, map(failing, again), strict=True)
    wrong = {
        agent.__name__: (sorted(failed.keys() ^ FAULTS[agent]), failed)
        for agent, failed in found.items()
        if failed.keys() != FAULTS[agent]
    }
    assert wrong == {}


def test_every_requirement_is_broken_by_an_agent() -> None:
    asked = {verdict.requirement.id for verdict in verdicts((), Role.AGENT)}
    assert frozenset().union(*FAULTS.values()) == asked


def test_every_broken_agent_is_examined() -> None:
    values = [value for module in MODULES for value in vars(module).values()]
    classes = {value for value in values if isinstance(value, type)}
    here = {module.__name__ for module in MODULES}
    agents = {c for c in classes if issubclass(c, Variation) and c.__module__ in here}
    bases = {base for agent in agents for base in agent.__bases__}
    assert agents - bases <= FAULTS.keys() <= agents


def test_the_guide_counts_them() -> None:
    page = (Path(acp_conformance.__file__).parents[1] / "README.md").read_text("utf-8")
    assert re.findall(r"^- (\d+) agents", page, re.MULTILINE) == [str(len(FAULTS))]
