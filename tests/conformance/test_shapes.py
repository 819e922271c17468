"""What every agent owes before keys matter: the traces `shape-*`, and agents that break them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import broken_shapes
from acp_conformance.requirement_rows import RFD
from acp_conformance.requirements import BY_ID, Role
from acp_conformance.shape_requirements import SHAPE, SHAPE_REQUIREMENTS, shape_ids
from acp_conformance.trace_runner import AgentTimeouts
from acp_conformance.trace_script import Script, scripts
from acp_conformance.trace_selection import named
from acp_conformance.verdict import VerdictStatus, verdicts
from conform_calls import AGENT, conform
from laboratory import PATIENCE, examine, patiently
from variation import FAULTS, Variation

TRACES = tuple(script for script in scripts() if script.name.startswith(f"{SHAPE}-"))
BROKEN = [agent for agent in FAULTS if agent.__module__ == broken_shapes.__name__]
V1 = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocolVersion": 1, "agentCapabilities": {}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def statuses(
    agent: type[Variation],
    traces: tuple[Script, ...] = TRACES,
    timeouts: AgentTimeouts = PATIENCE,
) -> dict[str, VerdictStatus]:
    """What traces about shapes show of an agent."""
    found = verdicts(examine(agent, traces, timeouts), Role.AGENT)
    return {v.requirement.id: v.status for v in found if v.requirement.id in shape_ids()}


def failing(agent: type[Variation]) -> set[str]:
    about = tuple(trace for trace in TRACES if trace.proves & FAULTS[agent])

    def judge(timeouts: AgentTimeouts) -> set[str]:
        found = statuses(agent, about, timeouts)
        return {id_ for id_, status in found.items() if status is VerdictStatus.FAIL}

    return patiently(judge, lambda failed: failed == FAULTS[agent])


def test_the_reference_keeps_all_of_them() -> None:
    kept = dict.fromkeys(shape_ids(), VerdictStatus.PASS)
    found = patiently(
        lambda timeouts: statuses(Variation, timeouts=timeouts), lambda found: found == kept
    )
    assert found == kept


def test_each_broken_agent_fails_what_it_breaks() -> None:
    with ThreadPoolExecutor(len(BROKEN)) as pool:
        found = dict(zip(BROKEN, pool.map(failing, BROKEN), strict=True))
    wrong = {agent.__name__: ids for agent, ids in found.items() if ids != FAULTS[agent]}
    assert wrong == {}
    assert set().union(*found.values()) == shape_ids()


def test_the_traces_are_about_nothing_else() -> None:
    assert frozenset().union(*(each.proves for each in TRACES)) == shape_ids()
    assert [each.name for each in scripts() if each.proves & shape_ids()] == [
        each.name for each in TRACES
    ]


def test_each_requirement_cites_its_source() -> None:
    assert {each.source for each in SHAPE_REQUIREMENTS} == {"ACP v2 schema", "ACP v2 pages"}
    assert BY_ID["state-after-resume"].cited == (
        "ACP v2 schema, ResumeSessionResponse: The agent must send a state_update after any replay"
        " and before the answer."
    )
    assert {each.source for each in BY_ID.values() if each.id not in shape_ids()} == {RFD}
    assert BY_ID["support-keys"].cited.startswith('RFD, The idempotencyKey parameter: "Agents')


def test_one_name_stands_for_all_of_them() -> None:
    assert named(["keyless", SHAPE]) == ["keyless", *(each.name for each in TRACES)]


def test_they_are_played_and_reported_alone() -> None:
    status, out, err = conform("--trace", SHAPE, "--", *AGENT)
    assert (status, [line for line in err.splitlines() if "traces played" not in line]) == (0, [])
    assert out.count("\n") == len(SHAPE_REQUIREMENTS) + 1
    assert out.endswith(f"{len(SHAPE_REQUIREMENTS)} passed, 0 failed, 0 not exercised\n")


@pytest.mark.parametrize("trace", ["shape-older-version", "retry-answer"])
def test_an_agent_of_version_1_gets_one_sentence(trace: str) -> None:
    status, out, err = conform("--trace", trace, "--", AGENT[0], "-c", V1)
    assert err == (
        "acpgen: the program under test can't be judged: step 1, connect: the agent does not speak"
        " version 2: it answers initialize with version 1, which has no idempotency keys to judge\n"
    )
    assert (status, out) == (2, "")
