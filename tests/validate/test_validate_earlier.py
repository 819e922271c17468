"""Messages of earlier versions of the protocol: the verdict says where their methods are from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from acpgen.judge import v1_words
from acpgen.judge.single import validate
from acpgen.load import load
from acpgen.model import Nullable, Object, Protocol, Ref, Type, TypeName, Union
from acpgen.startup import accept
from acpgen.types.structure import walk
from whole_schema import whole_schema


def reported(name: str, protocol: Protocol) -> list[str]:
    message = {"jsonrpc": "2.0", "id": 1, "method": name, "params": {}}
    return [fault.message for fault in validate(json.dumps(message), protocol=protocol).findings]


def test_the_methods_are_those_of_v1_that_are_gone(upstream_schemas: Path) -> None:
    names = {
        method.name
        for file in sorted((upstream_schemas / "v1").glob("*.json"))
        for method in load(file).methods
    }
    assert names - {method.name for method in whole_schema().methods} == v1_words.METHODS


def tags(protocol: Protocol) -> set[tuple[str, str]]:
    """The tags of the variants of a protocol: the member, and its value."""
    return {
        (part.tag, value)
        for definition in protocol.types.values()
        for part in walk(definition.body)
        if isinstance(part, Union) and part.tag is not None
        for value in part.known
    }


def members(protocol: Protocol) -> set[str]:
    """The names of all members of a protocol."""
    return {
        member.name
        for definition in protocol.types.values()
        for part in walk(definition.body)
        if isinstance(part, Object)
        for member in part.properties
    }


def test_the_tags_and_members_are_those_of_v1(upstream_schemas: Path) -> None:
    earlier = [load(file) for file in sorted((upstream_schemas / "v1").glob("*.json"))]
    now = whole_schema()
    assert set[tuple[str, str]]().union(*map(tags, earlier)) - tags(now) == v1_words.TAGS
    assert set(v1_words.MEMBERS) <= members(now)
    former = {old for names in v1_words.MEMBERS.values() for old in names}
    assert former <= set[str]().union(*map(members, earlier))


RETIRED = {"models"}
"""Members that only earlier releases of v1 had."""


def own_members(type_: Type | None, protocol: Protocol) -> set[str]:
    """The names of the members of an object itself."""
    if isinstance(type_, Ref):
        return own_members(protocol.types[type_.name].body, protocol)
    if isinstance(type_, Nullable):
        return own_members(type_.of, protocol)
    if isinstance(type_, Union):
        return set[str]().union(*(own_members(v.body, protocol) for v in type_.variants))
    if not isinstance(type_, Object):
        return set()
    parts: tuple[Type, ...] = (*type_.bases, *type_.unions)
    inherited = (own_members(part, protocol) for part in parts)
    return {member.name for member in type_.properties}.union(*inherited)


def without(table: Mapping[str, Mapping[str, str]]) -> dict[str, set[str]]:
    """The outer members of a table that the last release of v1 has."""
    return {
        method: {name for name in former if "/" not in name} - RETIRED
        for method, former in table.items()
    }


def test_the_former_members_are_those_of_v1_that_are_gone(upstream_schemas: Path) -> None:
    now = whole_schema()
    params: dict[str, set[str]] = {}
    results: dict[str, set[str]] = {}
    for earlier in map(load, sorted((upstream_schemas / "v1").glob("*.json"))):
        for old, new in product(earlier.methods, now.methods):
            if old.name != new.name:
                continue
            for gone, before, after in (
                (params, old.params, new.params),
                (results, old.result, new.result),
            ):
                if before is not None and after is not None:
                    names = own_members(Ref(before), earlier) - own_members(Ref(after), now)
                    gone.setdefault(old.name, set()).update(names)
    assert {method: names for method, names in params.items() if names} == without(v1_words.PARAMS)
    assert {m: names for m, names in results.items() if names} == without(v1_words.RESULTS)


def test_a_short_input_with_a_former_member_is_left_to_the_judge() -> None:
    names = {name for names in v1_words.PARAMS.values() for name in names}
    assert {name for name in names if "/" not in name} == accept.FORMER
    inner = {f"capabilities/{name}" for name in accept.FORMER_CAPABILITIES}
    assert {name for name in names if "/" in name} == inner


CAPABILITIES = {
    "AgentAuthCapabilities": "capabilities/auth",
    "AgentCapabilities": "capabilities",
    "ClientCapabilities": "capabilities",
    "McpCapabilities": "capabilities/session/mcp",
    "SessionCapabilities": "capabilities/session",
}
"""Where the types of capabilities stand in `initialize` of v2."""


def test_the_former_capabilities_are_those_of_v1_that_are_gone(upstream_schemas: Path) -> None:
    now = whole_schema()
    gone: set[str] = set()
    for earlier in map(load, sorted((upstream_schemas / "v1").glob("*.json"))):
        for type_, place in CAPABILITIES.items():
            name = TypeName(type_)
            names = own_members(Ref(name), earlier) - own_members(Ref(name), now)
            gone |= {f"{place}/{member}" for member in names}
    tables = {**v1_words.PARAMS["initialize"], **v1_words.RESULTS["initialize"]}
    assert gone == {name for name in tables if "/" in name}


def test_the_members_that_replace_several_are_those_of_v2(upstream_schemas: Path) -> None:
    earlier = [load(file) for file in sorted((upstream_schemas / "v1").glob("*.json"))]
    former = set[str]().union(*map(members, earlier))
    for member, names in v1_words.SHAPES.items():
        assert member in members(whole_schema()) - former
        assert set(names) <= former
    for tag, values in v1_words.UNTAGGED.items():
        assert {(tag, value) for value in values} <= tags(whole_schema())
        assert set(values.values()) <= members(whole_schema())


@pytest.mark.parametrize("name", sorted(v1_words.METHODS))
def test_a_method_of_v1_is_called_that(name: str, protocol: Protocol) -> None:
    assert reported(name, protocol) == [
        "is not a method of the protocol; it is a method of ACP v1, and the schema is of version 2"
    ]


def test_a_method_of_no_version_is_not(protocol: Protocol) -> None:
    assert reported("session/lose", protocol) == ["is not a method of the protocol"]


def test_a_schema_of_v1_would_have_it(protocol: Protocol) -> None:
    assert reported("session/load", replace(protocol, version=1)) == [
        "is not a method of the protocol"
    ]
    assert reported("session/load", replace(protocol, version=None)) == [
        "is not a method of the protocol; it is a method of ACP v1"
    ]
