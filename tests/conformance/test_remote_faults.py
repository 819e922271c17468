"""Each fault of a transport is played, and a server that can't take it is found and named."""

from __future__ import annotations

import pytest

import broken_hosts
from acp_conformance.requirements import BY_ID, Role
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import remote_scripts
from acp_conformance.verdict import RequirementVerdict, VerdictStatus, verdicts
from broken_hosts import BROKEN
from laboratory import patiently
from proofs import a_few
from remote_host import HostLauncher, RemoteHost

PATIENCE = AgentTimeouts(answer=3.0, quiet=0.2)
SERVER = {asked.id for asked in BY_ID.values() if asked.role is Role.SERVER}
HTTP_ONLY = {"server-takes-post-again", "server-drops-half-a-prompt"}
"""What breaks with a POST. No library shows a server half a message of a WebSocket."""

CASES = [
    *(("http", host) for host in BROKEN),
    *(("ws", host) for host, ids in BROKEN.items() if not ids & HTTP_ONLY),
]


def judge(
    host_type: type[RemoteHost], scheme: str, timeouts: AgentTimeouts, *names: str
) -> list[RequirementVerdict]:
    played = [each for each in remote_scripts() if not names or each.name in names]
    with host_type() as host, HostLauncher(host, scheme) as launcher:
        results = [play(script, launcher, timeouts) for script in played]
    return verdicts(results, Role.SERVER)


def having(found: list[RequirementVerdict], *status: VerdictStatus) -> dict[str, list[str]]:
    return {v.requirement.id: [*v.details] for v in found if v.status in status}


def missing(found: list[RequirementVerdict]) -> set[str]:
    return {v.requirement.id for v in found if v.status is not VerdictStatus.PASS}


def about(requirements: frozenset[str]) -> list[str]:
    return [each.name for each in remote_scripts() if requirements & each.proves]


@pytest.mark.prove("plays every fault")
@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_the_reference_keeps_everything(scheme: str) -> None:
    known = set() if scheme == "http" else {"server-takes-post-again"}
    found = patiently(
        lambda timeouts: judge(RemoteHost, scheme, timeouts),
        lambda found: missing(found) == known,
        PATIENCE,
    )
    assert missing(found) == known, found


Case = tuple[str, type[RemoteHost]]
A_FEW: list[Case] = [
    ("http", broken_hosts.LocksKeysEarly),
    ("ws", broken_hosts.ClosesSessionsOfTheBroken),
]


def named(case: Case) -> str:
    return f"{case[0]}-{case[1].__name__}"


@pytest.mark.parametrize("case", a_few(CASES, A_FEW, "each broken server"), ids=named)
def test_a_broken_server_fails_what_it_breaks(case: Case) -> None:
    scheme, host = case
    failed = patiently(
        lambda timeouts: having(
            judge(host, scheme, timeouts, *about(BROKEN[host])), VerdictStatus.FAIL
        ),
        lambda failed: failed.keys() == BROKEN[host],
        PATIENCE,
    )
    assert failed.keys() == BROKEN[host]


@pytest.mark.prove("plays every fault with each broken server")
@pytest.mark.parametrize("case", CASES, ids=named)
def test_it_fails_nothing_else(case: Case) -> None:
    scheme, host = case
    failed = patiently(
        lambda timeouts: having(judge(host, scheme, timeouts), VerdictStatus.FAIL),
        lambda failed: failed.keys() == BROKEN[host],
        PATIENCE,
    )
    assert failed.keys() == BROKEN[host], failed


def test_every_requirement_is_broken_by_a_server() -> None:
    assert frozenset().union(*BROKEN.values()) == SERVER
