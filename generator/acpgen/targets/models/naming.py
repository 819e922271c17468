"""The names of the generated modules and classes, and those that Python or the package needs."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence

from acpgen.findings import Finding, Severity
from acpgen.model import Location, Protocol, TypeName
from acpgen.targets.models.shapes import Normal

HELPERS = {
    "._methods": ("SIGNATURES", "Signature", "method_of", "signature"),
    "._wire": ("parse_params", "parse_result"),
    "acp_wire.models.base": ("MISSING", "AcpModel"),
    "acp_wire.models.methods": ("Kind", "Side", "UnknownMethodError"),
    "acp_wire.models.wire": ("dump", "parse", "parse_tolerant"),
}
"""What the package exports besides the protocol's types, by module."""

_USED = frozenset({"Annotated", "Any", "ConfigDict", "Field", "Literal", "TypeAliasType"})
"""What the generated modules import."""


def names_of(normal: Normal) -> dict[str, tuple[TypeName, ...]]:
    """The names that each module defines, sorted."""
    names: dict[str, list[TypeName]] = {}
    for name, (domain, _) in normal.items():
        names.setdefault(domain, []).append(name)
    return {domain: tuple(defined) for domain, defined in names.items()}


def unusable(protocol: Protocol, names: Mapping[str, Sequence[TypeName]]) -> list[Finding]:
    """One finding for each name that Python or the package itself needs."""
    taken = {name for exported in HELPERS.values() for name in exported}
    findings = []
    for domain, defined in names.items():
        if (
            not domain.isidentifier()
            or keyword.iskeyword(domain)
            or domain.startswith("_")
            or domain in taken
        ):
            place = Location(_place(protocol, defined[0]).file)
            message = f"the domain {domain} can't be a Python module; rename its file"
            findings.append(unusable_place(place, message))
        for name in defined:
            place = _place(protocol, name)
            if name[0].islower():
                message = f"the type {name} can't be a Python class: it needs a capital"
                findings.append(unusable_place(place, message))
            elif name in taken or name in _USED or keyword.iskeyword(name):
                message = f"the type {name} can't be a Python class: the name is in use; rename it"
                findings.append(unusable_place(place, message))
    return findings


def unusable_place(place: Location, message: str) -> Finding:
    """A place that no Python can be made of, and why."""
    return Finding("unsupported-schema", Severity.ERROR, place.file, place.pointer, message)


def _place(protocol: Protocol, name: TypeName) -> Location:
    """Where a type stands; for what was made up from variants, the protocol's own place."""
    type_ = protocol.types.get(name)
    return Location(protocol.source) if type_ is None else type_.location
