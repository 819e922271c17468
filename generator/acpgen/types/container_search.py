"""Finds an array or an object that is in some sets and not in others, from values of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from acpgen.types.plain_search import LONGEST
from acpgen.types.value_terms import Demand, Demands, FoundValue, Items, Members, Term

_FRESH = "_custom"
"""The name of a member that no set lists; further ones are numbered."""
_NONE: Demands = frozenset()

Solve = Callable[[Demands], FoundValue | None]
"""Returns a value of a part that is in, or not in, some sets; None if there is none."""


def find_array(solve: Solve, atoms: Demands) -> FoundValue | None:
    """Return an array that is in some sets of arrays and not in others, None if there is none."""
    inside = [(each.term, each.sent) for each in atoms if each.positive]
    outside = [each.term for each in atoms if not each.positive]
    arrays = _Arrays(solve, [(t, sent) for t, sent in inside if isinstance(t, Items)])
    return arrays.find([term for term in outside if isinstance(term, Items)])


class _Arrays:
    """Looks for arrays that are in all of some sets."""

    def __init__(self, solve: Solve, inside: Sequence[tuple[Items, bool]]) -> None:
        self._solve = solve
        self._item: Demands = frozenset(Demand(t.item, True, sent) for t, sent in inside)
        self._least = max((each.least for each, _ in inside), default=0)
        most = [each.most for each, _ in inside if each.most is not None]
        self._most = min(most, default=None)

    def find(self, outside: Sequence[Items]) -> FoundValue | None:
        """Return an array that is in none of some other sets, None if there is none."""
        for length in self._lengths(outside):
            if self._most is not None and length > self._most:
                break
            avoided = [each for each in outside if _is_long(each, length)]
            items = self._items(length, [each.item for each in avoided], [])
            if items is not None:
                return FoundValue([group.value for group in items])
        return None

    def _lengths(self, outside: Sequence[Items]) -> list[int]:
        """The lengths to try: from each where another set begins or ends, as many as there are."""
        starts = {self._least}
        for each in outside:
            starts |= {each.least} | (set() if each.most is None else {each.most + 1})
        later = {start + more for start in starts for more in range(len(outside) + 1)}
        return sorted(length for length in later if length >= self._least)

    def _items(
        self, length: int, avoided: Sequence[Term], groups: list[Demands]
    ) -> list[FoundValue] | None:
        """Items so that of each set to avoid one item is not in it; one may do for several."""
        if not avoided:
            found = [self._solve(group) for group in groups]
            missing = length - len(groups)
            filler = self._solve(self._item) if missing else None
            if missing and filler is None:
                return None
            rest = [filler] * min(missing, LONGEST)
            return [value for value in (*found, *rest) if value is not None]
        first, *others = avoided
        for index in range(min(len(groups) + 1, length)):
            group = (groups[index] if index < len(groups) else self._item) | {
                Demand(first, positive=False)
            }
            if self._solve(group) is not None:
                tried = self._items(length, others, [*groups[:index], group, *groups[index + 1 :]])
                if tried is not None:
                    return tried
        return None


@dataclass(frozen=True, slots=True)
class _Field:
    """What is known of one member: its values if it is there, and whether it has to be or can't."""

    demands: Demands = _NONE
    present: bool = False
    absent: bool = False


_Fields = dict[str, _Field]


def find_object(solve: Solve, atoms: Demands, avoided: frozenset[str]) -> FoundValue | None:
    """Return an object that is in some sets of objects and not in others, None if there is none.

    A sender uses the members of its own type, and those of names that no set lists. There is one
    exception: what more than one variant of an exclusive union describes is refused, although the
    sender doesn't know the member. Members that it knows in another variant are `avoided`.
    """
    inside = [(each.term, each.sent) for each in atoms if each.positive]
    outside = [each.term for each in atoms if not each.positive]
    objects = _Objects(solve, [(t, sent) for t, sent in inside if isinstance(t, Members)], avoided)
    return objects.find([term for term in outside if isinstance(term, Members)])


