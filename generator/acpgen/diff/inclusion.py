"""Inclusion: one type of a protocol takes all values of a type of the other."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.schema_place import ContainerStep, MemberStep, Steps
from acpgen.model import Protocol, Type, Union
from acpgen.types.value_search import TooManyStepsError, ValueSearch
from acpgen.types.value_terms import FoundValue, Term, TermBook

BOTH = frozenset({Effect.NARROWS, Effect.WIDENS})


class Inclusion:
    """Compares the values of types. If a comparison takes too many steps, its answer is None.

    An effect says which way: what NARROWS is about old values that the new type refuses, what
    WIDENS about new values that the old type refuses.
    """

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self._book = TermBook(old, new)
        self._search = ValueSearch(self._book)

    def term(self, type_: Type, side: int) -> Term:
        """Return the values of a type of the old protocol, 0, or of the new one, 1."""
        return self._book.term(type_, side)

    def variant(self, union: Union, index: int, side: int) -> Term:
        """Return the values of a union that one of its variants takes."""
        one = self._book.variants(union, side)[index]
        return self._book.all_of(one, self._book.term(union, side))

    def effects(self, old: Type, new: Type) -> frozenset[Effect] | None:
        """Return the ways in which the values of two types differ."""
        terms = self.term(old, 0), self.term(new, 1)
        if terms[0] is terms[1]:
            return frozenset()
        narrows = self.moved(Effect.NARROWS, terms[0], new)
        widens = self.moved(Effect.WIDENS, terms[1], old)
        if narrows is None or widens is None:
            return None
        ways = ((Effect.NARROWS, narrows), (Effect.WIDENS, widens))
        return frozenset(effect for effect, moves in ways if moves)

    def moved(self, effect: Effect, values: Term, other: Type) -> bool | None:
        """True if a type of the other protocol refuses one of the values. None if too hard."""
        side = 1 if effect is Effect.NARROWS else 0
        try:
            return self._search.find(values, (), (self.term(other, side),)) is not None
        except TooManyStepsError:
            return None

    def example(
        self, effect: Effect, roots: tuple[Type, Type], types: tuple[Type, Type], steps: Steps
    ) -> FoundValue | None:
        """Return a value of a root type that moves since, at the end of some steps, `types` differ.

        None if there is none, or if it takes too many steps to tell.
        """
        sender = 0 if effect is Effect.NARROWS else 1
        receiver = 1 - sender
        book = self._book
        refused = book.other_than(self.term(types[receiver], receiver))
        inner = book.all_of(self.term(types[sender], sender), refused)
        for step in reversed(steps):
            match step:
                case MemberStep(name=name):
                    inner = book.objects_with(name, inner)
                case ContainerStep.ITEM:
                    inner = book.some_item(inner)
                case ContainerStep.ENTRY:
                    inner = book.some_entry(inner)
                case _:
                    pass
        sent, received = self.term(roots[sender], sender), self.term(roots[receiver], receiver)
        try:
            return self._search.find(sent, (inner,), (received,))
        except TooManyStepsError:
            return None

    def crowded(self, effect: Effect, old: Union, new: Union) -> bool:
        """True if a value moves because it fits several variants of an exclusive union."""
        unions, side = (old, new), 1 if effect is Effect.NARROWS else 0
        if not unions[side].exclusive:
            return False
        fits = self._book.several_of(self._book.variants(unions[side], side))
        try:
            whole = self.term(unions[1 - side], 1 - side)
            return self._search.find(whole, (fits,), ()) is not None
        except TooManyStepsError:
            return True
