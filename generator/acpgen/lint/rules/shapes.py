"""Rules about what values a type takes: its limits, its variants, its members."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

from acpgen.findings import Severity
from acpgen.lint.parts import members, parts, union_place
from acpgen.lint.rule import Fault, rule
from acpgen.model import (
    META,
    Array,
    Map,
    Nullable,
    Object,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Type,
    Union,
)
from acpgen.types.objects import possible_members


@rule(Severity.WARNING, for_files=True)
def untagged_variant(protocol: Protocol) -> Iterator[Fault]:
    """The value of a tag distinguishes the objects of a union.

    Why: with a tag a receiver knows at once which variant was meant, and can report its
    faults. Without one it has to try each in turn, and an object may satisfy several.

    Example: `"anyOf": [{"$ref": "#/$defs/Cat", "title": "cat"}, {"$ref": "#/$defs/Dog", ...}]`

    Fix: give each variant a required string member with a `const`, the same member in all of them,
    and `x-fallback` to the one that takes unknown values.
    """
    for type_ in protocol.types.values():
        for _, part in parts(type_):
            if isinstance(part, Union):
                objects = [v for v in part.variants if _is_object(protocol, v.body)]
                untagged = [v.name for v in objects if v.value is None and not v.fallback]
                if untagged and len(objects) > 1:
                    yield Fault(union_place(part), f"no tag selects {' or '.join(untagged)}")


@rule()
def empty_range(protocol: Protocol) -> Iterator[Fault]:
    """A lower limit is not above the upper one.

    Why: no value satisfies both, so no message that needs one can be sent.

    Example: `{"type": "string", "minLength": 255, "maxLength": 1}`

    Fix: swap the two, or correct the one that is wrong.
    """
    for type_ in protocol.types.values():
        for location, part in parts(type_):
            for least, most, low, high in _ranges(part):
                if low is not None and high is not None and low > high:
                    yield Fault(location, f"takes no value: {least} {low} is above {most} {high}")


@rule()
def fractional_limit(protocol: Protocol) -> Iterator[Fault]:
    """A limit of an integer is an integer.

    Why: 0.5 and 1 are the same lower limit of an integer, but a language that holds the limit in an
    integer, or compares it with one, rounds 0.5 to 0.

    Example: `{"type": "integer", "minimum": 0.5}`

    Fix: write the nearest integer that the limit lets through, here 1.
    """
    for type_ in protocol.types.values():
        for location, part in parts(type_):
            if isinstance(part, Scalar) and part.type is ScalarType.INTEGER:
                limits = ("minimum", part.minimum, ceil), ("maximum", part.maximum, floor)
                for keyword, limit, nearest in limits:
                    if isinstance(limit, float) and not limit.is_integer():
                        wanted = nearest(limit)
                        yield Fault(location, f"has {keyword} {limit}; write {wanted}")


@rule()
def required_meta(protocol: Protocol) -> Iterator[Fault]:
    """`_meta` is optional.

    Why: it is where implementations put what the protocol has no word for. A peer with nothing to
    put there could send no message.

    Example: `"required": ["_meta"]`

    Fix: take it out of `required`; what a message can't do without is a member of its own.
    """
    for type_ in protocol.types.values():
        for member in members(type_):
            if member.name == META and member.required:
                yield Fault(member.location, "must be optional; take it out of `required`")


@rule()
def empty_patch(protocol: Protocol) -> Iterator[Fault]:
    """A patch has a member that can be left as it is, cleared and replaced.

    Why: with x-patch, omitted, null and a value mean three things. That takes a member other
    than `_meta` that is optional and nullable; a type without one is not a patch.

    Example: `"FooUpdate": {"x-patch": true, "properties": {"title": {"type": "string"}}, ...}`

    Fix: let the members that the patch changes be null too, or remove x-patch.
    """
    for type_ in protocol.types.values():
        if type_.patch and not any(
            member.name != META and not member.required and _takes_null(protocol, member.type)
            for member in possible_members(protocol, Ref(type_.name))
        ):
            yield Fault(type_.location, "is a patch without an optional member that takes null")


def _ranges(part: Type) -> Iterator[tuple[str, str, float | None, float | None]]:
    """The limits of a type in pairs: what they are called, then what they are."""
    match part:
        case Scalar():
            yield "minLength", "maxLength", part.min_length, part.max_length
            yield "minimum", "maximum", part.minimum, part.maximum
        case Array():
            yield "minItems", "maxItems", part.min_items, part.max_items
        case _:
            return


def _is_object(protocol: Protocol, type_: Type) -> bool:
    match protocol.resolve(type_):
        case Object() | Map():
            return True
        case Union(variants=variants):
            return any(_is_object(protocol, variant.body) for variant in variants)
        case _:
            return False


def _takes_null(protocol: Protocol, type_: Type) -> bool:
    match protocol.resolve(type_):
        case Nullable() | Scalar(type=ScalarType.ANY | ScalarType.NULL):
            return True
        case Union(variants=variants):
            return any(_takes_null(protocol, variant.body) for variant in variants)
        case _:
            return False
