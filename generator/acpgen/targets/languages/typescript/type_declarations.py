"""The types of a protocol as declarations of TypeScript, whose open unions narrow.

An object is an interface. Every variant of a union has a name, and its tag is a literal type, so
that a switch on the tag selects one of them. A fallback has a tag type that no literal is part of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from acpgen.model import (
    KEY_TYPE,
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
    TypeDef,
    TypeName,
    Union,
    Variant,
)
from acpgen.targets.languages.reader_plans import absorbed_tags
from acpgen.targets.languages.spelling import block_comment, shown
from acpgen.targets.languages.typescript import string
from acpgen.targets.languages.typescript.prettier_layout import (
    WIDTH,
    alternatives,
    intersection,
)
from acpgen.types.objects import flatten

_SCALARS = {
    ScalarType.STRING: "string",
    ScalarType.INTEGER: "number",
    ScalarType.NUMBER: "number",
    ScalarType.BOOLEAN: "boolean",
    ScalarType.NULL: "null",
    ScalarType.ANY: "unknown",
}
_OTHER_TAG = "OtherTag"
HELPERS = frozenset({"UnknownTag", _OTHER_TAG, "Requests", "Notifications", "Types"})
"""What the module of types declares besides the types of a protocol."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_comment = block_comment(80)


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """One exported type: its comment, its name, and the text from its keyword to its end."""

    name: str
    docs: str
    text: str


def quoted(name: str) -> str:
    """Return a member's name as Prettier writes it in a type or an object."""
    return name if _IDENTIFIER.fullmatch(name) else string(name)


def documented(text: str, indent: int = 0, *, unstable: bool = False) -> str:
    """Return a comment with its line end; the empty text where there is nothing to say."""
    text_ = "\n\n".join(part for part in (text.strip(), "@experimental" * unstable) if part)
    return f"{_comment(shown(text_), indent)}\n" if text_ else ""


def common(name: str) -> str:
    """Return the name of what all variants of an object with a union have."""
    return f"{name}Common"


