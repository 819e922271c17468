"""Comparing objects: their members, whichever of their bases brings them, and their choices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from acpgen.diff import choices
from acpgen.diff.difference import Edge, Found, found
from acpgen.diff.flat import Flat, as_object, flatten
from acpgen.diff.kinds import Kind
from acpgen.diff.place import Place
from acpgen.diff.resolving import ANY
from acpgen.diff.spelling import as_json, same, spelled
from acpgen.model import Map, Object, Property, Type, Union, is_key

if TYPE_CHECKING:
    from acpgen.diff.walk import Walk


def objects(walk: Walk, old: Object | Map, new: Object | Map, at: Place) -> Iterator[Found]:
    """Two objects, or an object and a dictionary."""
    before, after = as_object(old), as_object(new)
    bases = [{base.name for base in object_.bases} for object_ in (before, after)]
    shared = bases[0] & bases[1] & walk.old.types.keys() & walk.new.types.keys()
    if bases[0] != bases[1] or isinstance(old, Map) != isinstance(new, Map):
        yield found(Kind.TYPE_RESTRUCTURED, at, old=_parents(old), new=_parents(new))
    for name in sorted(shared):
        yield Edge(at.base(name), (name, name))
    flat = flatten(walk.old, before, shared), flatten(walk.new, after, shared)
    yield from _members(walk, *flat, (old, new), at)
    yield from _unions(walk, *flat, (old, new), at)
    if flat[0].additional is not None or flat[1].additional is not None:
        extra = (flat[0].additional or ANY, flat[1].additional or ANY)
        yield from walk.types(*extra, at.entry())


def _parents(type_: Object | Map) -> str:
    names = "`, `".join(sorted(base.name for base in as_object(type_).bases))
    return f"{spelled(type_)} on `{names}`" if names else spelled(type_)


def _members(
    walk: Walk, old: Flat, new: Flat, types: tuple[Type, Type], at: Place
) -> Iterator[Found]:
    for name in sorted(old.members.keys() | new.members.keys()):
        before, after = old.members.get(name), new.members.get(name)
        if before is not None and after is not None:
            yield from _member(walk, before, after, types, at)
        elif after is not None:
            yield from _added(walk, after, old.additional, types, at)
        elif before is not None:
            yield from _removed(walk, before, new.additional, types, at)


def _added(
    walk: Walk, member: Property, before: Type | None, types: tuple[Type, Type], at: Place
) -> Iterator[Found]:
    kind = Kind.REQUIRED_MEMBER_ADDED if member.required else Kind.OPTIONAL_MEMBER_ADDED
    yield found(
        kind,
        at,
        types,
        name=member.name,
        new=spelled(member.type),
        at=member.location,
        member=True,
    )
    if _forgets_keys(member):
        yield found(Kind.KEY_TOLERATED, at, name=member.name, at=member.location, member=True)
    if before is not None and before != ANY:
        yield from walk.types(before, member.type, at.member(member, member))


def _removed(
    walk: Walk, member: Property, after: Type | None, types: tuple[Type, Type], at: Place
) -> Iterator[Found]:
    kind = Kind.REQUIRED_MEMBER_REMOVED if member.required else Kind.OPTIONAL_MEMBER_REMOVED
    yield found(
        kind,
        at,
        types,
        name=member.name,
        old=spelled(member.type),
        gone=member.location,
        member=True,
    )
    if after is not None and after != ANY:
        still = replace(member, location=at.new)
        yield from walk.types(member.type, after, at.member(member, still))


def _member(
    walk: Walk, old: Property, new: Property, types: tuple[Type, Type], at: Place
) -> Iterator[Found]:
    here = at.member(old, new)
    if old.required != new.required:
        kind = Kind.MEMBER_NOW_REQUIRED if new.required else Kind.MEMBER_NOW_OPTIONAL
        yield found(kind, at, types, name=new.name, at=new.location, member=True)
    yield from _tolerance(old, new, here)
    yield from _default(old, new, here)
    yield from walk.docs(old.docs, new.docs, here)
    yield from walk.types(old.type, new.type, here)


def _tolerance(old: Property, new: Property, at: Place) -> Iterator[Found]:
    if _forgets_keys(new) and not _forgets_keys(old):
        yield found(Kind.KEY_TOLERATED, at)
    for mark in ("default_on_error", "default_on_null", "skip_invalid_items"):
        was, now = getattr(old.tolerance, mark), getattr(new.tolerance, mark)
        told = mark == "default_on_error" and _forgets_keys(new)
        if was != now and not told:
            kind = Kind.TOLERANCE_ADDED if now else Kind.TOLERANCE_REMOVED
            yield found(kind, at, name=f"x-deserialize-{mark.replace('_', '-')}")


def _forgets_keys(member: Property) -> bool:
    """Whether receivers take a malformed key for one that was left out."""
    return member.tolerance.default_on_error and is_key(member.type)


def _default(old: Property, new: Property, at: Place) -> Iterator[Found]:
    if not same(old.default, new.default):
        kind = Kind.DEFAULT_CHANGED
        if old.default is None or new.default is None:
            kind = Kind.DEFAULT_STATED if old.default is None else Kind.DEFAULT_DROPPED
        yield found(kind, at, old=as_json(old.default), new=as_json(new.default))


def _unions(
    walk: Walk, old: Flat, new: Flat, types: tuple[Type, Type], at: Place
) -> Iterator[Found]:
    pairs, lost, gained = _matched(old.unions, new.unions)
    for i, j in pairs:
        yield from walk.types(old.unions[i], new.unions[j], at.choice(i, j))
    for union in (old.unions[i] for i in lost):
        wider = choices.released(walk, union, _plain(new))
        kind = Kind.CHOICE_REMOVED if wider else Kind.TYPE_RESTRUCTURED
        yield found(kind, at, types, old=spelled(union), new=spelled(types[1]))
    for union in (new.unions[j] for j in gained):
        narrower = choices.demanded(walk, _plain(old), union)
        kind = Kind.CHOICE_ADDED if narrower else Kind.TYPE_RESTRUCTURED
        yield found(kind, at, types, old=spelled(types[0]), new=spelled(union))


def _plain(flat: Flat) -> Object:
    """An object of members alone."""
    return Object(tuple(flat.members.values()))


def _matched(
    old: list[Union], new: list[Union]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """The unions that stand for each other, by tag and then by order, and those without."""
    pairs: list[tuple[int, int]] = []
    lost, gained = list(range(len(old))), list(range(len(new)))
    for by_tag in (True, False):
        for i in tuple(lost):
            fits = (j for j in gained if not by_tag or old[i].tag == new[j].tag)
            j = next(fits, None)
            if j is not None:
                pairs.append((i, j))
                lost.remove(i)
                gained.remove(j)
    return pairs, lost, gained
