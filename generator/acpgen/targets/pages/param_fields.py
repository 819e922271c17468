"""Members as a tree, for templates that write a component for each instead of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acpgen.emit.markdown import Inline, join, prose
from acpgen.model import (
    Array,
    ClosedEnum,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Stability,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.targets.pages.expressions import default, expression, limits, tolerance
from acpgen.targets.pages.site import Links
from acpgen.types.objects import flatten
from acpgen.types.wording import as_json

Above = frozenset[TypeName]
"""The types around a member. One of them is not described again inside itself."""


@dataclass(frozen=True, slots=True)
class ParamField:
    """One member: what it is, and the members of its value.

    `name`, `words` (the type) and `default` (JSON, empty without one) are plain text: write them
    with the filter `e` into an attribute of an element. `type` and `docs` are Markdown. `fields`
    has the members if the value is an object or a list of objects, `choices` the variants if it is
    one of several. A type inside itself has neither.
    """

    name: str
    words: str
    type: Inline
    required: bool
    unstable: bool
    default: str
    docs: Inline
    fields: tuple[ParamField, ...]
    choices: tuple[FieldChoice, ...]


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """One variant of a value: its name as plain text, what it is as Markdown, and its members.

    `tag` is the name of the member that selects the variant, and empty if none does.
    """

    tag: str
    name: str
    docs: Inline
    fields: tuple[ParamField, ...]


@dataclass(frozen=True, slots=True)
class FieldTree:
    """Describes the members of types on one page."""

    protocol: Protocol
    links: Links

    def fields(self, type_: Type, above: Above = frozenset()) -> tuple[ParamField, ...]:
        """The members of an object, or of the objects in a list or a map."""
        body, above = self._inside(type_, above)
        if not isinstance(body, Object):
            return ()
        members = flatten(self.protocol, body).members.values()
        return tuple(self._field(member, above) for member in members)

    def choices(self, type_: Type, above: Above = frozenset()) -> tuple[FieldChoice, ...]:
        """The variants of a value, or of the values in a list or a map."""
        body, above = self._inside(type_, above)
        match body:
            case Union():
                unions = [body]
            case Object():
                unions = flatten(self.protocol, body).unions
            case _:
                unions = []
        return tuple(self._choice(v, union, above) for union in unions for v in union.variants)

    def _field(self, member: Property, above: Above) -> ParamField:
        type_ = member.type
        docs = (
            prose(member.docs),
            *limits(type_, self.protocol),
            default(member),
            tolerance(member),
        )
        return ParamField(
            name=member.name,
            words=words(type_),
            type=expression(type_, self.links),
            required=member.required,
            unstable=member.stability is Stability.UNSTABLE,
            default="" if member.default is None else as_json(member.default),
            docs=join(docs),
            fields=self.fields(type_, above),
            choices=self.choices(type_, above),
        )

    def _choice(self, variant: Variant, union: Union, above: Above) -> FieldChoice:
        fields = (each for each in self.fields(variant.body, above) if each.name != union.tag)
        name = variant.value or ("any other" if variant.fallback else variant.title or variant.name)
        return FieldChoice(union.tag or "", name, prose(variant.docs), tuple(fields))

    def _inside(self, type_: Type, above: Above) -> tuple[Type | None, Above]:
        """The type of a value without null, lists and maps around it; None if it is above."""
        while True:
            match type_:
                case Ref(name=name):
                    if name in above:
                        return None, above
                    above |= {name}
                    type_ = self.protocol.types[name].body
                case Nullable(of=inner) | Array(items=inner) | Map(values=inner):
                    type_ = inner
                case _:
                    return type_, above


def words(type_: Type) -> str:
    """A type as plain words: `array of ContentBlock`, `string or null`."""
    match type_:
        case Nullable(of=inner):
            return f"{words(inner)} or null"
        case Array(items=items):
            return f"array of {words(items)}"
        case Map(values=Scalar(type=ScalarType.ANY)) | Object():
            return "object"
        case Map(values=values):
            return f"object with values of {words(values)}"
        case Ref(name=name):
            return name
        case Union(variants=variants):
            return " or ".join(dict.fromkeys(_variants(variants)))
        case Scalar(type=ScalarType.ANY):
            return "any"
        case Scalar() | OpenEnum() | ClosedEnum():
            return type_.type.value


def _variants(variants: tuple[Variant, ...]) -> Iterator[str]:
    for variant in variants:
        yield words(variant.body)
