"""The protocol as frozen types, which every layer above the loader works on.

Names are final here: the name of a union variant is that of its union plus its tag value. So it
keeps its name when its siblings are reordered, and no generator has to invent one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NewType

from acp_wire.reader import JsonValue as JsonValue
from acpgen.sides import META as META
from acpgen.sides import SENDS as SENDS
from acpgen.sides import Kind as Kind
from acpgen.sides import Side as Side

TypeName = NewType("TypeName", str)
MethodName = NewType("MethodName", str)
Pointer = NewType("Pointer", str)
"""An RFC 6901 JSON Pointer; the empty string is the whole document."""


class Stability(StrEnum):
    """The stability of a part of the protocol. An unstable one may change without notice."""

    STABLE = "stable"
    UNSTABLE = "unstable"


class RetryClass(StrEnum):
    """The effect of sending a message again: the four classes of the RFD and two deferrals."""

    IDEMPOTENT = "idempotent"
    KEYED = "keyed"
    DUPLICATING = "duplicating"
    NOT_RETRIED = "not_retried"
    CARRIED = "carried"
    EXTERNAL = "external"


class ScalarType(StrEnum):
    """The JSON types without parts, and ANY for a schema that accepts every value."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    ANY = "any"


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a schema file: its path as given to the loader, and a pointer into it."""

    file: str
    pointer: Pointer = Pointer("")

    def at(self, *tokens: str | int) -> Location:
        """The place below this one that the reference tokens lead to."""
        return Location(self.file, append(self.pointer, *tokens))


def append(pointer: Pointer, *tokens: str | int) -> Pointer:
    """Extend a pointer by reference tokens, escaped as RFC 6901 section 3 asks."""
    escaped = (str(token).replace("~", "~0").replace("/", "~1") for token in tokens)
    return Pointer("/".join((pointer, *escaped)))


@dataclass(frozen=True, slots=True)
class Scalar:
    """A JSON value without parts. Lengths count Unicode code points; bounds are inclusive."""

    type: ScalarType
    format: str | None = None
    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    content_encoding: str | None = None


ANY = Scalar(ScalarType.ANY)
"""The type of every value."""

NULL = Scalar(ScalarType.NULL)
"""The type of null."""


@dataclass(frozen=True, slots=True)
class Array:
    """A JSON array whose elements are all of one type."""

    items: Type
    min_items: int | None = None
    max_items: int | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """A JSON object used as a dictionary."""

    values: Type


@dataclass(frozen=True, slots=True)
class Ref:
    """A named type. As the whole body of a definition, an alias."""

    name: TypeName


@dataclass(frozen=True, slots=True)
class Nullable:
    """The type it wraps, or null."""

    of: Type


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The ways in which receivers accept a malformed value (x-deserialize-*)."""

    default_on_error: bool = False
    default_on_null: bool = False
    skip_invalid_items: bool = False

    def __bool__(self) -> bool:
        return self.default_on_error or self.default_on_null or self.skip_invalid_items


@dataclass(frozen=True, slots=True)
class Property:
    """One member of an object. `default` is JSON, or None where the schema gives none."""

    name: str
    type: Type
    required: bool
    docs: str
    location: Location
    stability: Stability = Stability.STABLE
    tolerance: Tolerance = Tolerance()
    default: JsonValue = None


@dataclass(frozen=True, slots=True)
class Object:
    """A JSON object: its own members, the types it also is (`bases`), the unions it must satisfy.

    `additional` is the type of the members that are not listed where the schema states one;
    objects are open either way.
    """

    properties: tuple[Property, ...] = ()
    bases: tuple[Ref, ...] = ()
    unions: tuple[Union, ...] = ()
    additional: Type | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """One branch of a union.

    `value` is the tag value that selects it; a `fallback` takes every tag value that no sibling
    names. `body` leaves out the tag of a variant that has a value.
    """

    name: TypeName
    body: Type
    docs: str
    location: Location
    title: str | None = None
    value: str | None = None
    fallback: bool = False
    stability: Stability = Stability.STABLE


@dataclass(frozen=True, slots=True)
class Union:
    """A choice of variants. The member `tag`, if there is one, selects the variant."""

    variants: tuple[Variant, ...]
    tag: str | None = None
    exclusive: bool = False

    @property
    def known(self) -> tuple[str, ...]:
        """The tag values that a variant names, in order."""
        return tuple(v.value for v in self.variants if v.value is not None)


