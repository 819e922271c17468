"""Types as shapes: the members of an object, if its tag or its type alone decides them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from acpgen.model import (
    ANY,
    Object,
    Property,
    Protocol,
    Ref,
    Type,
    TypeName,
    Union,
)
from acpgen.types.objects import FlatObject, flatten


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of object, by its listed members. `value` is the required value of its `tag`.

    `check` is the type that decides if the members alone don't.
    """

    name: TypeName
    members: tuple[Property, ...]
    tag: str | None = None
    value: str | None = None
    check: TypeName | None = None


class NoShapeError(Exception):
    """A type is not an object, or a tag alone does not decide its members."""


class Shapes:
    """The shapes of one protocol's types."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def of(self, name: TypeName) -> tuple[Shape, ...]:
        """The shapes of a named type: one without a tag, or several with different tag values.

        An object that fits a shape is of the type. Other objects may be of the type as well.

        Raises:
            NoShapeError: the type has no shape.
        """
        return tuple(self._shapes(name, self._protocol.types[name].body))

    def _shapes(self, name: TypeName, type_: Type) -> Iterator[Shape]:
        match self._protocol.resolve(type_):
            case Object(unions=()) as object_:
                yield Shape(name, _listed(self._flat(object_)))
            case Object(unions=(union,)) as object_:
                around = self._flat(replace(object_, unions=()))
                for shape in self._variants(union):
                    if shape.tag not in around.members:
                        joined = replace(around, members={**around.members})
                        for member in shape.members:
                            joined.add(member)
                        yield replace(shape, members=_listed(joined))
            case Union() as union:
                yield from self._variants(union)
            case _:
                raise NoShapeError(name)

    def _one(self, name: TypeName, type_: Type) -> Shape:
        """The only shape of a type, without a tag."""
        shapes = list(self._shapes(name, type_))
        if len(shapes) != 1 or shapes[0].tag is not None:
            raise NoShapeError(name)
        return shapes[0]

    def _variants(self, union: Union) -> Iterator[Shape]:
        """The shapes that are selected by one tag value each, and by nothing else."""
        tag, values = union.tag, union.known
        beside = [v for v in union.variants if v.value is None and not v.fallback]
        if tag is None or (union.exclusive and beside):
            raise NoShapeError("no tag decides")
        for variant in union.variants:
            if variant.value is None or values.count(variant.value) > 1:
                continue
            try:
                shape = self._one(variant.name, variant.body)
            except NoShapeError:
                if not isinstance(variant.body, Ref):
                    continue
                members = tuple(self._loose(variant.body).values())
                shape = Shape(variant.name, members, check=variant.body.name)
            if all(member.name != tag for member in shape.members):
                yield replace(shape, name=variant.name, tag=tag, value=variant.value)

    def _loose(self, type_: Type) -> dict[str, Property]:
        """All members that a type may list, each optional and of any type."""
        members: dict[str, Property] = {}
        match self._protocol.resolve(type_):
            case Object() as object_:
                for member in object_.properties:
                    members[member.name] = replace(member, type=ANY, required=False)
                parts: tuple[Type, ...] = (*object_.bases, *object_.unions)
                for part in parts:
                    members |= self._loose(part)
            case Union() as union:
                for variant in union.variants:
                    if union.tag is not None:
                        tag = Property(union.tag, ANY, False, "", variant.location)
                        members[tag.name] = tag
                    members |= self._loose(variant.body)
            case _:
                raise NoShapeError("is not an object")
        return members

    def _flat(self, object_: Object) -> FlatObject:
        """An object with the members of its bases, without a union."""
        flat = flatten(self._protocol, object_)
        if flat.unions or flat.additional not in (None, ANY):
            raise NoShapeError("more than the listed members decides")
        return flat


def _listed(flat: FlatObject) -> tuple[Property, ...]:
    if not flat.exact:
        raise NoShapeError("a member has two types")
    return tuple(flat.members.values())
