"""One difference between two protocols, before its effect is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

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


def found(
    rule: ChangeRule,
    place: SchemaPlace,
    types: tuple[Type, Type] | None = None,
    *,
    name: str = "",
    old: str = "",
    new: str = "",
    gone: Location | None = None,
    at: Location | None = None,
    member: bool = False,
    variant: bool = False,
    shapes: Shapes = (None, None),
    mark: str = "",
) -> SchemaDifference:
    """Return a difference at a place; of something that is `gone`, or is `at` another place.

    The name may be that of a `member` or a `variant` of the place.
    """
    location = at or place.new
    pointer = location.pointer
    if gone is not None:
        location, pointer = _successor(place, gone), gone.pointer
    path = place.path
    if member or variant:
        path += f".{token(name)}" if member else f"<{token(name)}>"
    return SchemaDifference(
        rule, place, pointer, location, name, old, new, types, path, shapes, mark, member
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
