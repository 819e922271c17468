"""One difference between two protocols, before its effect is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from acpgen.diff.effect import Effect
from acpgen.diff.rule import ChangeRule
from acpgen.diff.schema_place import Pair, SchemaPlace
from acpgen.model import Location, Pointer, Type
from acpgen.types.wording import token

Shapes = tuple[Type | None, Type | None]
"""A type before, and one after, where there are any."""


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """A difference at a place.

    `name` is what is added or gone there, or which property of the place differs; `old` and `new`
    say from what to what. `pointer` is that of the thing itself, in the old protocol when it is
    gone; `location` is the nearest place in the new one. `types` are the types that are compared at
    the place, `shapes` those that `old`, `new` and `name` only sum up. `mark` tells apart what
    nothing else does.
    """

    rule: ChangeRule
    place: SchemaPlace
    pointer: Pointer
    location: Location
    name: str = ""
    old: str = ""
    new: str = ""
    types: tuple[Type, Type] | None = None
    path: str = ""
    shapes: Shapes = (None, None)
    mark: str = ""
    member: bool = False

    def matters(self, overridden: frozenset[str]) -> bool:
        """True if it matters to an object that has the `overridden` members anyway."""
        return not (self.member and self.name in overridden)

    def masking(self, effects: frozenset[Effect]) -> SchemaDifference:
        """The same difference, where some effects don't show."""
        return replace(self, place=self.place.masking(effects)) if effects else self

    @property
    def subject(self) -> str:
        """The place inside its type, and the name of what differs there.

        No two differences of one kind between two protocols have the same.
        """
        name = "" if self.path != self.place.path else self.name
        once = f"(once {self.place.once})" if self.place.once else ""
        return " ".join(filter(None, (self.path, name, self.mark, once)))


@dataclass(frozen=True, slots=True)
class Edge:
    """A place that leads on to a pair of named types."""

    place: SchemaPlace
    pair: Pair

    def masking(self, effects: frozenset[Effect]) -> Edge:
        """The same edge, where some effects don't show."""
        return replace(self, place=self.place.masking(effects)) if effects else self


Found = SchemaDifference | Edge


class PathStep(StrEnum):
    """The kinds of parts, each with the form of its step in a path."""

    MEMBER = ".{}"
    VARIANT = "<{}>"
    OTHER = ""


@dataclass(frozen=True, slots=True)
class LonePart:
    """A part of a place that only one of the protocols has: the old one if it is `gone`."""

    name: str
    location: Location
    step: PathStep = PathStep.OTHER
    gone: bool = False


def found(  # noqa: PLR0913 - what few differences have is by name
    rule: ChangeRule,
    place: SchemaPlace,
    types: tuple[Type, Type] | None = None,
    *,
    name: str = "",
    old: str = "",
    new: str = "",
    shapes: Shapes = (None, None),
    mark: str = "",
) -> SchemaDifference:
    """Return a difference at a place."""
    return SchemaDifference(
        rule, place, place.new.pointer, place.new, name, old, new, types, place.path, shapes, mark
    )


def found_part(
    rule: ChangeRule,
    place: SchemaPlace,
    part: LonePart,
    types: tuple[Type, Type] | None = None,
    *,
    shape: Type | None = None,
    words: str = "",
) -> SchemaDifference:
    """Return a difference in a part of a place. Its type has a `shape`, which `words` sum up."""
    difference = found(
        rule,
        place,
        types,
        name=part.name,
        old=words if part.gone else "",
        new="" if part.gone else words,
        shapes=(shape, None) if part.gone else (None, shape),
    )
    return replace(
        difference,
        pointer=part.location.pointer,
        location=_successor(place, part.location) if part.gone else part.location,
        path=place.path + part.step.format(token(part.name)),
        member=part.step is PathStep.MEMBER,
    )


def _successor(place: SchemaPlace, gone: Location) -> Location:
    """The place that something which is gone would have in the new protocol.

    For an element of a list that is the list: another element has its number now.
    """
    whole = place.old.pointer
    if gone.file != place.old.file or not gone.pointer.startswith(f"{whole}/"):
        return place.new
    inner = gone.pointer.removeprefix(whole)
    parent, _, last = inner.rpartition("/")
    return Location(
        place.new.file, Pointer(place.new.pointer + (parent if last.isdecimal() else inner))
    )
