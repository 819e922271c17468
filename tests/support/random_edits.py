"""Random edits of a protocol, one part at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

from acpgen.model import (
    Array,
    ClosedEnum,
    EnumValue,
    Location,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Tolerance,
    Type,
    Union,
)

STRING = Scalar(ScalarType.STRING)
NUMBER = Scalar(ScalarType.NUMBER)
NOWHERE = Location("edited")
SCALARS = (STRING, NUMBER, Scalar(ScalarType.INTEGER), Scalar(ScalarType.BOOLEAN))
LIMITS: dict[ScalarType, tuple[dict[str, Any], ...]] = {
    ScalarType.STRING: (
        {"min_length": 1},
        {"max_length": 7},
        {"min_length": None, "max_length": None},
        {"pattern": "^[aA]"},
    ),
    ScalarType.INTEGER: ({"minimum": 2}, {"maximum": 3}, {"minimum": None, "maximum": None}),
    ScalarType.NUMBER: ({"minimum": 0}, {"maximum": 1}),
}


def edited(protocol: Protocol, rng: Random) -> Protocol:
    """A protocol with one random part edited."""
    while True:
        name = rng.choice(sorted(protocol.types))
        definition = protocol.types[name]
        part = rng.choice(list(_parts(definition.body)))
        others = [*_edits(part, rng), *_references(part, protocol, rng)]
        if others:
            body = _with(definition.body, part, rng.choice(others))
            types = {**protocol.types, name: replace(definition, body=body)}
            return replace(protocol, types=types)


def shuffled(protocol: Protocol, rng: Random) -> Protocol:
    """A protocol with everything in another order, in files of other names."""
    types = list(protocol.types.values())
    rng.shuffle(types)
    return replace(
        protocol,
        methods=tuple(rng.sample(protocol.methods, len(protocol.methods))),
        types={t.name: replace(t, body=_mixed(t.body, rng), domain="elsewhere") for t in types},
    )


def _mixed(part: Any, rng: Random) -> Any:
    if isinstance(part, tuple):
        mixed = [_mixed(item, rng) for item in part]
        return tuple(rng.sample(mixed, len(mixed)))
    return _rebuilt(part, lambda value: _mixed(value, rng))


def _rebuilt(part: Any, make: Callable[[Any], Any]) -> Any:
    """A dataclass with every field made anew; anything else as it is."""
    if not is_dataclass(part) or isinstance(part, type | Location | Tolerance):
        return part
    return replace(part, **{f.name: make(getattr(part, f.name)) for f in fields(part)})


def _parts(part: Any) -> Iterator[Any]:
    """A type and the types and members that it is made of."""
    if isinstance(part, Type | Property):
        yield part
    if isinstance(part, tuple):
        for item in part:
            yield from _parts(item)
    elif is_dataclass(part) and not isinstance(part, Location | Tolerance):
        for field in fields(part):
            yield from _parts(getattr(part, field.name))


def _with(whole: Any, part: Any, instead: Any) -> Any:
    """A whole with one part, this very object, replaced or, by None, left out."""
    if whole is part:
        return instead
    if isinstance(whole, tuple):
        items = (_with(item, part, instead) for item in whole)
        return tuple(item for item in items if item is not None)
    return _rebuilt(whole, lambda value: _with(value, part, instead))


def _edits(part: Any, rng: Random) -> Iterator[Any]:
    """What could stand in the place of a part; None for nothing."""
    match part:
        case Property(type=type_):
            yield replace(part, required=not part.required)
            yield None
            yield replace(part, tolerance=Tolerance(default_on_error=True))
            yield replace(part, type=type_.of if isinstance(type_, Nullable) else Nullable(type_))
        case Object():
            added = Property("added", STRING, rng.random() < 0.5, "Added.", NOWHERE)
            if all(member.name != added.name for member in part.properties):
                yield replace(part, properties=(*part.properties, added))
            if part.bases:
                yield replace(part, bases=part.bases[1:])
        case Array():
            yield replace(part, min_items=1)
            yield replace(part, min_items=None, max_items=None)
            yield replace(part, max_items=1)
        case Scalar(type=scalar):
            yield rng.choice(SCALARS)
            # A tool can't find out if a limit changes anything beside a pattern.
            for limits in LIMITS.get(scalar, ()) if part.pattern is None else ():
                yield replace(part, **limits)
        case Union(variants=variants) if len(variants) > 1:
            yield replace(part, variants=variants[:-1])
            yield replace(part, variants=variants[1:])
            yield replace(part, exclusive=not part.exclusive)
        case OpenEnum() | ClosedEnum():
            yield from _enum_edits(part)
        case _:
            return


def _enum_edits(part: OpenEnum | ClosedEnum) -> Iterator[Any]:
    if isinstance(part, OpenEnum):
        yield ClosedEnum(part.type, part.values)
        yield Scalar(part.type)
    elif part.type is ScalarType.STRING:
        yield replace(part, values=(*part.values, EnumValue("added", "", NOWHERE)))
        yield OpenEnum(part.type, part.values, None, "")
    if len(part.values) > 1:
        yield replace(part, values=part.values[1:])


def _references(part: Any, protocol: Protocol, rng: Random) -> Iterator[Any]:
    """A reference to a scalar type may become one to another."""
    plain = sorted(t.name for t in protocol.types.values() if isinstance(t.body, Scalar))
    if isinstance(part, Ref) and part.name in plain:
        yield Ref(rng.choice(plain))
