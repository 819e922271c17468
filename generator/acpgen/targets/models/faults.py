"""Everything that keeps a protocol from having Python models, as values."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from acpgen.findings import Finding, Severity
from acpgen.model import Location, Protocol
from acpgen.rulebook import Fault
from acpgen.targets.models.naming import colliding_members, unusable_names
from acpgen.targets.models.normalization import Normalization
from acpgen.types.structure import references


def shape_finding(fault: Fault[Location]) -> Finding:
    """A fault as the finding that a target raises when it can't go on."""
    place = fault.place
    rule = "unsupported-schema"
    return Finding(rule, Severity.ERROR, place.file, place.pointer, fault.message)


def model_faults(protocol: Protocol, normalization: Normalization) -> Iterator[Fault[Location]]:
    """All faults of a protocol's models: types without a shape, then names, then circles."""
    yield from normalization.faults
    yield from unusable_names(protocol, normalization.shapes)
    yield from colliding_members(normalization.shapes)
    yield from circles(protocol)


def circles(protocol: Protocol) -> Iterator[Fault[Location]]:
    """The first circle of domains that refer to each other: no Python module could be imported."""
    uses: dict[str, set[str]] = {domain: set() for domain in protocol.domains}
    for type_ in protocol.types.values():
        used = {protocol.types[name].domain for name in references(type_.body)}
        uses[type_.domain] |= used - {type_.domain}
    try:
        TopologicalSorter({d: sorted(used) for d, used in uses.items()}).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        message = f"the domains {circle} need each other; move what both need to a file of its own"
        yield Fault(Location(protocol.source), message)
