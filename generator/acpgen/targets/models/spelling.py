"""Shapes as the JSON Schema that datamodel-code-generator turns into the right Python.

Every definition is called `<domain>.<Name>`, which the generator reads as a module and a class.
What is an annotation only (`format`, `contentEncoding`, titles) stays away: it would change types.
"""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.emit.jsonschema import DIALECT, JsonSchema
from acpgen.model import (
    KEY_TYPE,
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
from acpgen.targets.models.normal import Alias, Choice, Normal, Record, Shape

ON_ERROR = "x-deserialize-default-on-error"
ON_NULL = "x-deserialize-default-on-null"
SKIP_ITEMS = "x-deserialize-skip-invalid-items"
DEFAULT = "x-default"
TAG = "x-tag"
MEMBER_MARKS = (ON_ERROR, ON_NULL, SKIP_ITEMS, DEFAULT, TAG)
"""What the generated code says about a member or a choice besides its type."""

EXCLUDES = "x-excludes"
OPEN = "x-open"
RECORD_MARKS = (EXCLUDES, OPEN)
"""What the generated code says about a class besides its members."""

REPR = "x-repr"


def spell(normal: Normal) -> JsonSchema:
    """All shapes as one schema without a root."""
    speller = _Speller({name: domain for name, (domain, _) in normal.items()})
    definitions: JsonSchema = {
        f"{domain}.{name}": speller.shape(shape) for name, (domain, shape) in normal.items()
    }
    return {"$schema": DIALECT, "$defs": definitions}


class _Speller:
    def __init__(self, domains: dict[TypeName, str]) -> None:
        self._domains = domains

    def shape(self, shape: Shape) -> JsonSchema:
        schema: JsonSchema = {"description": shape.docs} if shape.docs else {}
        match shape:
            case Record():
                return schema | self._record(shape)
            case Choice():
                return schema | self._choice(shape)
            case Alias(type=type_):
                return schema | self._type(type_)

    def _record(self, record: Record) -> JsonSchema:
        schema: JsonSchema = {"type": "object"}
        if record.bases:
            schema["allOf"] = [self._ref(base) for base in record.bases]
        if record.members:
            schema["properties"] = {p.name: self._member(p) for p in record.members}
        if required := [p.name for p in record.members if p.required]:
            schema["required"] = list(required)
        if record.additional is not None and record.additional != Scalar(ScalarType.ANY):
            schema["additionalProperties"] = self._type(record.additional)
        if record.open:
            schema[OPEN] = True
        if record.excludes:
            schema[EXCLUDES] = list(record.excludes)
        return schema

    def _member(self, member: Property) -> JsonSchema:
        schema = self._type(member.type)
        if member.docs:
            schema["description"] = member.docs
        if member.default is not None:
            # As a default proper it would be written to the wire though nobody sent it.
            schema[DEFAULT] = member.default
        if _is_key(member.type):
            # A malformed key is refused, never taken for an absent one; and it isn't for logs.
            return {**schema, REPR: False}
        tolerance = member.tolerance
        marks = {
            ON_ERROR: tolerance.default_on_error,
            ON_NULL: tolerance.default_on_null,
            SKIP_ITEMS: tolerance.skip_invalid_items,
        }
        return {**schema, **{mark: True for mark, is_set in marks.items() if is_set}}

    def _choice(self, choice: Choice) -> JsonSchema:
        schema: JsonSchema = {"anyOf": [self._ref(branch.type.name) for branch in choice.branches]}
        return schema if choice.tag is None else {**schema, TAG: choice.tag}

    def _ref(self, name: TypeName) -> JsonSchema:
        return {"$ref": f"#/$defs/{self._domains[name]}.{name}"}

    def _type(self, type_: Type) -> JsonSchema:
        match type_:
            case Ref(name=name):
                return self._ref(name)
            case Nullable(of=inner):
                return _nullable(self._type(inner))
            case Array(items=items):
                limits: JsonSchema = {"minItems": type_.min_items, "maxItems": type_.max_items}
                return {"type": "array", "items": self._type(items), **_given(limits)}
            case Map(values=values):
                return {"type": "object", "additionalProperties": self._type(values)}
            case ClosedEnum():
                return _listed(type_)
            case OpenEnum():
                return {"anyOf": [_listed(type_), {"type": type_.type.value}]}
            case Union(variants=variants):
                return {"anyOf": [self._type(variant.body) for variant in variants]}
            case Scalar():
                return _scalar(type_)
            case Object():
                raise AssertionError("normalize gives every object a name")


def _listed(enum: ClosedEnum | OpenEnum) -> JsonSchema:
    values: list[JsonValue] = [value.value for value in enum.values]
    return {"type": enum.type.value, "enum": values}


def _scalar(scalar: Scalar) -> JsonSchema:
    if scalar.type is ScalarType.ANY:
        return {}
    # As a float alone, 1 would come back as 1.0 and integers beyond 2**53 rounded.
    number = scalar.type is ScalarType.NUMBER
    limits = {
        "pattern": scalar.pattern,
        "minLength": scalar.min_length,
        "maxLength": scalar.max_length,
        "minimum": scalar.minimum,
        "maximum": scalar.maximum,
    }
    return {"type": ["integer", "number"] if number else scalar.type.value, **_given(limits)}


def _nullable(schema: JsonSchema) -> JsonSchema:
    """A schema that takes null besides; as a list of types the generator keeps it in one piece."""
    types = schema.get("type")
    if types is None or "enum" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [*(types if isinstance(types, list) else [types]), "null"]}


def _given(schema: Mapping[str, JsonValue]) -> JsonSchema:
    return {keyword: value for keyword, value in schema.items() if value is not None}


def _is_key(type_: Type) -> bool:
    inner = type_.of if isinstance(type_, Nullable) else type_
    return inner == Ref(KEY_TYPE)
