"""Parts of types that need a name of their own to become a class or an alias."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.emit.jsonschema import limits
from acpgen.model import Array, Location, Nullable, Object, Scalar, Type, Union
from acpgen.patterns import python_pattern
from acpgen.types.structure import children

_OBJECT = "holds an object without a name; move it to $defs"
_LIMITED = "limits a part that has no name; move it to $defs"


def nameless(
    type_: Type, location: Location, *, inside: bool = False
) -> Iterator[tuple[Location, str]]:
    """The places of parts without a name, each with what is wrong.

    These are objects, tagged unions, and limits of what is `inside` an array, a map or a union:
    the code generator would invent names for them, or lose the limits.
    """
    match type_:
        case Object():
            yield location, _OBJECT
            for member in type_.properties:
                yield from nameless(member.type, member.location)
        case Union() if type_.tag is not None:
            yield location, _OBJECT
        case Union():
            for variant in type_.variants:
                yield from nameless(variant.body, variant.location, inside=True)
        case Nullable(of=part):
            yield from nameless(part, location, inside=inside)
        case _:
            if inside and isinstance(type_, Scalar | Array) and limits(type_, python_pattern):
                yield location, _LIMITED
            for part in children(type_):
                yield from nameless(part, location, inside=True)
