"""Rules about unions and patches."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.lint.parts import own_members, parts, union_place
from acpgen.lint.rule import Fault, rule
from acpgen.model import (
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

_META = "_meta"


@rule()
def untagged_variant(protocol: Protocol) -> Iterator[Fault]:
    """The objects of a union are told apart by the value of a tag.

    Why: with a tag a receiver knows at once which variant was meant, and can say what is wrong with
    it. Without one it has to try each in turn, and an object may satisfy several.

    Mistake: `"anyOf": [{"$ref": "#/$defs/Cat", "title": "cat"}, {"$ref": "#/$defs/Dog", ...}]`

    Mend: give each variant a required string member with a `const`, the same member in all of them,
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
def empty_patch(protocol: Protocol) -> Iterator[Fault]:
    """A patch has a member that can be left as it is, cleared and replaced.

    Why: x-patch says that omitted, null and a value mean three things. That takes a member other
    than `_meta` that is optional and nullable; a type without one is no patch.

    Mistake: `"FooUpdate": {"x-patch": true, "properties": {"title": {"type": "string"}}, ...}`

    Mend: let the members that the patch changes be null too, or remove x-patch.
    """
    for type_ in protocol.types.values():
        if type_.patch and not any(
            member.name != _META and not member.required and _takes_null(protocol, member.type)
            for member in own_members(protocol, Ref(type_.name))
        ):
            yield Fault(type_.location, "is a patch without an optional member that takes null")


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
