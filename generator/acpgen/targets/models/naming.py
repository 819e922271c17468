"""The names of generated modules, classes and attributes, and those that are taken."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator

from acpgen.model import META, Location, Property, Protocol, TypeName
from acpgen.rulebook import Fault
from acpgen.targets.models.python_shapes import Normal, Record

HELPERS = {
    "._methods": ("SIGNATURES", "Signature", "method_of", "signature"),
    "._wire": ("parse_params", "parse_result"),
    "acp_wire.models.base": ("MISSING", "AcpModel"),
    "acp_wire.models.methods": ("Kind", "Side", "UnknownMethodError"),
    "acp_wire.models.wire": ("dump", "parse", "parse_tolerant"),
}
"""Exports of the package besides the protocol's types, by module."""

_USED = frozenset({"Annotated", "Any", "ConfigDict", "Field", "Literal", "TypeAliasType"})
"""Names that the generated modules import."""


def names_of(normal: Normal) -> dict[str, tuple[TypeName, ...]]:
    """The names that each module defines, sorted."""
    names: dict[str, list[TypeName]] = {}
    for name, (domain, _) in normal.items():
        names.setdefault(domain, []).append(name)
    return {domain: tuple(defined) for domain, defined in names.items()}


def unusable_names(protocol: Protocol, normal: Normal) -> Iterator[Fault[Location]]:
    """One fault for each name that Python or the package itself needs."""
    taken = {name for exported in HELPERS.values() for name in exported}
    for domain, defined in names_of(normal).items():
        if (
            not domain.isidentifier()
            or keyword.iskeyword(domain)
            or domain.startswith("_")
            or domain in taken
        ):
            place = Location(_place(protocol, defined[0]).file)
            yield Fault(place, f"the domain {domain} can't be a Python module; rename its file")
        for name in defined:
            place = _place(protocol, name)
            if name[0].islower():
                yield Fault(place, f"the type {name} can't be a Python class: it needs a capital")
            elif name in taken or name in _USED or keyword.iskeyword(name):
                message = f"the type {name} can't be a Python class: the name is in use; rename it"
                yield Fault(place, message)


def colliding_members(
    normal: Normal, key: Callable[[str], str] | None = None
) -> Iterator[Fault[Location]]:
    """One fault for each member with the same key as another of its class, inherited ones included.

    Args:
        normal: the classes.
        key: equal for names that collide; by default their attribute in Python.
    """
    key = key or attribute
    reported: set[frozenset[Location]] = set()
    for _, shape in normal.values():
        if not isinstance(shape, Record):
            continue
        taken: dict[str, Property] = {}
        for member in _all_members(shape, normal):
            other = taken.setdefault(key(member.name), member)
            pair = frozenset((member.location, other.location))
            if other.name != member.name and pair not in reported:
                reported.add(pair)
                yield Fault(
                    member.location,
                    f"{member.name} and {other.name}, at {other.location.pointer}, would both be "
                    f"{attribute(member.name)}; rename one of them",
                )


def attribute(member: str) -> str:
    """The attribute of a member, as datamodel-code-generator calls it."""
    name = re.sub(r"\W", "_", member).lstrip("_") or "field"
    name = re.sub(r"([^_])([A-Z][a-z]+)", r"\1_\2", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()
    # The generator adds a `_` to keywords and to names of pydantic's own methods.
    return name.rstrip("_")


def _all_members(record: Record, normal: Normal) -> Iterator[Property]:
    """The members of a class, inherited ones first and `_meta` before all others."""
    members = list(record.members)
    for base in reversed(record.bases):
        shape = normal[base][1]
        if isinstance(shape, Record):
            members[:0] = _all_members(shape, normal)
    yield from sorted(members, key=lambda member: member.name != META)


def _place(protocol: Protocol, name: TypeName) -> Location:
    """The place of a type; of a name made up from variants, the protocol's own place."""
    type_ = protocol.types.get(name)
    return Location(protocol.source) if type_ is None else type_.location
