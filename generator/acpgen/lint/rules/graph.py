"""Rules about which definitions refer to which."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import pairwise

from acpgen.lint.rule import Fault, rule
from acpgen.model import ENVELOPE_TYPES, Protocol, TypeDef, TypeName
from acpgen.types import stability
from acpgen.types.structure import references


@rule()
def unreachable_type(protocol: Protocol) -> Iterator[Fault]:
    """A method leads to every type.

    Why: a type that no message can hold is dead weight in every language, and often the sign of a
    reference that was forgotten.

    Example: `"Foo": {...}` that no `$ref` names

    Fix: refer to it where it is meant to be used, or remove it.
    """
    roots = [t.name for t in protocol.types.values() if t.method is not None]
    roots.extend(name for name in ENVELOPE_TYPES if name in protocol.types)
    reached = stability.reach(protocol.types, roots, lambda type_: type_)
    for type_ in protocol.types.values():
        if type_.name not in reached:
            yield Fault(type_.location, "is part of no message; refer to it or remove it")


@rule()
def incomplete_envelope(protocol: Protocol) -> Iterator[Fault]:
    """A schema that defines some types of the envelope defines all of them.

    Why: the envelope is derived, and refers to `RequestId`, `Error`, `ExtRequest`, `ExtResponse`
    and `ExtNotification` by name. For one that is missing, perhaps since it was renamed, it falls
    back to JSON-RPC, and accepts more than the schema means.

    Example: `Error` is renamed to `AcpError`

    Fix: define the type under its name.
    """
    missing = [name for name in ENVELOPE_TYPES if name not in protocol.types]
    present = [name for name in ENVELOPE_TYPES if name in protocol.types]
    if present and missing:
        names = " and ".join(missing)
        yield Fault(
            protocol.types[present[0]].location, f"is part of the envelope, which needs {names} too"
        )


@rule(for_files=True)
def domain_cycle(protocol: Protocol) -> Iterator[Fault]:
    """Domain files don't refer to each other in a circle.

    Why: a domain becomes a module in the languages that acpgen writes, and modules that import
    each other in a circle are trouble in most of them. It also keeps a domain readable on its own.

    Example: `a.json` refers to `b.json#/$defs/B`, and `b.json` to `a.json#/$defs/A`

    Fix: move what both need to a file that refers to neither.
    """
    uses = _uses(protocol)
    reported: set[str] = set()
    for domain in protocol.domains:
        path = _circle(domain, uses)
        if path is None or reported.intersection(path):
            continue
        reported.update(path)
        steps = [uses[here][there] for here, there in pairwise(path)]
        chain = ", ".join(f"{user.name} uses {used}" for user, used in steps)
        yield Fault(steps[0][0].location, f"closes the circle {' -> '.join(path)}: {chain}")


Uses = Mapping[str, Mapping[str, tuple[TypeDef, TypeName]]]
"""For each domain the others that it uses, with the first definition that does and what it uses."""


def _uses(protocol: Protocol) -> Uses:
    uses: dict[str, dict[str, tuple[TypeDef, TypeName]]] = {d: {} for d in protocol.domains}
    for type_ in protocol.types.values():
        for name in references(type_.body):
            domain = protocol.types[name].domain
            if domain != type_.domain:
                uses[type_.domain].setdefault(domain, (type_, name))
    return uses


def _circle(start: str, uses: Uses) -> list[str] | None:
    """The shortest way from a domain back to itself."""
    queue, seen = deque([[start]]), set[str]()
    while queue:
        path = queue.popleft()
        for domain in sorted(uses[path[-1]]):
            if domain == start:
                return [*path, start]
            if domain not in seen:
                seen.add(domain)
                queue.append([*path, domain])
    return None
