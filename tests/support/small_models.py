"""Protocols of a few types, to make models of."""

from __future__ import annotations

from acpgen.model import (
    Object,
    Property,
    Protocol,
    Scalar,
    ScalarType,
    Type,
    TypeDef,
    TypeName,
    Variant,
)
from whole_schema import whole_schema

PROTOCOL = whole_schema()
STRING = Scalar(ScalarType.STRING)


def small(**bodies: Type) -> Protocol:
    """A protocol of a few types and no methods."""
    place = PROTOCOL.types[TypeName("PromptRequest")].location
    types = {
        TypeName(name): TypeDef(TypeName(name), body, "", "things", place.at(name))
        for name, body in bodies.items()
    }
    return Protocol("Small", 2, (), types, source="small")


def an_object(**members: Type) -> Object:
    place = PROTOCOL.types[TypeName("PromptRequest")].location
    return Object(
        tuple(
            Property(name, type_, required=True, docs="", location=place.at(name))
            for name, type_ in members.items()
        )
    )


def variant(name: str, body: Type, value: str | None = None) -> Variant:
    place = PROTOCOL.types[TypeName("PromptRequest")].location
    return Variant(TypeName(name), body, "", place.at("anyOf", name), value=value)
