"""Types for members of any name, where a class would apply them to other members."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from acpgen.model import TypeName


def misapplied(
    own: Collection[str] | None,
    members: Collection[str],
    bases: Mapping[TypeName, Collection[str]],
    typed: Collection[TypeName],
) -> Iterator[str]:
    """What is wrong with the types that a record and its bases have for members of any name.

    A class has one such type, for the members that neither it nor a base names. In JSON Schema
    such a type counts for all members that are not named beside it, also for those of bases.

    Args:
        own: the names beside the record's own such type; None if it has no such type.
        members: the names of the record's members.
        bases: the names of the members of each record that it extends.
        typed: those of the bases that have such a type.
    """
    inherited = [name for names in bases.values() for name in names]
    if own is not None:
        for name in (*members, *inherited):
            if name not in own:
                yield f"has a type for members of any name, {name} included; name it here, too"
    for base in typed:
        for other, names in bases.items():
            for name in names:
                if other != base and name not in bases[base]:
                    message = f"extends {base}, which has a type for members of any name, and"
                    yield f"{message} {other}, which has {name}"
    if len(typed) + (own is not None) > 1:
        yield "has two types for members of any name, of itself or what it extends"
