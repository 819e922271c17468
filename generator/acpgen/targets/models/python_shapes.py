"""The only shapes of types that Python knows: classes, unions and aliases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.model import Property, Ref, Type, TypeName


@dataclass(frozen=True, slots=True)
class Record:
    """A class: its own members besides those of its bases.

    `excludes` are the records that an instance must not satisfy as well; members of any name
    belong to an `open` one.
    """

    name: TypeName
    docs: str
    bases: tuple[TypeName, ...]
    members: tuple[Property, ...]
    additional: Type | None = None
    excludes: tuple[TypeName, ...] = ()
    open: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of a union, selected by the tag value `value` where it has one."""

    name: TypeName
    type: Ref
    value: str | None = None


@dataclass(frozen=True, slots=True)
class UnionShape:
    """A union, with the member `tag` to select a branch where the branches have values.

    `extends` is the union that this one gives more members to. A union that is a `base` is a
    class: its branches extend it, and it extends the unions in `bases`. Any other is an alias.
    `members` are those that all branches have; branches have types of their own for the `narrowed`.
    """

    name: TypeName
    docs: str
    branches: tuple[Branch, ...]
    tag: str | None = None
    members: tuple[Property, ...] = ()
    narrowed: frozenset[str] = frozenset()
    extends: TypeName | None = None
    base: bool = False
    bases: tuple[TypeName, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """A name for a type that is neither a class nor a union."""

    name: TypeName
    docs: str
    type: Type


Shape = Record | UnionShape | Alias
Normal = Mapping[TypeName, tuple[str, Shape]]
"""Every name with the domain it belongs to and its shape, sorted by domain and name."""
