"""Shapes as the JSON Schema from which datamodel-code-generator makes the right Python.

Every definition is called `<domain>.<Name>`, which the generator reads as a module and a class.
Annotations (`format`, `contentEncoding`, titles) are left out: they would change types.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeGuard

from acp_wire.models.marks import (
    DEFAULT,
    EXCLUDES,
    INTEGER,
    ON_ERROR,
    ON_NULL,
    OPEN,
    SKIP_ITEMS,
    TAG,
    VARIANTS,
)
from acpgen.emit.jsonschema import JsonSchema, limits
from acpgen.model import (
    Array,
    ClosedEnum,
    JsonValue,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Ref,
    Scalar,
    ScalarType,
    Type,
    TypeName,
    Union,
)
from acpgen.patterns import python_pattern
from acpgen.targets.models.python_shapes import Alias, Normal, Record, Shape, UnionShape
from acpgen.types.structure import is_key, references

MEMBER_MARKS = (ON_ERROR, ON_NULL, SKIP_ITEMS, DEFAULT, TAG, INTEGER)
"""The marks of a member or a union in the generated code."""

RECORD_MARKS = (EXCLUDES, OPEN, VARIANTS, TAG)
"""The marks of a class in the generated code."""

REPR = "x-repr"

REFERENCE = "#/$defs/"
"""The prefix of a reference to a definition."""

_CARRIED = "params"
"""The member that holds another method's params, in those params that carry some."""


def definitions_of(normal: Normal, carriers: Collection[TypeName] = ()) -> dict[str, JsonSchema]:
    """All shapes as definitions by name. `carriers` are the params that hold others."""
    speller = _Speller({name: domain for name, (domain, _) in normal.items()}, carriers)
    return {f"{domain}.{name}": speller.shape(shape) for name, (domain, shape) in normal.items()}


