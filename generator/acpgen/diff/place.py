"""Where two protocols are compared: the same spot in both, and how a message gets there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from acpgen.diff.kinds import Effect
from acpgen.model import Location, Property, Tolerance, TypeName, is_key

Pair = tuple[TypeName, TypeName]
"""A type of the old protocol and the one that stands for it in the new."""


class Into(Enum):
    """The steps into containers: an element of an array, an unlisted member of an object."""

    ITEM = "[]"
    ENTRY = "{}"


@dataclass(frozen=True, slots=True)
class Member:
    """The step to a listed member."""

    name: str


@dataclass(frozen=True, slots=True)
class Base:
    """The step to what an object also is."""

    name: TypeName


@dataclass(frozen=True, slots=True)
class Choice:
    """The step to one of the unions of an object, by index in the old and in the new."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Branch:
    """The step to a variant of a union, by index in the old and in the new."""

    old: int
    new: int


_NO_MARK = Tolerance()

Step = Into | Member | Base | Choice | Branch
Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One spot of a type, in both protocols.

    `path` is for people, `old` and `new` are the nearest places that the model knows. What is wrong
    at a `lenient` place makes older receivers fall back instead of refusing the message;
    `tolerance` is the member's own mark, where the place is one. Effects are `masked` where another
    variant of a choice takes the same values. `inside` holds the pairs that are being compared
    around it.
    """

    path: str
    old: Location
    new: Location
    steps: Steps = ()
    lenient: bool = False
    tolerance: Tolerance = _NO_MARK
    masked: frozenset[Effect] = frozenset()
    inside: frozenset[Pair] = frozenset()

    def member(self, old: Property, new: Property) -> Place:
        """A member that both have.

        A key that falls back is no key, so nobody recovers there (RFD, "The idempotencyKey
        parameter").
        """
        return replace(
            self,
            path=f"{self.path}.{new.name}",
            old=old.location,
            new=new.location,
            steps=(*self.steps, Member(new.name)),
            lenient=self.lenient or (old.tolerance.default_on_error and not is_key(old.type)),
            tolerance=old.tolerance,
        )

    def item(self) -> Place:
        """The elements of an array."""
        return self._into(Into.ITEM, lenient=self.lenient or self.tolerance.skip_invalid_items)

    def entry(self) -> Place:
        """The members of an object that are not listed."""
        return self._into(Into.ENTRY, lenient=self.lenient)

    def base(self, name: TypeName) -> Place:
        """What the object also is."""
        return replace(self, steps=(*self.steps, Base(name)), tolerance=_NO_MARK)

    def choice(self, old: int, new: int) -> Place:
        """A union that the object must satisfy."""
        return replace(self, steps=(*self.steps, Choice(old, new)))

    def branch(
        self, label: str, step: Branch, old: Location, new: Location, masked: frozenset[Effect]
    ) -> Place:
        """A variant of a union, of which other variants mask some effects."""
        return replace(
            self,
            path=f"{self.path}<{label}>",
            old=old,
            new=new,
            steps=(*self.steps, step),
            tolerance=_NO_MARK,
            masked=self.masked | masked,
        )

    def within(self, pair: Pair) -> Place:
        """The same place, while the bodies of two types are compared there."""
        return replace(self, inside=self.inside | {pair})

    def leniently(self, lenient: bool) -> Place:
        """The same place, seen by receivers that fall back there, or don't."""
        return replace(self, lenient=lenient)

    def _into(self, step: Into, *, lenient: bool) -> Place:
        return replace(
            self,
            path=f"{self.path}{step.value}",
            steps=(*self.steps, step),
            lenient=lenient,
            tolerance=_NO_MARK,
        )