class _Objects:
    """Looks for objects that are in all of some sets."""

    def __init__(
        self, solve: Solve, inside: Sequence[tuple[Members, bool]], avoided: frozenset[str]
    ) -> None:
        self._solve = solve
        self._inside = inside
        names = {
            member.name
            for each, sent in inside
            for member in each.listed
            if sent or member.name not in avoided
        }
        free = any(each.rest is not None for each, _ in inside)
        self._known = names if inside and not free else None
        self._unlisted: Demands = frozenset(
            Demand(each.rest, True, sent) for each, sent in inside if each.rest is not None
        )

    def find(self, outside: Sequence[Members]) -> FoundValue | None:
        """Return an object that is in none of some other sets, None if there is none."""
        sets = [*(each for each, _ in self._inside), *outside]
        names = {member.name: None for each in sets for member in each.listed}
        fields = {name: self._field(name) for name in names}
        if any(f.present and not self._is_possible(f) for f in fields.values()):
            return None
        return self._avoiding(list(outside), fields)

    def _is_possible(self, field: _Field) -> bool:
        return not field.absent and self._solve(field.demands) is not None

    def _field(self, name: str) -> _Field:
        demands: set[Demand] = set()
        present = False
        for each, sent in self._inside:
            member = next((m for m in each.listed if m.name == name), None)
            if member is not None:
                demands.add(Demand(member.value, True, sent))
                present = present or member.required
            elif each.rest is not None:
                demands.add(Demand(each.rest, True, sent))
        absent = self._known is not None and name not in self._known
        return _Field(frozenset(demands), present, absent)

    def _avoiding(self, outside: list[Members], fields: _Fields) -> FoundValue | None:
        """Go on with the set that is the hardest to avoid, in every way to avoid it."""
        waiting: list[tuple[Members, list[tuple[str, _Field]]]] = []
        for each in outside:
            ways = list(self._ways(each, fields))
            if not ways:
                return None
            if not any(fields.get(name) == field for name, field in ways):
                waiting.append((each, ways))
        if not waiting:
            return self._built(fields)
        hardest, ways = min(waiting, key=lambda pair: len(pair[1]))
        others = [each for each, _ in waiting if each is not hardest]
        for name, field in ways:
            found = self._avoiding(others, {**fields, name: field})
            if found is not None:
                return found
        return None

    def _ways(self, avoided: Members, fields: _Fields) -> Iterator[tuple[str, _Field]]:
        """Yield the members, each with what must be known of it, that keep an object out of a set.

        A member that is as it is already keeps the object out anyway.
        """
        for member in avoided.listed:
            field = fields[member.name]
            if member.required and not field.present:
                yield member.name, field if field.absent else _Field(absent=True)
            yield from self._other_values(member.name, field, member.value)
        if avoided.rest is not None:
            listed = {member.name for member in avoided.listed}
            for name, field in fields.items():
                if name not in listed:
                    yield from self._other_values(name, field, avoided.rest)
            fresh = next(name for name in _fresh_names() if name not in fields)
            yield from self._other_values(fresh, _Field(self._unlisted), avoided.rest)

    def _other_values(
        self, name: str, field: _Field, avoided: Term
    ) -> Iterator[tuple[str, _Field]]:
        demands = field.demands | {Demand(avoided, positive=False)}
        if not field.absent and self._solve(demands) is not None:
            yield name, _Field(demands, present=True)

    def _built(self, fields: _Fields) -> FoundValue | None:
        found = {n: self._solve(f.demands) for n, f in fields.items() if f.present}
        return FoundValue({name: value.value for name, value in found.items() if value is not None})


def _fresh_names() -> Iterator[str]:
    yield _FRESH
    yield from (f"{_FRESH}{number}" for number in count(2))


def _is_long(items: Items, length: int) -> bool:
    return items.least <= length and (items.most is None or length <= items.most)
