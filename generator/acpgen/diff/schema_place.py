"""A place that two protocols have in common, and the steps from a message to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from acpgen.diff.effect import Effect
from acpgen.model import Location, Property, Tolerance, TypeName
from acpgen.types.structure import is_key
from acpgen.types.wording import token

Pair = tuple[TypeName, TypeName]
"""A type of the old protocol and the corresponding type of the new one."""


class ContainerStep(Enum):
    """The steps into containers: an element of an array, an unlisted member of an object."""

    ITEM = "[]"
    ENTRY = "{}"


@dataclass(frozen=True, slots=True)
class MemberStep:
    """The step to a listed member."""

    name: str


@dataclass(frozen=True, slots=True)
class BaseStep:
    """The step to a base of an object."""

    name: TypeName


@dataclass(frozen=True, slots=True)
class UnionStep:
    """The step to one of the unions of an object, by index in the old and in the new."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class VariantStep:
    """The step to a variant of a union, by index in the old and in the new."""

    old: int
    new: int


_NO_MARKS = (Tolerance(), Tolerance())

Step = ContainerStep | MemberStep | BaseStep | UnionStep | VariantStep
Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """One spot of a type, in both protocols.

    `path` is for people, `old` and `new` are the nearest places that the model knows. Effects
    are `lenient` where receivers fall back instead of refusing the message: newer ones what a
    change narrows, older ones what it widens. `tolerances` are the member's own marks in the old
    and in the new, where the place is one. Effects are `masked` where no
    value of the whole shows them, for instance because another variant of a union takes it.
    `inside` holds the pairs that are being compared around it. `once` is what its type was called
    before, where that is not what it is called now.
    Members of a base are `overridden` that the object compares itself: whether the base lists or
    requires them makes no difference to it.
    """

    path: str
    old: Location
    new: Location
    steps: Steps = ()
    lenient: frozenset[Effect] = frozenset()
    tolerances: tuple[Tolerance, Tolerance] = _NO_MARKS
    masked: frozenset[Effect] = frozenset()
    inside: frozenset[Pair] = frozenset()
    once: str = ""
    overridden: frozenset[str] = frozenset()

    def member(self, old: Property, new: Property) -> SchemaPlace:
        """A member that both have.

        A malformed key must not count as omitted, so no receiver recovers there (RFD, "The
        idempotencyKey parameter").
        """
        return replace(
            self,
            path=f"{self.path}.{token(new.name)}",
            old=old.location,
            new=new.location,
            steps=(*self.steps, MemberStep(new.name)),
            lenient=self.lenient | _who_falls_back(_forgiven(old), _forgiven(new)),
            tolerances=(old.tolerance, new.tolerance),
        )

    def item(self) -> SchemaPlace:
        """The elements of an array."""
        lenient = _who_falls_back(*(mark.skip_invalid_items for mark in self.tolerances))
        return self._into(ContainerStep.ITEM, self.lenient | lenient)

    def entry(self) -> SchemaPlace:
        """The members of an object that are not listed."""
        return self._into(ContainerStep.ENTRY, self.lenient)

    def base(self, name: TypeName, overridden: frozenset[str]) -> SchemaPlace:
        """A base of the object, which has the `overridden` members itself in both protocols."""
        steps = (*self.steps, BaseStep(name))
        return replace(self, steps=steps, tolerances=_NO_MARKS, overridden=overridden)

    def inherited(self, overridden: frozenset[str]) -> frozenset[str]:
        """The members overridden at this place, given those `overridden` by the type around it."""
        if all(isinstance(step, BaseStep) for step in self.steps):
            return self.overridden | overridden
        return self.overridden

    def choice(self, old: int, new: int) -> SchemaPlace:
        """A union that the object must satisfy."""
        path = f"{self.path}&{new + 1}" if new else self.path
        return replace(self, path=path, steps=(*self.steps, UnionStep(old, new)))

    def masking(self, effects: frozenset[Effect]) -> SchemaPlace:
        """The same place, where some more effects don't show."""
        return replace(self, masked=self.masked | effects)

    def branch(self, label: str, step: VariantStep, old: Location, new: Location) -> SchemaPlace:
        """A variant of a union."""
        return replace(
            self,
            path=f"{self.path}<{token(label)}>",
            old=old,
            new=new,
            steps=(*self.steps, step),
            tolerances=_NO_MARKS,
        )

    def within(self, pair: Pair) -> SchemaPlace:
        """The same place, while the bodies of two types are compared there."""
        return replace(self, inside=self.inside | {pair})

    def null(self) -> SchemaPlace:
        """The same place, as far as null is concerned."""
        lenient = _who_falls_back(*(mark.default_on_null for mark in self.tolerances))
        return replace(self, lenient=self.lenient | lenient)

    def _into(self, step: ContainerStep, lenient: frozenset[Effect]) -> SchemaPlace:
        return replace(
            self,
            path=f"{self.path}{step.value}",
            steps=(*self.steps, step),
            lenient=lenient,
            tolerances=_NO_MARKS,
        )


def _forgiven(member: Property) -> bool:
    """True if receivers treat a malformed value there as omitted."""
    return member.tolerance.default_on_error and not is_key(member.type)


def _who_falls_back(old: bool, new: bool) -> frozenset[Effect]:
    """The effects that receivers recover from, by whether older and newer ones do."""
    marks = ((Effect.WIDENS, old), (Effect.NARROWS, new))
    return frozenset(effect for effect, marked in marks if marked)