@dataclass(frozen=True, slots=True)
class EnumValue:
    """One value of an enumeration."""

    value: str | int
    docs: str
    location: Location
    title: str | None = None
    stability: Stability = Stability.STABLE


@dataclass(frozen=True, slots=True)
class OpenEnum:
    """Known values of a scalar type that also takes every other value of that type."""

    type: Literal[ScalarType.STRING, ScalarType.INTEGER]
    values: tuple[EnumValue, ...]
    other_title: str | None
    other_docs: str
    format: str | None = None


@dataclass(frozen=True, slots=True)
class ClosedEnum:
    """The only values that are accepted."""

    type: Literal[ScalarType.STRING, ScalarType.INTEGER]
    values: tuple[EnumValue, ...]


Type = Scalar | Array | Map | Ref | Nullable | Object | Union | OpenEnum | ClosedEnum


@dataclass(frozen=True, slots=True)
class TypeDef:
    """A named type.

    `stability` counts what only unstable parts reach as unstable; `marked_unstable` is the type's
    own mark. `method` and `side` are set on the params and the result of a method.
    """

    name: TypeName
    body: Type
    docs: str
    domain: str
    location: Location
    title: str | None = None
    stability: Stability = Stability.STABLE
    patch: bool = False
    examples: tuple[JsonValue, ...] = ()
    method: MethodName | None = None
    side: Side | None = None
    marked_unstable: bool = False


@dataclass(frozen=True, slots=True)
class MethodError:
    """A JSON-RPC error that a request can get: its code, and a sentence on when."""

    code: int
    when: str


@dataclass(frozen=True, slots=True)
class Method:
    """One method in one kind. `mcp/message` as a request and as a notification are two.

    `key` is the member of params that holds the idempotency key, `carries` the method whose class
    a carried method always takes (None when the params name it), `page` the slug of the guide that
    describes the method further. `errors` are those beyond what any request can meet, as listed.

    A late copy of this message would undo a newer request of the methods in `undoes` about the same
    thing, that is, with equal values of the members of params in `about`.
    """

    name: MethodName
    kind: Kind
    side: Side
    stability: Stability
    params: TypeName
    result: TypeName | None
    retry: RetryClass | None
    resend: str
    docs: str
    location: Location
    key: str | None = None
    carries: MethodName | None = None
    page: str | None = None
    errors: tuple[MethodError, ...] = ()
    undoes: tuple[MethodName, ...] = ()
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaRelease:
    """The newest release of a schema: its version, and the entries of the changelog in Markdown."""

    version: str = "0.0.0"
    changelog: str = ""


@dataclass(frozen=True, slots=True)
class Protocol:
    """A whole protocol: methods by name and kind, types by domain and name.

    `release` is the newest release of its schema, after which packages are numbered.
    """

    title: str
    version: int | None
    methods: tuple[Method, ...]
    types: Mapping[TypeName, TypeDef]
    source: str = field(default="", compare=False)
    release: SchemaRelease = field(default=SchemaRelease(), compare=False)

    def method(self, name: str, kind: Kind) -> Method | None:
        """The method of that name and kind, or None."""
        return next((m for m in self.methods if m.name == name and m.kind is kind), None)

    @property
    def domains(self) -> tuple[str, ...]:
        """The names of the domains, sorted."""
        return tuple(sorted({t.domain for t in self.types.values()}))

    @property
    def error_codes(self) -> Mapping[int, EnumValue]:
        """The error codes that the schema names, with their descriptions."""
        type_ = self.types.get(ERROR_CODE)
        body = None if type_ is None else self.resolve(type_.body)
        values = body.values if isinstance(body, OpenEnum | ClosedEnum) else ()
        return {value.value: value for value in values if isinstance(value.value, int)}

    def resolve(self, type_: Type) -> Type:
        """Follow references until something that isn't one."""
        while isinstance(type_, Ref):
            type_ = self.types[type_.name].body
        return type_


KEY = "idempotencyKey"
"""The name of an idempotency key in params."""

KEY_TYPE = TypeName("IdempotencyKey")
"""The type that makes a member of params the idempotency key of its method."""

ERROR_CODE = TypeName("ErrorCode")
"""The enumeration of the error codes."""

ENVELOPE_TYPES = tuple(
    TypeName(name)
    for name in ("RequestId", "Error", "ExtRequest", "ExtResponse", "ExtNotification")
)
"""The definitions that the derived JSON-RPC envelope refers to."""
