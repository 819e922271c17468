"""What `acpgen conform` can play, and what that proves: `--list`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from acp_conformance.client_plans import CLIENT_PLANS
from acp_conformance.proxy_traces import PROXY_TRACES
from acp_conformance.requirements import ASKED, BY_ID, Level, Requirement, Role
from acp_conformance.trace_script import remote_scripts, scripts

__all__ = ["plain_list", "structured_list"]


@dataclass(frozen=True, slots=True)
class _ListedTrace:
    """A trace: its strongest level, a sentence about it, and the requirements that it can prove."""

    name: str
    role: Role
    level: Level
    text: str
    requirements: Sequence[str]


def plain_list(roles: Iterable[Role]) -> str:
    """The requirements and the traces of roles as text: level, name and sentence."""
    lines: list[str] = []
    for role in roles:
        if lines:
            lines.append("")
        lines.append(f"Requirements for {_ARTICLE[role]} {role}:")
        lines += [f"  {each.level:6}  {each.id}: {each.text}" for each in _requirements(role)]
        lines += ["", f"Traces for {_ARTICLE[role]} {role}:"]
        lines += [f"  {each.level:6}  {each.name}: {each.text}" for each in _traces(role)]
    return "\n".join(lines) + "\n"


def structured_list(roles: Iterable[Role]) -> str:
    """The requirements and the traces of roles as one JSON document."""
    roles = [*roles]
    traces = [trace for role in roles for trace in _traces(role)]
    document = {
        "requirements": [
            {
                "id": each.id,
                "role": each.role,
                "level": each.level,
                "source": each.source,
                "section": each.section,
                "text": each.text,
                "sentence": each.sentence,
                "traces": [trace.name for trace in traces if each.id in trace.requirements],
            }
            for role in roles
            for each in _requirements(role)
        ],
        "traces": [
            {
                "name": each.name,
                "role": each.role,
                "level": each.level,
                "text": each.text,
                "requirements": [*each.requirements],
            }
            for each in traces
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _requirements(role: Role) -> list[Requirement]:
    return [each for each in ASKED if each.role is role]


def _traces(role: Role) -> list[_ListedTrace]:
    match role:
        case Role.AGENT:
            return [_listed(each.name, role, each.proves, each.title) for each in scripts()]
        case Role.SERVER:
            return [_listed(each.name, role, each.proves, each.title) for each in remote_scripts()]
        case Role.CLIENT:
            return [
                _listed(each.name, role, each.proves, about=each.about) for each in CLIENT_PLANS
            ]
        case Role.PROXY:
            return [_listed(each.name, role, each.proves, each.title) for each in PROXY_TRACES]


def _listed(
    name: str, role: Role, proves: frozenset[str], title: str = "", about: Sequence[str] = ()
) -> _ListedTrace:
    """A trace in the list. `about` are the requirements that it is made for, if not all."""
    ids = [each.id for each in ASKED if each.id in proves]
    made_for = [id_ for id_ in ids if id_ in about] or ids
    level = min((BY_ID[id_].level for id_ in made_for), key=lambda level: level.rank)
    return _ListedTrace(name, role, level, title or f"Tests {', '.join(made_for)}.", ids)


_ARTICLE: Final[Mapping[Role, str]] = {
    Role.AGENT: "an",
    Role.SERVER: "a",
    Role.CLIENT: "a",
    Role.PROXY: "a",
}