class Declarations:
    """Declares the types of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._tags = absorbed_tags(protocol)
        self._shared: dict[TypeName, Object] = {}

    def all(self) -> Iterator[TypeDeclaration]:
        """Yield every type by its name, each with its variants before it."""
        for name in sorted(self._protocol.types):
            yield from self._definition(self._protocol.types[name])

    def names(self) -> Counter[str]:
        """How often each name is declared; more than once is too often."""
        return Counter(each.name for each in self.all())

    def _definition(self, type_: TypeDef) -> Iterator[TypeDeclaration]:
        name = type_.name
        docs = documented(type_.docs, unstable=type_.stability is Stability.UNSTABLE)
        match type_.body:
            case Object(unions=(union,)) as body:
                shared = common(name)
                self._shared[TypeName(shared)] = replace(body, unions=())
                yield self._interface(shared, "", replace(body, unions=()), None)
                yield from self._union(name, union, docs, shared)
            case Union() as union:
                yield from self._union(name, union, docs, None)
            case Object(unions=()) as body:
                yield self._interface(name, docs, body, self._tags.get(name))
            case Scalar(type=ScalarType.STRING) if name == KEY_TYPE:
                yield TypeDeclaration(name, "", f"export type {{ {name} }};")
            case body:
                yield _alias(name, docs, self._parts(body, 0))

    def _union(
        self, name: TypeName, union: Union, docs: str, shared: str | None
    ) -> Iterator[TypeDeclaration]:
        """The variants that are not types themselves, then the union of all."""
        for variant in union.variants:
            if variant.name in self._protocol.types:
                continue
            unstable = variant.stability is Stability.UNSTABLE
            yield self._variant(variant, union, documented(variant.docs, unstable=unstable), shared)
        yield _alias(name, docs, [self._named(v, union, shared) for v in union.variants])

    def _named(self, variant: Variant, union: Union, shared: str | None) -> str:
        """A variant in the list of its union."""
        if variant.name not in self._protocol.types or variant.name in self._tags:
            return variant.name
        return self._intersection(variant, union, shared, 2)

    def _variant(
        self, variant: Variant, union: Union, docs: str, shared: str | None
    ) -> TypeDeclaration:
        bases = [] if shared is None else [Ref(TypeName(shared))]
        tag = None if union.tag is None else (union.tag, variant.value)
        match variant.body:
            case Object(unions=()) as body if self._agree(bases, body):
                body = replace(body, bases=(*bases, *body.bases))
                return self._interface(variant.name, docs, body, tag, open_=variant.fallback)
            case Ref() as ref if variant.value is not None and self._is_interface(ref):
                body = Object(bases=(*bases, ref))
                if self._agree((), body):
                    return self._interface(variant.name, docs, body, tag)
        text = self._intersection(variant, union, shared, 0)
        return _alias(variant.name, docs, [text])

    def _intersection(self, variant: Variant, union: Union, shared: str | None, indent: int) -> str:
        """A variant that no interface can be: all of its parts at once."""
        tag = None if union.tag is None else (union.tag, variant.value)
        parts = [] if shared is None else [shared]
        match variant.body:
            case Object() as body if variant.fallback:
                parts.append(self._members(body, tag, indent, open_=True))
                parts += [base.name for base in body.bases]
                parts += [f"({self._type(part, indent)})" for part in body.unions]
            case body:
                inner = self._type(body, indent)
                parts.append(f"({inner})" if " | " in inner else inner)
                if variant.value is not None:
                    parts.append(self._members(Object(), tag, indent))
        return intersection(parts)

    def _is_interface(self, ref: Ref) -> bool:
        body = self._protocol.types[ref.name].body
        return isinstance(body, Object) and not body.unions

    def _agree(self, bases: Sequence[Ref], body: Object) -> bool:
        """True if an interface can have members of all these at once."""
        objects = [replace(body, bases=())]
        for part in (*bases, *body.bases):
            found = self._shared.get(part.name) or self._protocol.types[part.name].body
            if not isinstance(found, Object):
                return False
            objects.append(found)
        seen: dict[str, Property] = {}
        for each in objects:
            flat = flatten(self._protocol, replace(each, unions=()))
            if not flat.exact:
                return False
            for member in flat.members.values():
                known = seen.setdefault(member.name, member)
                if (known.type, known.required) != (member.type, member.required):
                    return False
        return True

    def _interface(
        self,
        name: str,
        docs: str,
        body: Object,
        tag: tuple[str, str | None] | None,
        *,
        open_: bool = False,
    ) -> TypeDeclaration:
        members = self._members(body, tag, 0, open_=open_)
        head = f"export interface {name}"
        if not body.bases:
            return TypeDeclaration(name, docs, f"{head} {members}")
        bases = [base.name for base in body.bases]
        line = f"{head} extends {', '.join(bases)} {{"
        if len(bases) == 1 or len(line) <= WIDTH:
            return TypeDeclaration(name, docs, f"{line[:-1]}{members}")
        line = f"  extends {', '.join(bases)} {{"
        if len(line) > WIDTH:
            listed = "".join(f"    {base},\n" for base in bases)[:-2]
            line = f"  extends\n{listed} {{"
        return TypeDeclaration(name, docs, f"{head}\n{line[:-1]}{members}")

    def _members(
        self,
        body: Object,
        tag: tuple[str, str | None] | None,
        indent: int,
        *,
        open_: bool = False,
    ) -> str:
        """The members of an object in braces, the tag first."""
        pad = " " * (indent + 2)
        lines = []
        if tag is not None:
            literal = _OTHER_TAG if tag[1] is None else string(tag[1])
            lines.append(f"{pad}{quoted(tag[0])}: {literal};\n")
        others = (m for m in body.properties if tag is None or m.name != tag[0])
        lines += [self._member(member, indent + 2) for member in others]
        empty = not (lines or body.bases or body.unions)
        if open_ or body.additional is not None or empty:
            listed = open_ or bool(body.properties) or body.additional is None
            value = "unknown" if listed else self._type(body.additional or _NOTHING, indent + 2)
            lines.append(f"{pad}[member: string]: {value};\n")
        return f"{{\n{''.join(lines)}{' ' * indent}}}" if lines else "{}"

    def _member(self, member: Property, indent: int) -> str:
        docs = documented(member.docs, indent, unstable=member.stability is Stability.UNSTABLE)
        head = f"{' ' * indent}{quoted(member.name)}{'' if member.required else '?'}:"
        parts = self._parts(member.type, indent)
        return f"{docs}{head}{alternatives(parts, indent, len(head))}\n"

    def _type(self, type_: Type, indent: int) -> str:
        return " | ".join(self._parts(type_, indent))

    def _parts(self, type_: Type, indent: int) -> list[str]:
        """The alternatives of a type."""
        match type_:
            case Scalar() | OpenEnum() | ClosedEnum():
                return _plain_parts(type_)
            case Ref(name=name):
                return [name]
            case Nullable(of=inner):
                parts = self._parts(inner, indent)
                return parts if "unknown" in parts else [*parts, "null"]
            case Array(items=items):
                item = self._type(items, indent)
                return [f"({item})[]" if " " in item else f"{item}[]"]
            case Map(values=values):
                return [f"{{ [member: string]: {self._type(values, indent)} }}"]
            case Object():
                return [self._whole(type_, indent)]
            case Union() as union:
                return [self._intersection(v, union, None, indent) for v in union.variants]

    def _whole(self, body: Object, indent: int) -> str:
        """An object without a name."""
        if body == Object():
            return "{ [member: string]: unknown }"
        parts: list[str] = [base.name for base in body.bases]
        if body.properties or body.additional is not None:
            parts.append(self._members(body, None, indent))
        parts += [f"({self._type(union, indent)})" for union in body.unions]
        return " & ".join(parts)


def _plain_parts(type_: Scalar | OpenEnum | ClosedEnum) -> list[str]:
    match type_:
        case Scalar(type=scalar):
            return [_SCALARS[scalar]]
        case OpenEnum(type=scalar, values=values):
            known = [_literal(each.value) for each in values]
            return [*known, f"({_SCALARS[scalar]} & {{}})"]
        case ClosedEnum(values=values):
            return [_literal(each.value) for each in values]


_NOTHING = Scalar(ScalarType.ANY)


def _literal(value: str | int) -> str:
    return string(value) if isinstance(value, str) else str(value)


def _alias(name: str, docs: str, parts: Sequence[str]) -> TypeDeclaration:
    head = f"export type {name} ="
    return TypeDeclaration(name, docs, f"{head}{alternatives(parts, 0, len(head))}")
