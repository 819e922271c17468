"""Common base classes for unions inside unions.

`isinstance` and `case` take classes only, and programs want to match a union inside a union as a
whole. So it becomes a class that its variants extend, if all of them are classes of its module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acpgen.model import Ref, Tolerance, TypeName
from acpgen.targets.models.python_shapes import Alias, Normal, Record, UnionShape


def with_common_bases(shapes: Normal) -> Normal:
    """The shapes with a class for each union inside a union, and for the unions it extends."""
    wanted = _inner(shapes)
    inner = {
        name: _for_all_branches(shape, shapes)
        for name, (_, shape) in shapes.items()
        if isinstance(shape, UnionShape) and name in wanted and _is_classes(name, shapes)
    }
    bases: dict[TypeName, list[TypeName]] = {name: [] for name in shapes}
    for name, choice in sorted(inner.items()):
        if choice.extends is not None and choice.extends in inner:
            bases[name].insert(0, choice.extends)
        for branch in choice.branches:
            bases[branch.type.name].append(name)
    changed = {}
    for name, (domain, shape) in shapes.items():
        based = inner.get(name, shape)
        if isinstance(based, Record | UnionShape):
            inherited = [member for base in bases[name] for member in inner[base].members]
            members = tuple(member for member in based.members if member not in inherited)
            based = replace(based, bases=(*based.bases, *bases[name]), members=members)
        changed[name] = (domain, based)
    return changed


def _for_all_branches(choice: UnionShape, shapes: Normal) -> UnionShape:
    """A union as a class, with the members of all its branches.

    A branch that narrows a member inherits nothing but the name and the docs.
    """
    branches = [shapes[branch.type.name][1] for branch in choice.branches]
    narrowed = frozenset(
        member.name
        for member in choice.members
        if not all(isinstance(b, Record | UnionShape) and member in b.members for b in branches)
    )
    members = tuple(
        replace(member, tolerance=Tolerance(), default=None) if member.name in narrowed else member
        for member in choice.members
    )
    return replace(choice, base=True, members=members, narrowed=narrowed)


def _inner(shapes: Normal) -> set[TypeName]:
    """The unions that are branches of a union, and those that they extend."""
    return set(_branches(shapes))


def _branches(shapes: Normal) -> Iterator[TypeName]:
    for _, shape in shapes.values():
        if isinstance(shape, UnionShape):
            for branch in shape.branches:
                yield from _extended(branch.type.name, shapes)


def _extended(name: TypeName, shapes: Normal) -> Iterator[TypeName]:
    match shapes[name][1]:
        case Alias(type=Ref(name=further)):
            yield from _extended(further, shapes)
        case UnionShape(extends=extends):
            yield name
            if extends is not None:
                yield from _extended(extends, shapes)


def _is_classes(name: TypeName, shapes: Normal) -> bool:
    """True if all branches of a union, and of the unions in it, are classes of its module."""
    domain, shape = shapes[name]
    return isinstance(shape, Record) or (
        isinstance(shape, UnionShape)
        and all(
            shapes[branch.type.name][0] == domain and _is_classes(branch.type.name, shapes)
            for branch in shape.branches
        )
    )
