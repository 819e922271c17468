"""One difference between two protocols, before anyone asked whom it reaches."""

from __future__ import annotations

from dataclasses import dataclass

from acpgen.diff.kinds import Kind
from acpgen.diff.place import Pair, Place
from acpgen.model import Location, Type


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs at a place.

    `name` is what is added or gone there, or which property of the place differs; `old` and `new`
    say from what to what. `location` is that of the thing itself, with the pointer that it had in
    the old protocol when it is gone. `types` are the types that are compared at the place.
    """

    kind: Kind
    place: Place
    location: Location
    name: str = ""
    old: str = ""
    new: str = ""
    types: tuple[Type, Type] | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A place that leads on to a pair of named types."""

    place: Place
    pair: Pair


Found = Difference | Edge


def found(
    kind: Kind,
    place: Place,
    types: tuple[Type, Type] | None = None,
    *,
    name: str = "",
    old: str = "",
    new: str = "",
    gone: Location | None = None,
    at: Location | None = None,
    member: bool = False,
    variant: bool = False,
) -> Difference:
    """A difference at a place; of something that is `gone`, or that stands `at` another place.

    The name may be that of a `member` or a `variant` of the place.
    """
    location = at or place.new
    if gone is not None:
        location = Location(place.new.file, gone.pointer)
    path = place.path
    if member or variant:
        path += f".{name}" if member else f"<{name}>"
    return Difference(kind, place, location, name, old, new, types, path)
