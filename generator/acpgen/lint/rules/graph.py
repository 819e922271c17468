"""Rules about which definitions refer to which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

from acpgen.lint.parts import parts, union_place
from acpgen.lint.rule import Fault, rule
from acpgen.model import (
    ENVELOPE_TYPES,
    Array,
    Map,
    Object,
    Protocol,
    Type,
    TypeDef,
    TypeName,
    Union,
)
from acpgen.types import stability
from acpgen.types.objects import possible_members, resolve, without_null
from acpgen.types.structure import references
from acpgen.types.way_back import way_back


@rule()
def unreachable_type(protocol: Protocol) -> Iterator[Fault]:
    """Every type is used by a method.

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
    steps_from = {domain: sorted(used) for domain, used in uses.items()}
    reported: set[str] = set()
    for domain in protocol.domains:
        path = way_back(domain, steps_from)
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


@rule()
def untagged_circle(protocol: Protocol) -> Iterator[Fault]:
    """Two variants that no tag distinguishes don't both lead back to their union.

    Why: without a tag, each variant of a union is tried in turn. If two of them have a member of
    one name, and both lead back to the union through it, a value at level n is tried 2^n times. One
    small message keeps the receiver busy without end.

    Example: variants `and` and `or` without a tag, both with `"of": {"$ref": "#/$defs/Condition"}`

    Fix: give each variant a required string member with a `const`, the same member in all of them.
    Or give the members that lead back different names.
    """
    for type_ in protocol.types.values():
        for _, part in parts(type_):
            if isinstance(part, Union):
                for one, other in combinations([v for v in part.variants if v.value is None], 2):
                    if way := _common_way(protocol, (one.body, other.body), type_.name):
                        message = (
                            f"both {one.name} and {other.name} lead back to {type_.name} through "
                            f"{way}, and no tag decides between them"
                        )
                        yield Fault(union_place(part), message)


_ITEMS = "their items"
_ENTRIES = "members of any name"


def _common_way(protocol: Protocol, bodies: tuple[Type, Type], name: TypeName) -> str | None:
    """The way by which both types lead to a third one in each value; None if there is none."""
    one, other = ({*_ways_to(protocol, body, name)} for body in bodies)
    if _ENTRIES in one | other:
        mapped = one if _ENTRIES in one else other
        rest = (other if mapped is one else one) - {_ITEMS}
        return _ENTRIES if rest else None
    return min(one & other, default=None)


def _ways_to(protocol: Protocol, body: Type, name: TypeName) -> Iterator[str]:
    """The members, or items, of a type that may hold a value of a named type."""
    match resolve(protocol, without_null(protocol, body)):
        case Array(items=items):
            if _leads_to(protocol, items, name):
                yield _ITEMS
        case Map(values=values):
            if _leads_to(protocol, values, name):
                yield _ENTRIES
        case Object(additional=additional) as object_:
            for member in possible_members(protocol, object_):
                if _leads_to(protocol, member.type, name):
                    yield member.name
            if additional is not None and _leads_to(protocol, additional, name):
                yield _ENTRIES


def _leads_to(protocol: Protocol, type_: Type, name: TypeName) -> bool:
    """True if a type refers to a named one, through whatever others."""
    seen: set[TypeName] = set()
    waiting = [*references(type_)]
    while waiting:
        each = waiting.pop()
        if each == name:
            return True
        if each not in seen and each in protocol.types:
            seen.add(each)
            waiting += references(protocol.types[each].body)
    return False
