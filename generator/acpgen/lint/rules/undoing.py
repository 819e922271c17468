"""Rules about what a late copy of a request would undo."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.lint.rule import Fault, rule
from acpgen.model import Kind, Method, Protocol, Ref
from acpgen.types.objects import possible_members


@rule()
def undone_method(protocol: Protocol) -> Iterator[Fault]:
    """The methods in x-undoes are requests of the protocol.

    Why: clients compare these names with what they have sent. A name that doesn't exist protects
    nothing, so a late copy undoes the newer request.

    Example: `"x-undoes": {"methods": ["session/clsoe"], "about": ["sessionId"]}`

    Fix: correct the name, or remove it.
    """
    for method in protocol.methods:
        for index, name in enumerate(method.undoes):
            if protocol.method(name, Kind.REQUEST) is None:
                place = method.location.at("x-undoes", "methods", index)
                yield Fault(place, f"no request is called '{name}'", method.name)


@rule()
def undone_about(protocol: Protocol) -> Iterator[Fault]:
    """The members in x-undoes are in the params of both requests.

    Why: two requests are about the same thing if these members have equal values. A member that one
    of them doesn't have is never equal, so a late copy undoes the newer request.

    Example: `"x-undoes": {"methods": ["session/close"], "about": ["session_id"]}`

    Fix: correct the name, or name a member that both requests have.
    """
    for method in protocol.methods:
        rows = (protocol.method(name, Kind.REQUEST) for name in method.undoes)
        both = [method, *(row for row in rows if row is not None)]
        for index, member in enumerate(method.about):
            lacking = next((m for m in both if member not in _members(protocol, m)), None)
            if lacking is not None:
                place = method.location.at("x-undoes", "about", index)
                yield Fault(
                    place, f"the params of {lacking.name} have no member '{member}'", method.name
                )


def _members(protocol: Protocol, method: Method) -> set[str]:
    return {member.name for member in possible_members(protocol, Ref(method.params))}
