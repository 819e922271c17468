"""Every change from one protocol to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acpgen.diff.change import Change, Standing
from acpgen.diff.judgement import of_method, of_type
from acpgen.diff.message_routes import routes
from acpgen.diff.method_changes import methods
from acpgen.diff.rules.names import type_renamed
from acpgen.diff.schema_difference import SchemaDifference
from acpgen.diff.type_comparison import TypeComparison
from acpgen.model import Protocol, TypeName
from acpgen.types.fingerprint import fingerprint
from acpgen.types.stability import stable


def diff(old: Protocol, new: Protocol) -> tuple[Change, ...]:
    """Return every change, the worst first, then by path.

    The differences between the stable parts count. A difference that only the whole protocols have
    concerns unstable parts, which promise nothing.
    """
    whole = list(_changes(old, new, (old, new)))
    kept = list(_changes(stable(old), stable(new), (old, new)))
    known, lasting = {_spot(c) for c in whole}, {_identity(c) for c in kept}
    changes = [
        *(c if _spot(c) in known else replace(c, standing=Standing.MOVED) for c in kept),
        *(
            replace(c, standing=Standing.UNSTABLE, breaks=frozenset(), recovers=frozenset())
            for c in whole
            if _identity(c) not in lasting
        ),
    ]
    return tuple(sorted(changes, key=lambda c: (c.severity.rank, c.path, c.rule.id, _identity(c))))


def _changes(old: Protocol, new: Protocol, wholes: tuple[Protocol, Protocol]) -> Iterator[Change]:
    """The changes between two protocols, which may be the stable parts of `wholes`."""
    for method in methods(old, new, wholes):
        shape = _shape(old, new, method.difference)
        yield of_method(method.difference, method.channels, shape)
    walk = TypeComparison(old, new)
    reached = routes(walk)
    aside = ((name, name) for name in old.types.keys() & new.types.keys())
    pairs = dict.fromkeys((*reached, *aside))
    renamed: set[tuple[str, str]] = set()
    for pair in pairs:
        for step in walk.pair(pair):
            if isinstance(step, SchemaDifference):
                if step.rule is type_renamed:
                    names = (TypeName(step.old), TypeName(step.new))
                    if names in renamed or (names in pairs and names != pair):
                        continue  # the pair of these types reports it
                    renamed.add(names)
                yield of_type(step, reached.get(pair, ()), _shape(old, new, step))


def _shape(old: Protocol, new: Protocol, difference: SchemaDifference) -> str:
    before, after = difference.shapes
    if before is None and after is None:
        return ""
    return fingerprint([(old, before), (new, after)])


def _spot(change: Change) -> tuple[str, ...]:
    """What is changed: the stable part of it may change in another way than all of it."""
    return (change.rule.id, change.subject, change.pointer)


def _identity(change: Change) -> tuple[str, ...]:
    """The identity of a change, the same in the whole protocol and in its stable part.

    Shapes don't count, since the stable part of a type may lack members.
    """
    return (change.rule.id, change.subject, change.pointer, change.old, change.new)
