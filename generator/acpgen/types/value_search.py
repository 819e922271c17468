"""Finds a value that is in some sets and not in others, or shows that there is none.

The search is complete but for patterns that look around, or take too long: of these it only knows
the texts that it tries, and where none of them will do, it assumes that another would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from acpgen.stated_limits import whole_number
from acpgen.types import plain_search
from acpgen.types.container_search import find_array, find_object
from acpgen.types.value_terms import (
    AllOf,
    AnyOf,
    Demand,
    Demands,
    FoundValue,
    Items,
    Listed,
    Members,
    Named,
    Not,
    Numbers,
    OtherTags,
    Simple,
    Term,
    TermBook,
    Texts,
    ValueKind,
)

STEPS = ("ACPGEN_DIFF_STEPS", 2_000)
"""The variable that states how many steps one search may take, and the default.

Searches in schemas in use take some hundreds.
"""
_MOST_COMBINED = 8
"""The most variants of a union of which each two are tried at once."""
_LOOK_INTO = 6
"""How deep a set is looked into before it is tried."""
_ENDLESS = 1 << 30
_BOTH = (False, True)


class TooManyStepsError(Exception):
    """A search was given up."""


class ValueSearch:
    """Looks for values of the terms of one book, and remembers what it found."""

    def __init__(self, book: TermBook) -> None:
        self._book = book
        self._known: dict[Demands, FoundValue | None] = {}
        self._open: dict[Demands, int] = {}
        self._assumed = _ENDLESS
        self._steps = 0
        self._most = whole_number(*STEPS)

    def find(
        self, sent: Term, inside: Sequence[Term], outside: Sequence[Term]
    ) -> FoundValue | None:
        """Return a value that is sent and in all of some sets and in none of others.

        It is None if there is none. A sender doesn't use the members and tags that only a receiver
        knows; it may use names that neither describes.

        Raises:
            TooManyStepsError: the answer takes too many steps.
        """
        self._steps = 0
        self._open.clear()
        self._assumed = _ENDLESS
        demands = [Demand(sent, True, sent=True)]
        demands += [Demand(term, True) for term in inside]
        demands += [Demand(term, False) for term in outside]
        return self.solve(frozenset(demands))

    def solve(self, demands: Demands) -> FoundValue | None:
        """Solve one part of the search. A part that is met inside itself has no finite value.

        Raises:
            TooManyStepsError: as for `find`.
        """
        if demands in self._known:
            return self._known[demands]
        if demands in self._open:
            self._assumed = min(self._assumed, self._open[demands])
            return None
        depth = len(self._open)
        self._open[demands] = depth
        outer, self._assumed = self._assumed, _ENDLESS
        answer = self._of_any_kind(demands)
        del self._open[demands]
        if answer is not None or self._assumed >= depth:
            self._known[demands] = answer
            self._assumed = outer
        else:
            self._assumed = min(outer, self._assumed)
        return answer

    def _of_any_kind(self, demands: Demands) -> FoundValue | None:
        for kind in ValueKind:
            answer = self._expand(_State(kind, demands), [*demands], [])
            if answer is not None:
                return answer
        return None

    def _expand(
        self, state: _State, todo: list[Demand], choices: list[list[Demand]]
    ) -> FoundValue | None:
        """Take demands apart until only atoms of the kind are left, one choice after the other."""
        self._count_step()
        found, choices = set(state.atoms), [*choices]
        while todo:
            term, positive, sent = todo.pop()
            match term:
                case Named():
                    todo.append(Demand(self._book.body(term), positive, sent))
                case Not(part=part):
                    todo.append(Demand(part, not positive, sent))
                case AllOf(parts=parts) | AnyOf(parts=parts):
                    each = [Demand(part, positive, sent) for part in parts]
                    if isinstance(term, AllOf) is positive:
                        todo += each
                    else:
                        choices.append([*each, *self._pairs(state, Demand(term, positive, sent))])
                case OtherTags() if positive and sent:
                    todo.append(self._unknown(term.tag, state.place))
                case _ if state.kind in _kinds(term):
                    found.add(Demand(term, positive, sent))
                case _ if positive is not isinstance(term, OtherTags):
                    return None
                case _:
                    pass
        state = replace(state, atoms=frozenset(found))
        if any(state.holds(demand) is False for demand in found):
            return None
        return self._choose(state, choices)

    def _pairs(self, state: _State, demand: Demand) -> list[Demand]:
        """What fits two variants of a union at once, with the members of both."""
        term, positive, sent = demand
        if not (positive and sent and state.kind is ValueKind.OBJECT):
            return []
        if not isinstance(term, AnyOf) or term.tagged or len(term.parts) > _MOST_COMBINED:
            return []
        return [
            Demand(self._book.all_of(*pair), positive, sent) for pair in combinations(term.parts, 2)
        ]

    def _avoided_names(self, place: Demands) -> frozenset[str]:
        """The members that a sender has in one variant or another, and uses in no other."""
        sent = (self._book.names(each.term) for each in place if each.sent and each.positive)
        return frozenset().union(*sent)

    def _unknown(self, tag: str, place: Demands) -> Demand:
        """The objects whose tag no receiver at a place lists."""
        book = self._book
        known = frozenset().union(*(book.tags(each.term, tag) for each in place if not each.sent))
        texts = book.one(Texts(0, None, None))
        value = book.all_of(texts, book.other_than(book.one(Listed(known)))) if known else texts
        return Demand(book.objects_with(tag, value), positive=True, sent=True)

    def _choose(self, state: _State, choices: list[list[Demand]]) -> FoundValue | None:
        """Try what is left of one choice; the other choices stay.

        That is one between sets to be in, whose tags decide about others, or one with few ways.
        """
        waiting: list[list[Demand]] = []
        view = _View(self._book, state)
        for choice in choices:
            outcomes = [(demand, view.outcome(demand)) for demand in choice]
            # What is sent decides about the members that may be used, even where it surely fits.
            decides = any(demand.sent and demand.positive for demand in choice)
            if decides or not any(outcome is True for _, outcome in outcomes):
                waiting.append([demand for demand, outcome in outcomes if outcome is not False])
        if not waiting:
            return self._of_atoms(state)
        first = min(waiting, key=lambda choice: (not all(p for _, p, _ in choice), len(choice)))
        others = [choice for choice in waiting if choice is not first]
        for demand in first:
            answer = self._expand(state, [demand], others)
            if answer is not None:
                return answer
        return None

    def _of_atoms(self, state: _State) -> FoundValue | None:
        inside = [each.term for each in state.atoms if each.positive]
        outside = [each.term for each in state.atoms if not each.positive]
        match state.kind:
            case ValueKind.NULL | ValueKind.BOOLEAN:
                value = None if state.kind is ValueKind.NULL else True
                return None if outside else FoundValue(value)
            case ValueKind.NUMBER:
                number = plain_search.number_in(
                    [t for t in inside if isinstance(t, Numbers | Listed)],
                    [t for t in outside if isinstance(t, Numbers | Listed)],
                )
                return None if number is None else FoundValue(number)
            case ValueKind.TEXT:
                text = plain_search.text_in(
                    [t for t in inside if isinstance(t, Texts | Listed)],
                    [t for t in outside if isinstance(t, Texts | Listed)],
                )
                return None if text is None else FoundValue(text)
            case ValueKind.ARRAY:
                return find_array(self.solve, state.atoms)
            case ValueKind.OBJECT:
                return find_object(self.solve, state.atoms, self._avoided_names(state.place))

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > self._most:
            raise TooManyStepsError


@dataclass(frozen=True, slots=True)
class _State:
    """How far a search is: the kind of value, what is asked of it, and the atoms found so far."""

    kind: ValueKind
    place: Demands
    atoms: Demands = frozenset()

    def holds(self, demand: Demand) -> bool | None:
        """True if the atoms say that a demand holds, False if they deny it, None otherwise.

        What is received may be sent otherwise: that decides about the members that may be used.
        """
        if any(Demand(demand.term, not demand.positive, sent) in self.atoms for sent in _BOTH):
            return False
        others = _BOTH if not (demand.sent and demand.positive) else (True,)
        stated = (Demand(demand.term, demand.positive, sent) for sent in others)
        return True if any(each in self.atoms for each in stated) else None


class _View:
    """What can be seen of demands at once, before they are tried."""

    def __init__(self, book: TermBook, state: _State) -> None:
        self._book = book
        self._state = state
        self._tags: dict[str, frozenset[str | int]] = {}
        self._others: dict[str, frozenset[str | int]] = {}
        for term, positive, _ in state.atoms:
            if positive and isinstance(term, Members):
                for member in term.listed:
                    if member.required:
                        self._note(member.name, member.value)

    def _note(self, name: str, value: Term) -> None:
        """Note the values that a member has, or those that it doesn't have."""
        match value:
            case Listed(values=values):
                self._tags[name] = self._tags.get(name, values) & values
            case Not(part=Listed(values=values)):
                self._others[name] = self._others.get(name, frozenset()) | values
            case AllOf(parts=parts):
                for part in parts:
                    self._note(name, part)
            case _:
                pass

    def _is_one(self, name: str, value: Term) -> bool:
        """True if a member is surely there, and has a value of a set."""
        return isinstance(value, Listed) and name in self._tags and self._tags[name] <= value.values

    def _is_apart(self, name: str, value: Term) -> bool:
        """True if a member surely has no value of a set."""
        if not isinstance(value, Listed):
            return False
        tags = self._tags.get(name, value.values)
        return tags.isdisjoint(value.values) or value.values <= self._others.get(name, frozenset())

    def outcome(self, demand: Demand, depth: int = 0) -> bool | None:
        """True if the demand holds, False if it can't hold, None if either may be."""
        stated = self._state.holds(demand)
        if stated is not None:
            return stated
        outcome = self._of_set(demand, depth)
        return outcome if demand.positive or outcome is None else not outcome

    def _of_set(self, demand: Demand, depth: int) -> bool | None:
        term, sent = demand.term, demand.sent
        match term:
            case Named() | Not() | AllOf() | AnyOf() | OtherTags() if depth > _LOOK_INTO:
                return None
            case Named():
                return self.outcome(Demand(self._book.body(term), True, sent), depth + 1)
            case Not(part=part):
                return self.outcome(Demand(part, False, sent), depth)
            case AllOf(parts=parts) | AnyOf(parts=parts):
                decisive = isinstance(term, AnyOf)
                each = [self.outcome(Demand(part, True, sent), depth + 1) for part in parts]
                if decisive in each:
                    return decisive
                return None if None in each else not decisive
            case OtherTags():
                return None if sent else True
            case Members(listed=listed, rest=rest) if self._state.kind is ValueKind.OBJECT:
                if any(self._is_apart(member.name, member.value) for member in listed):
                    return False
                fits = rest is None and all(self._is_one(m.name, m.value) for m in listed)
                return True if fits else None
            case _:
                return None if self._state.kind in _kinds(term) else False


def _kinds(term: Term) -> frozenset[ValueKind]:
    """The kinds of the values of a set that is not made of others."""
    match term:
        case Simple(kind=kind):
            return frozenset({kind})
        case Listed(values=values):
            return frozenset(
                ValueKind.TEXT if isinstance(value, str) else ValueKind.NUMBER for value in values
            )
        case _:
            return _KINDS.get(type(term), frozenset())


_KINDS = {
    Numbers: frozenset({ValueKind.NUMBER}),
    Texts: frozenset({ValueKind.TEXT}),
    Items: frozenset({ValueKind.ARRAY}),
    Members: frozenset({ValueKind.OBJECT}),
}
