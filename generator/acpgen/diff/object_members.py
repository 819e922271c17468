"""Compare objects: their members, also those of their bases, and their unions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from acpgen.diff.effect import Effect
from acpgen.diff.rules.choices import choice_added, choice_removed
from acpgen.diff.rules.members import (
    default_changed,
    default_dropped,
    default_stated,
    member_now_optional,
    member_now_required,
    optional_member_added,
    optional_member_removed,
    required_member_added,
    required_member_removed,
    tolerance_added,
    tolerance_removed,
)
from acpgen.diff.rules.names import type_restructured
from acpgen.diff.rules.promises import key_tolerated
from acpgen.diff.schema_difference import Edge, Found, LonePart, PathStep, found, found_part
from acpgen.diff.schema_place import SchemaPlace
from acpgen.model import ANY, Map, Object, Property, Protocol, Ref, Tolerance, Type, TypeName, Union
from acpgen.types.objects import FlatObject, as_object, flatten
from acpgen.types.structure import is_key
from acpgen.types.wording import as_json, same, spelled

if TYPE_CHECKING:
    from acpgen.diff.type_comparison import TypeComparison


def objects(
    walk: TypeComparison, old: Object | Map, new: Object | Map, at: SchemaPlace
) -> Iterator[Found]:
    """Compare two objects, or an object and a map."""
    before, after = as_object(old), as_object(new)
    bases = [{base.name for base in object_.bases} for object_ in (before, after)]
    shared = bases[0] & bases[1] & walk.old.types.keys() & walk.new.types.keys()
    if bases[0] != bases[1] or isinstance(old, Map) != isinstance(new, Map):
        yield found(type_restructured, at, old=_parents(old), new=_parents(new))
    flat = _flat(walk.old, before, shared), _flat(walk.new, after, shared)
    for name in sorted(flat[0].members.keys() ^ flat[1].members.keys()):
        for one, protocol in zip(flat, (walk.old, walk.new), strict=True):
            inherited = _inherited(protocol, shared).members
            if name not in one.members and name in inherited:
                one.members[name] = inherited[name]
    own = frozenset(flat[0].members.keys() & flat[1].members.keys())
    for base in sorted(shared):
        yield Edge(at.base(base, own), (base, base))
    yield from _members(walk, *flat, (old, new), at)
    yield from _unions(walk, *flat, (old, new), at)
    if flat[0].additional is not None or flat[1].additional is not None:
        extra = (flat[0].additional or ANY, flat[1].additional or ANY)
        yield from walk.types(*extra, at.entry())


def _flat(protocol: Protocol, object_: Object, shared: Collection[TypeName]) -> FlatObject:
    """An object without its shared bases. Members that these require are required."""
    flat = flatten(protocol, object_, shared)
    inherited = _inherited(protocol, shared).members
    for name in flat.members.keys() & inherited.keys():
        member = flat.members[name]
        flat.members[name] = replace(member, required=member.required or inherited[name].required)
    return flat


def _inherited(protocol: Protocol, bases: Collection[TypeName]) -> FlatObject:
    return flatten(protocol, Object(bases=tuple(Ref(name) for name in sorted(bases))))


def _parents(type_: Object | Map) -> str:
    names = "`, `".join(sorted(base.name for base in as_object(type_).bases))
    return f"{spelled(type_)} on `{names}`" if names else spelled(type_)


def _members(
    walk: TypeComparison,
    old: FlatObject,
    new: FlatObject,
    types: tuple[Type, Type],
    at: SchemaPlace,
) -> Iterator[Found]:
    for name in sorted(old.members.keys() | new.members.keys()):
        before, after = old.members.get(name), new.members.get(name)
        if before is not None and after is not None:
            yield from _member(walk, before, after, types, at)
        elif after is not None:
            yield from _added(walk, after, _unlisted(old, types[0]), types, at)
        elif before is not None:
            yield from _removed(walk, before, _unlisted(new, types[1]), types, at)


def _unlisted(flat: FlatObject, type_: Type) -> Type | None:
    """The type of unlisted members, or None for a plain open object."""
    return flat.additional if flat.additional != ANY or isinstance(type_, Map) else None


def _added(
    walk: TypeComparison,
    member: Property,
    before: Type | None,
    types: tuple[Type, Type],
    at: SchemaPlace,
) -> Iterator[Found]:
    kind = required_member_added if member.required else optional_member_added
    part = _part(member)
    yield found_part(kind, at, part, types, shape=member.type, words=spelled(member.type))
    if _forgets_keys(member):
        yield found_part(key_tolerated, at, part)
    if before is not None:
        yield from walk.types(before, member.type, at.member(_unmarked(member), member))


def _removed(
    walk: TypeComparison,
    member: Property,
    after: Type | None,
    types: tuple[Type, Type],
    at: SchemaPlace,
) -> Iterator[Found]:
    kind = required_member_removed if member.required else optional_member_removed
    part = _part(member, gone=True)
    yield found_part(kind, at, part, types, shape=member.type, words=spelled(member.type))
    if after is not None:
        still = replace(_unmarked(member), location=at.new)
        yield from walk.types(member.type, after, at.member(member, still))


def _part(member: Property, *, gone: bool = False) -> LonePart:
    return LonePart(member.name, member.location, PathStep.MEMBER, gone)


def _unmarked(member: Property) -> Property:
    """A member as in a version that doesn't list it: no receiver falls back there."""
    return replace(member, tolerance=Tolerance())


