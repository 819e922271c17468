"""The page of a domain: every type of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.emit.markdown import Inline, join, paragraphs
from acpgen.model import Protocol, Stability, TypeDef, TypeName
from acpgen.targets.pages.bodies import Bodies
from acpgen.targets.pages.examples import json_block
from acpgen.targets.pages.site import Links
from acpgen.types.structure import references

Users = Mapping[TypeName, tuple[TypeName, ...]]


@dataclass(frozen=True, slots=True)
class Entry:
    """One type, ready to be laid out."""

    name: TypeName
    unstable: bool
    docs: tuple[Inline, ...]
    role: Inline
    patch: bool
    blocks: list[str]
    examples: list[str]
    users: Inline


def entries(protocol: Protocol, domain: str, users: Users, links: Links) -> list[Entry]:
    """Describe the types of a domain."""
    return [
        entry(type_, protocol, users, links)
        for type_ in protocol.types.values()
        if type_.domain == domain
    ]


def users(protocol: Protocol) -> Users:
    """The types that refer to each type, sorted."""
    found: dict[TypeName, set[TypeName]] = {name: set() for name in protocol.types}
    for name, type_ in protocol.types.items():
        for used in references(type_.body):
            found[used].add(name)
    return {name: tuple(sorted(names)) for name, names in found.items()}


def entry(type_: TypeDef, protocol: Protocol, users: Users, links: Links) -> Entry:
    """Describe one type."""
    return Entry(
        name=type_.name,
        unstable=type_.stability is Stability.UNSTABLE,
        docs=paragraphs(type_.docs),
        role=_role(type_, protocol, links),
        patch=type_.patch,
        blocks=Bodies(protocol, links).blocks(type_.body),
        examples=[json_block(e) for e in type_.examples] if type_.method is None else [],
        users=join((links.type(name) for name in users[type_.name]), ", "),
    )


def _role(type_: TypeDef, protocol: Protocol, links: Links) -> Inline:
    """The role of a type in its method; empty if it has none."""
    for method in protocol.methods:
        if type_.name == method.params:
            return Inline(f"The params of {links.method(method.name)} as a {method.kind}.")
        if type_.name == method.result:
            return Inline(f"The result of {links.method(method.name)}.")
    return Inline("")
