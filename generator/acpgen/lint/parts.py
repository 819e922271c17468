"""The parts of a definition, with their places."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.model import Location, Object, Pointer, Property, Type, TypeDef, Union
from acpgen.types.structure import children


def parts(definition: TypeDef) -> Iterator[tuple[Location, Type]]:
    """Every type that a definition is made of, with the nearest place that the model knows."""
    return _parts(definition.location, definition.body)


def members(definition: TypeDef) -> Iterator[Property]:
    """The members of every object in a definition."""
    for _, part in parts(definition):
        if isinstance(part, Object):
            yield from part.properties


def union_place(union: Union) -> Location:
    """The place of the list of a union's variants."""
    first = union.variants[0].location
    return Location(first.file, Pointer(first.pointer.rpartition("/")[0]))


def _parts(location: Location, type_: Type) -> Iterator[tuple[Location, Type]]:
    yield location, type_
    match type_:
        case Object():
            for property_ in type_.properties:
                yield from _parts(property_.location, property_.type)
            for base in type_.bases:
                yield location, base
            for union in type_.unions:
                yield from _parts(location, union)
            if type_.additional is not None:
                yield from _parts(location, type_.additional)
        case Union():
            for variant in type_.variants:
                yield from _parts(variant.location, variant.body)
        case _:
            for child in children(type_):
                yield from _parts(location, child)