def _member(
    walk: TypeComparison, old: Property, new: Property, types: tuple[Type, Type], at: SchemaPlace
) -> Iterator[Found]:
    here = at.member(old, new)
    if old.required != new.required:
        kind = member_now_required if new.required else member_now_optional
        yield found_part(kind, at, _part(new), types)
    yield from _tolerance(old, new, here)
    yield from _default(old, new, here)
    yield from walk.docs(old.docs, new.docs, here)
    yield from walk.types(old.type, new.type, here)


def _tolerance(old: Property, new: Property, at: SchemaPlace) -> Iterator[Found]:
    if _forgets_keys(new) and not _forgets_keys(old):
        yield found(key_tolerated, at)
    for mark in ("default_on_error", "default_on_null", "skip_invalid_items"):
        was, now = getattr(old.tolerance, mark), getattr(new.tolerance, mark)
        reported = mark == "default_on_error" and _forgets_keys(new)
        if was != now and not reported:
            kind = tolerance_added if now else tolerance_removed
            yield found(kind, at, name=f"x-deserialize-{mark.replace('_', '-')}")


def _forgets_keys(member: Property) -> bool:
    """True if receivers treat a malformed key as an omitted one."""
    return member.tolerance.default_on_error and is_key(member.type)


def _default(old: Property, new: Property, at: SchemaPlace) -> Iterator[Found]:
    if not same(old.default, new.default):
        kind = default_changed
        if old.default is None or new.default is None:
            kind = default_stated if old.default is None else default_dropped
        yield found(kind, at, old=as_json(old.default), new=as_json(new.default))


def _unions(
    walk: TypeComparison,
    old: FlatObject,
    new: FlatObject,
    types: tuple[Type, Type],
    at: SchemaPlace,
) -> Iterator[Found]:
    pairs, lost, gained = _matched(old.unions, new.unions)
    for i, j in pairs:
        yield from walk.types(old.unions[i], new.unions[j], at.choice(i, j))
    for i in lost:
        union = old.unions[i]
        wider = walk.values.moved(Effect.WIDENS, walk.values.term(types[1], 1), union)
        yield found(
            type_restructured if wider is False else choice_removed,
            at,
            types,
            old=spelled(union),
            new=spelled(types[1]),
            shapes=(union, None),
            mark=f"choice {i + 1}",
        )
    for j in gained:
        union = new.unions[j]
        narrower = walk.values.moved(Effect.NARROWS, walk.values.term(types[0], 0), union)
        yield found(
            type_restructured if narrower is False else choice_added,
            at,
            types,
            old=spelled(types[0]),
            new=spelled(union),
            shapes=(None, union),
            mark=f"choice {j + 1}",
        )


def _matched(
    old: list[Union], new: list[Union]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """The unions that correspond to each other, by tag and then by order, and the others."""
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
