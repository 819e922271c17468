"""Rules about prose: pages, docstrings and editors show nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acpgen.findings import Severity
from acpgen.lint.parts import parts
from acpgen.lint.rule import Fault, method_fault, rule
from acpgen.model import ClosedEnum, Location, Object, OpenEnum, Protocol, Type, Union

_SENTENCES = 2
"""How many a resend note may have."""

_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?][)\]\"'`]*\s+(?=[A-Z`])")
"""The end of a sentence that another one follows."""


@rule(Severity.WARNING, for_files=True)
def missing_prose(protocol: Protocol) -> Iterator[Fault]:
    """Every definition, member, variant and value has a description.

    Why: the pages and the docstrings are made of these texts. Without one, readers see a name only.

    Example: `"title": {"type": "string"}`

    Fix: add a description. Write an `enum` as `oneOf` with a described `const` for each value.
    """
    for type_ in protocol.types.values():
        if not type_.docs.strip():
            yield Fault(type_.location, "needs a description")
        for location, part in parts(type_):
            yield from _silent(location, part)
    for method in protocol.methods:
        if method.retry is not None and not method.resend.strip():
            yield method_fault(method, "needs a resend note: what does a second copy do?")


@rule(Severity.WARNING, for_files=True)
def long_resend(protocol: Protocol) -> Iterator[Fault]:
    """x-resend is one or two sentences.

    Why: it is a row of the table that a client asks what to do. A client
    does not read a long text there.

    Example: `"x-resend": "Does it again. The first one stays. The user sees both. Don't."`

    Fix: keep what a second copy does and its side condition; move the rest to the page that x-docs
    names.
    """
    for method in protocol.methods:
        sentences = len(_END.findall(method.resend.strip())) + 1
        if sentences > _SENTENCES:
            yield method_fault(
                method, f"has a resend note of {sentences} sentences; two are enough"
            )


def _silent(location: Location, part: Type) -> Iterator[Fault]:
    """The parts of a type without a description."""
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