class _Speller:
    def __init__(self, domains: dict[TypeName, str], carriers: Collection[TypeName]) -> None:
        self._domains = domains
        self._carriers = carriers

    def shape(self, shape: Shape) -> JsonSchema:
        schema: JsonSchema = {"description": shape.docs} if shape.docs else {}
        match shape:
            case Record():
                return schema | self._record(shape)
            case UnionShape():
                return schema | self._choice(shape)
            case Alias(name=name, type=type_) if name in references(type_):
                return schema | self._recursive(type_)
            case Alias(type=type_):
                return schema | self._type(type_)

    def _recursive(self, type_: Type) -> JsonSchema:
        """A type that refers to itself: outside an `anyOf`, the items of an array would be lost."""
        if isinstance(type_, Nullable):
            return {"anyOf": [self._type(type_.of), {"type": "null"}]}
        return {"anyOf": [self._type(type_)]}

    def _record(self, record: Record) -> JsonSchema:
        schema: JsonSchema = {"type": "object", **self._class_parts(record)}
        if record.additional is not None and record.additional != Scalar(ScalarType.ANY):
            schema["additionalProperties"] = self._type(record.additional)
        if record.open:
            schema[OPEN] = True
        if record.excludes:
            schema[EXCLUDES] = list(record.excludes)
        return schema

    def _member(self, member: Property) -> JsonSchema:
        schema = self._type(member.type)
        if member.required and _is_constant(member.type):
            schema["default"] = member.type.values[0].value
        if member.docs:
            schema["description"] = member.docs
        if member.default is not None:
            # A real default would be written to the wire, although it was never sent.
            schema[DEFAULT] = member.default
        if is_key(member.type):
            # A malformed key is refused, never treated as absent.
            return schema
        tolerance = member.tolerance
        marks = {
            ON_ERROR: tolerance.default_on_error,
            ON_NULL: tolerance.default_on_null,
            SKIP_ITEMS: tolerance.skip_invalid_items,
        }
        return {**schema, **{mark: True for mark, is_set in marks.items() if is_set}}

    def _secrecy(self, member: Property, shape: Record | UnionShape) -> JsonSchema:
        """The mark of a key and of carried params, which may hold one: logs must not show them."""
        carried = member.name == _CARRIED and shape.name in self._carriers
        return {REPR: False} if carried or is_key(member.type) else {}

    def _choice(self, choice: UnionShape) -> JsonSchema:
        tag: JsonSchema = {} if choice.tag is None else {TAG: choice.tag}
        names = [branch.type.name for branch in choice.branches]
        if not choice.base:
            return {"anyOf": [self._ref(name) for name in names], **tag}
        schema: JsonSchema = {"type": "object", VARIANTS: [*names], **tag}
        return schema | self._class_parts(choice)

    def _class_parts(self, shape: Record | UnionShape) -> JsonSchema:
        """The bases and the members of a class."""
        schema: JsonSchema = {}
        if shape.bases:
            schema["allOf"] = [self._ref(base) for base in shape.bases]
        if shape.members:
            schema["properties"] = {
                p.name: self._member(p) | self._secrecy(p, shape) | _placeholder(p, shape)
                for p in shape.members
            }
        # The constructor may leave out a member with a single value, though the wire requires it.
        required = [
            p.name
            for p in shape.members
            if p.required and not _is_constant(p.type) and not _placeholder(p, shape)
        ]
        if required:
            schema["required"] = list(required)
        return schema

    def _ref(self, name: TypeName) -> JsonSchema:
        return {"$ref": f"{REFERENCE}{self._domains[name]}.{name}"}

    def _type(self, type_: Type) -> JsonSchema:
        match type_:
            case Ref(name=name):
                return self._ref(name)
            case Nullable(of=inner):
                return _nullable(self._type(inner))
            case Array(items=items):
                return {
                    "type": "array",
                    "items": self._type(items),
                    **limits(type_, python_pattern),
                }
            case Map(values=values):
                return {"type": "object", "additionalProperties": self._type(values)}
            case ClosedEnum():
                return {**_listed(type_), **_whole(type_)}
            case OpenEnum():
                branches: list[JsonValue] = [_listed(type_), {"type": type_.type.value}]
                return {"anyOf": branches, **_whole(type_)}
            case Union(variants=variants):
                return {"anyOf": [self._type(variant.body) for variant in variants]}
            case Scalar():
                return _scalar(type_)
            case Object():
                raise AssertionError("normalize gives every object a name")


def _placeholder(member: Property, shape: Record | UnionShape) -> JsonSchema:
    """A default for the tag of a union's class, which has no instances of its own.

    If the class required the tag, so would its variants, which have a default for it.
    """
    is_tag = isinstance(shape, UnionShape) and member.name == shape.tag and member.required
    return {"default": ""} if is_tag and not _is_constant(member.type) else {}


def _listed(enum: ClosedEnum | OpenEnum) -> JsonSchema:
    values: list[JsonValue] = [value.value for value in enum.values]
    return {"type": enum.type.value, "enum": values}


def _whole(enum: ClosedEnum | OpenEnum) -> JsonSchema:
    # In Python, a literal 5 equals 5.0.
    return {INTEGER: True} if enum.type is ScalarType.INTEGER else {}


def _scalar(scalar: Scalar) -> JsonSchema:
    if scalar.type is ScalarType.ANY:
        return {}
    # As a float alone, 1 would come back as 1.0 and integers beyond 2**53 rounded.
    number = scalar.type is ScalarType.NUMBER
    return {
        "type": ["integer", "number"] if number else scalar.type.value,
        **limits(scalar, python_pattern),
    }


def _nullable(schema: JsonSchema) -> JsonSchema:
    """A schema that also takes null; the generator keeps a list of types in one piece."""
    types = schema.get("type")
    if types is None or "enum" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [*(types if isinstance(types, list) else [types]), "null"]}


def _is_constant(type_: Type) -> TypeGuard[ClosedEnum]:
    return isinstance(type_, ClosedEnum) and len(type_.values) == 1
