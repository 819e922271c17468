"""Rules about names: each becomes a class, or part of one, in every language."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from acpgen.emit.casing import snake
from acpgen.lint.parts import members, parts
from acpgen.lint.rule import Fault, rule
from acpgen.model import ClosedEnum, Location, OpenEnum, Protocol, Ref, Type, Union, Variant
from acpgen.targets.models.naming import colliding_members
from acpgen.targets.models.normalization import normalize
from acpgen.types.structure import references

RESERVED = frozenset(
    f"{sender}{message}"
    for sender in ("Agent", "Client", "Proxy", "Any")
    for message in ("Envelope", "Request", "Notification", "Response")
)
"""The names of the derived JSON-RPC envelope."""


WIRE_METHODS = frozenset({"from_wire", "from_wire_tolerant", "to_wire"})
"""Names that our base model adds to those of pydantic."""

_PROTECTED = ("model_dump", "model_validate")


@rule()
def ordinal_name(protocol: Protocol) -> Iterator[Fault]:
    """No name ends in a digit.

    Why: code generators number what has no name of its own, and the numbers move when something is
    inserted before. A name that ends in one can't be distinguished from those.

    Example: `"Content1": {...}`

    Fix: name the difference. A tag value that has to end in a digit can be accepted.
    """
    for type_ in protocol.types.values():
        if type_.name[-1].isdigit():
            yield Fault(type_.location, f"{type_.name} ends in a digit")
    for variant in _variants(protocol):
        if variant.name[-1].isdigit():
            yield Fault(variant.location, f"{variant.name} ends in a digit")


@rule()
def name_collision(protocol: Protocol) -> Iterator[Fault]:
    """No two types, variants or parts of the envelope share a name.

    Why: a variant's class is called by its union plus its tag value or title, and the envelope's
    types are derived. Two things of one name would be one class. Only a type that is nothing but
    the body of a variant may have that variant's name: there is one class for both. If the
    variant has a tag value, nothing else may refer to the type, which lacks the tag.

    Example: `"AgentRequest": {...}`, or a variant `bar` of `Foo` beside a type `FooBar`

    Fix: rename the definition, or the variant: by its tag value, or by its title if it has none.
    """
    users = Counter(name for t in protocol.types.values() for name in references(t.body))
    taken: dict[str, list[Location]] = defaultdict(list)
    for type_ in protocol.types.values():
        if type_.name in RESERVED:
            yield Fault(type_.location, f"{type_.name} is the name of a derived envelope type")
        taken[type_.name].append(type_.location)
    for variant in _variants(protocol):
        is_body = variant.body == Ref(variant.name) and not variant.fallback
        if is_body and (variant.value is None or users[variant.name] == 1):
            continue
        if variant.name in RESERVED:
            yield Fault(variant.location, f"{variant.name} is the name of a derived envelope type")
        taken[variant.name].append(variant.location)
    for name, (first, *others) in taken.items():
        for location in others:
            yield Fault(location, f"{name} is the name of {first.pointer} too")


@rule()
def member_collision(protocol: Protocol) -> Iterator[Fault]:
    """No two members of one object differ only in case or punctuation.

    Why: members become attributes and fields in the style of each language, so `fooBar` and
    `foo_bar` become one, and `_meta` is `meta` in Python. One member would replace the other, or
    get a number that moves. Members that come from bases and from variants count, too.

    Example: `"properties": {"fooBar": {...}, "FooBar": {...}}`, or `meta` beside `_meta`

    Fix: rename the newer of the two.
    """
    yield from colliding_members(normalize(protocol).shapes, _letters)


@rule()
def reserved_member(protocol: Protocol) -> Iterator[Fault]:
    """No member has the name of a method of every model, or an empty name.

    Why: members become attributes, in snake_case. One called `to_wire` would replace the method
    that writes the model, and names that begin with `model_dump` or `model_validate` are
    pydantic's own. Pydantic ignores an empty name, so it would not check that member.

    Example: `"properties": {"toWire": {...}}`

    Fix: rename the member.
    """
    for type_ in protocol.types.values():
        for member in members(type_):
            if not member.name:
                yield Fault(member.location, "has no name; call it something")
            name = snake(member.name).strip("_")
            if name in WIRE_METHODS or name.startswith(_PROTECTED):
                yield Fault(member.location, f"becomes {name}, which is a method of every model")


@rule()
def repeated_value(protocol: Protocol) -> Iterator[Fault]:
    """A union has one variant for a tag value, an enumeration lists a value once.

    Why: the second can't be distinguished from the first.

    Example: `"oneOf": [{"const": "a", "type": "string"}, {"const": "a", "type": "string"}]`

    Fix: remove one of the two.
    """
    for type_ in protocol.types.values():
        for _, part in parts(type_):
            seen: set[str | int] = set()
            for value, location in _values(part):
                if value in seen:
                    yield Fault(location, f"{value} is listed twice")
                seen.add(value)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _variants(protocol: Protocol) -> Iterator[Variant]:
    """The variants of all unions; where several have one tag value, the first of them."""
    for type_ in protocol.types.values():
        for _, part in parts(type_):
            if isinstance(part, Union):
                firsts = {v.value or v.location: v for v in reversed(part.variants)}
                yield from reversed(firsts.values())


def _values(part: Type) -> Iterator[tuple[str | int, Location]]:
    match part:
        case Union():
            yield from ((v.value, v.location) for v in part.variants if v.value is not None)
        case OpenEnum() | ClosedEnum():
            yield from ((v.value, v.location) for v in part.values)
        case _:
            return
