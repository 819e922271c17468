"""Views of a protocol: parts of it that are enough to generate something from.

A target sees nothing but its view. So a target that remembers what it made need only compare views
to know whether anything has changed for it.
"""

from __future__ import annotations

from dataclasses import replace

from acpgen.model import KEY_TYPE, OpenEnum, Protocol, Type
from acpgen.types.structure import Part, rebuild


def everything(protocol: Protocol) -> Protocol:
    """Return the whole protocol."""
    return protocol


def methods_only(protocol: Protocol) -> Protocol:
    """Return the methods and the type of their keys, but no other type."""
    return replace(protocol, types={n: t for n, t in protocol.types.items() if n == KEY_TYPE})


def without_docs(protocol: Protocol) -> Protocol:
    """Return the protocol without descriptions, which no message depends on.

    What a method says about a second sending stays: it is not a description.
    """
    return replace(
        protocol,
        methods=tuple(replace(method, docs="") for method in protocol.methods),
        types={
            name: replace(type_, body=rebuild(type_.body, _undescribed, _unlisted), docs="")
            for name, type_ in protocol.types.items()
        },
    )


def _undescribed(part: Part) -> Part | None:
    return replace(part, docs="")


def _unlisted(type_: Type) -> Type:
    return replace(type_, other_docs="") if isinstance(type_, OpenEnum) else type_
