"""Common base classes for unions inside unions.

`isinstance` and `case` take classes only, and programs want to match a union inside a union as a
whole. So it becomes a class that its variants extend, if all of them are classes of its module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acpgen.model import Ref, TypeName
from acpgen.targets.models.python_shapes import Alias, Choice, Normal, Record, Shape


def with_common_bases(shapes: Normal) -> Normal:
    """The shapes with a class for each choice inside a choice, and for the choices it extends."""
    choices = {name: shape for name, (_, shape) in shapes.items() if isinstance(shape, Choice)}
    inner = {name for name in _inner(shapes) if _is_classes(name, shapes)}
    bases: dict[TypeName, list[TypeName]] = {name: [] for name in shapes}
    for name in sorted(inner):
        extends = choices[name].extends
        if extends in inner:
            bases[name].insert(0, extends)
        for branch in choices[name].branches:
            bases[branch.type.name].append(name)
    return {
        name: (domain, _based(shape, name in inner, tuple(bases[name])))
        for name, (domain, shape) in shapes.items()
    }


def _based(shape: Shape, is_base: bool, bases: tuple[TypeName, ...]) -> Shape:
    match shape:
        case Record():
            return replace(shape, bases=(*shape.bases, *bases))
        case Choice():
            return replace(shape, base=is_base, bases=bases)
        case Alias():
            return shape


def _inner(shapes: Normal) -> Iterator[TypeName]:
    """The choices that are branches of a choice, and those that they extend."""
    for _, shape in shapes.values():
        if isinstance(shape, Choice):
            for branch in shape.branches:
                yield from _extended(branch.type.name, shapes)


def _extended(name: TypeName, shapes: Normal) -> Iterator[TypeName]:
    match shapes[name][1]:
        case Alias(type=Ref(name=further)):
            yield from _extended(further, shapes)
        case Choice(extends=extends):
            yield name
            if extends is not None:
                yield from _extended(extends, shapes)


def _is_classes(name: TypeName, shapes: Normal) -> bool:
    """Whether all branches of a choice, and of the choices in it, are classes of its module."""
    domain, shape = shapes[name]
    return isinstance(shape, Record) or (
        isinstance(shape, Choice)
        and all(
            shapes[branch.type.name][0] == domain and _is_classes(branch.type.name, shapes)
            for branch in shape.branches
        )
    )
