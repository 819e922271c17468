"""The content of a type: tables of members, variants and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from acpgen.emit.markdown import Inline, code, first_sentence, join, prose, strong, table, text
from acpgen.model import (
    ANY,
    META,
    ClosedEnum,
    EnumValue,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Stability,
    Type,
    Union,
    Variant,
)
from acpgen.targets.pages.expressions import default, expression, limits, tolerance
from acpgen.targets.pages.site import Links
from acpgen.types.objects import flatten

UNSTABLE = strong(Inline("Unstable."))
"""The mark of what may still change."""

_MEMBERS = (Inline("Member"), Inline("Type"), Inline("Required"), Inline("Description"))


@dataclass(frozen=True, slots=True)
class Bodies:
    """Describes the bodies of types on one page."""

    protocol: Protocol
    links: Links

    def blocks(self, type_: Type) -> list[str]:
        """A body as Markdown blocks: paragraphs and tables."""
        match type_:
            case Object():
                return list(self._object(type_))
            case Union():
                return list(self._union(type_))
            case OpenEnum() | ClosedEnum():
                return [*_values(type_)]
            case Ref():
                return [f"The same as {expression(type_, self.links)}."]
            case _:
                what = f"Type: {expression(type_, self.links)}."
                return [join([Inline(what), *limits(type_, self.protocol)])]

    def _object(self, object_: Object) -> Iterator[str]:
        members = flatten(self.protocol, object_).members.values()
        if members:
            yield self._member_table(members)
        elif not object_.unions:
            yield "An object that needs no members."
        for union in object_.unions:
            yield from self._union(union, "And one" if members else "One")
        if object_.additional is not None:
            anything = object_.additional == ANY
            of = "" if anything else f" with values of {expression(object_.additional, self.links)}"
            yield f"Members of other names are allowed{of}."

    def _member_table(self, members: Iterable[Property]) -> str:
        return table(_MEMBERS, (self._member_row(member) for member in members))

    def _member_row(self, member: Property) -> tuple[Inline, ...]:
        described = join(
            (
                _mark(member.stability),
                prose(member.docs),
                *limits(member.type, self.protocol),
                default(member),
                tolerance(member),
            )
        )
        required = Inline("yes" if member.required else "no")
        return (code(member.name), expression(member.type, self.links), required, described)

    def _union(self, union: Union, one: str = "One") -> Iterator[str]:
        marks = f", distinguished by {code(union.tag)}" if union.tag is not None else ""
        yield f"{one} of these{marks}:"
        first = Inline("Variant") if union.tag is None else code(union.tag)
        head = (first, Inline("Type"), Inline("Description"))
        yield table(head, (self._variant_row(variant, union.tag) for variant in union.variants))
        for variant in union.variants:
            if rest := self._rest(variant.body, union.tag):
                subject = "Any other value" if variant.fallback else _label(variant)
                if rest.properties:
                    yield f"{subject} comes with:"
                    yield self._member_table(rest.properties)
                for inner in rest.unions:
                    also = " besides" if rest.properties else ""
                    yield from self._union(inner, f"{subject} comes{also} with one")

    def _variant_row(self, variant: Variant, tag: str | None) -> tuple[Inline, ...]:
        docs = prose(variant.docs) or self._summary(variant.body)
        what = self._variant_type(variant, tag)
        return (_label(variant), what, join((_mark(variant.stability), docs)))

    def _variant_type(self, variant: Variant, tag: str | None) -> Inline:
        if not isinstance(variant.body, Object):
            return expression(variant.body, self.links)
        if self._rest(variant.body, tag):
            return Inline("see below")
        return Inline("any members" if variant.fallback else "no members of its own")

    def _summary(self, body: Type) -> Inline:
        """The first sentence about the type that a variant is."""
        docs = self.protocol.types[body.name].docs if isinstance(body, Ref) else ""
        return prose(first_sentence(docs))

    def _rest(self, body: Type, tag: str | None) -> Object | None:
        """The members of a variant besides its tag, if no named type lists them."""
        if not isinstance(body, Object):
            return None
        members = tuple(m for m in flatten(self.protocol, body).members.values() if m.name != tag)
        if not body.unions and all(member.name == META for member in members):
            return None
        return Object(members, unions=body.unions)


def _label(variant: Variant) -> Inline:
    if variant.value is not None:
        return code(variant.value)
    return Inline("any other") if variant.fallback else text(variant.title or variant.name)


def _values(enum: OpenEnum | ClosedEnum) -> Iterator[str]:
    format_ = enum.format if isinstance(enum, OpenEnum) else None
    noted = "" if format_ is None else f" ({code(format_)})"
    closed = ", one of these and no other" if isinstance(enum, ClosedEnum) else ""
    yield f"Type: {code(enum.type.value)}{noted}{closed}."
    named = any(value.title is not None for value in enum.values)
    head = [Inline("Value"), *([Inline("Name")] if named else []), Inline("Meaning")]
    rows = [
        [
            code(str(value.value)),
            *([text(value.title or "")] if named else []),
            join((_mark(value.stability), _meaning(value))),
        ]
        for value in enum.values
    ]
    if isinstance(enum, OpenEnum):
        other = prose(enum.other_docs or "A value that this version of the protocol does not name.")
        rows.append(
            [Inline("any other"), *([text(enum.other_title or "")] if named else []), other]
        )
    yield table(head, rows)


def _meaning(value: EnumValue) -> Inline:
    """The meaning of a value, without its name at the start, which has its own column."""
    meaning = value.docs.removeprefix(f"{value.title}: ")
    return prose(meaning[:1].upper() + meaning[1:])


def _mark(stability: Stability) -> Inline:
    return UNSTABLE if stability is Stability.UNSTABLE else Inline("")
