"""Rules about prose: pages, docstrings and editors show nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.findings import Severity
from acpgen.lint.parts import parts
from acpgen.lint.rule import Fault, method_fault, rule
from acpgen.model import ClosedEnum, Location, Object, OpenEnum, Protocol, Type, Union


@rule(Severity.WARNING, for_files=True)
def missing_prose(protocol: Protocol) -> Iterator[Fault]:
    """Every definition, member, variant and value says what it is.

    Why: the pages and the docstrings are made of these texts. What has none is a name only.

    Mistake: `"title": {"type": "string"}`

    Mend: add a description. Write an `enum` as `oneOf` with a described `const` for each value.
    """
    for type_ in protocol.types.values():
        if not type_.docs.strip():
            yield Fault(type_.location, "needs a description")
        for location, part in parts(type_):
            yield from _silent(location, part)
    for method in protocol.methods:
        if method.retry is not None and not method.resend.strip():
            yield method_fault(method, "needs a resend note: what does a second copy do?")


def _silent(location: Location, part: Type) -> Iterator[Fault]:
    """The parts of a type that say nothing about themselves."""
    if isinstance(part, ClosedEnum) and len({v.location for v in part.values}) < len(part.values):
        yield Fault(location, "needs a branch with a description for each value instead of `enum`")
        return
    for place, docs in _texts(part):
        if not docs.strip():
            yield Fault(place, "needs a description")
    if isinstance(part, OpenEnum) and not part.other_docs.strip():
        yield Fault(location, "needs a description of the branch that takes all other values")


def _texts(part: Type) -> Iterator[tuple[Location, str]]:
    match part:
        case Object():
            yield from ((p.location, p.docs) for p in part.properties)
        case Union():
            yield from ((v.location, v.docs) for v in part.variants)
        case OpenEnum():
            yield from ((v.location, v.docs) for v in part.values)
        case ClosedEnum() if len(part.values) > 1:
            yield from ((v.location, v.docs) for v in part.values)
        case _:
            return
