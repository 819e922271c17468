"""Every requirement is checked, and every check belongs to a requirement."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import acp_conformance
from acp_conformance.client_plans import CLIENT_PLANS
from acp_conformance.client_rules import RANDOM, RULES
from acp_conformance.proxy_traces import PROXY_TRACES
from acp_conformance.requirements import ASKED, BY_ID, CORE, Level, Role
from acp_conformance.trace_script import remote_scripts, scripts

THROUGH = frozenset[str]().union(*(trace.proves for trace in PROXY_TRACES))
PROVED = frozenset[str]().union(*(script.proves for script in scripts()))
REMOTE = frozenset[str]().union(*(script.proves for script in remote_scripts()))


def ids(role: Role) -> set[str]:
    return {asked.id for asked in ASKED if asked.role is role}


def test_ids_are_unique_and_kebab_case() -> None:
    assert len(BY_ID) == len(ASKED)
    assert [id_ for id_ in BY_ID if not re.fullmatch(r"[a-z]+(-[a-z]+)+", id_)] == []


def test_every_requirement_is_checked() -> None:
    assert PROVED | REMOTE | RULES.keys() | {RANDOM} | THROUGH == BY_ID.keys()


def test_agents_are_checked_by_traces_and_clients_by_rules() -> None:
    assert ids(Role.AGENT) == PROVED
    assert ids(Role.SERVER) == REMOTE
    assert ids(Role.CLIENT) == {RANDOM, *RULES}
    assert ids(Role.CLIENT) == frozenset[str]().union(*(plan.proves for plan in CLIENT_PLANS))
    assert ids(Role.PROXY) == THROUGH


def test_the_core_of_each_role_is_its_own() -> None:
    assert {role: core <= ids(role) for role, core in CORE.items()} == dict.fromkeys(Role, True)


def test_each_section_of_the_rfd_that_asks_something_is_there() -> None:
    words = Counter((asked.section, asked.level) for asked in ASKED)
    handling, lifetime = "How the Agent handles a keyed prompt", "How long a key lasts"
    field = "The idempotencyKey parameter"
    assert words[field, Level.MUST] == 4
    assert words[field, Level.SHOULD] == 2
    assert words[handling, Level.MUST] == 2
    assert words[lifetime, Level.MUST] == 9
    assert words[lifetime, Level.SHOULD] == 3


def test_the_guide_lists_every_requirement() -> None:
    page = (Path(acp_conformance.__file__).parents[1] / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| `([a-z-]+)` \| (?:MUST|SHOULD|stated) \|", page, re.MULTILINE)
    assert listed == [asked.id for asked in ASKED]


def test_the_guide_lists_every_trace_for_a_proxy() -> None:
    page = (Path(acp_conformance.__file__).parents[1] / "README.md").read_text("utf-8")
    assert [each for each in PROXY_TRACES if f"| `{each.name}` | {each.title} |" not in page] == []


def test_the_guide_lists_every_plan() -> None:
    page = (Path(acp_conformance.__file__).parents[1] / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| (\d+) \|", page, re.MULTILINE)
    listed = [(name, int(runs)) for names, runs in rows for name in names[1:-1].split("`, `")]
    assert sorted(listed) == sorted((plan.name, len(plan.texts)) for plan in CLIENT_PLANS)
    assert f" {sum(len(plan.texts) for plan in CLIENT_PLANS)} in all." in page
