"""Types of the model as JSON Schema 2020-12 again, in one canonical spelling."""

from __future__ import annotations

from collections.abc import Callable

from acpgen.model import (
    ANY,
    Array,
    ClosedEnum,
    EnumValue,
    JsonValue,
    Map,
    Method,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Ref,
    Scalar,
    ScalarType,
    Stability,
    Type,
    TypeDef,
    Union,
    Variant,
)
from acpgen.patterns import portable
from acpgen.types.objects import with_tag

JsonSchema = dict[str, JsonValue]

_UNSTABLE: JsonSchema = {"x-stability": "unstable"}
_FOR_ALL_TYPES = {"$ref", "const", "enum", "not", "if", "allOf", "anyOf", "oneOf"}
"""Keywords that restrict null, too; all others are about the values of one type."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def definition(type_: TypeDef, method: Method | None = None) -> JsonSchema:
    """A named type as the schema under its name in `$defs`.

    `method` is the method whose params the type is, None for any other type.
    """
    head = _with({}, title=type_.title, description=type_.docs or None)
    if type_.method is not None and type_.side is not None:
        head |= {"x-method": type_.method, "x-side": type_.side.value}
    if method is not None and method.retry is not None:
        head |= {"x-retry-class": method.retry.value, "x-resend": method.resend}
        head = _with(head, **{"x-docs": method.page, "x-undoes": undoes(method)})
    if method is not None and method.errors:
        head["x-errors"] = [{"code": error.code, "when": error.when} for error in method.errors]
    if type_.marked_unstable:
        head |= _UNSTABLE
    if type_.patch:
        head["x-patch"] = True
    schema = head | schema_of(type_.body)
    if type_.examples:
        schema["examples"] = list(type_.examples)
    return schema


def undoes(method: Method) -> JsonSchema | None:
    """Return what a late copy of a method undoes, as the annotation x-undoes; None for nothing."""
    if not method.undoes:
        return None
    return {"methods": [*method.undoes], "about": [*method.about]}


def schema_of(type_: Type) -> JsonSchema:
    """Any type as a JSON Schema; references stay references."""
    match type_:
        case Scalar():
            return _scalar(type_)
        case Ref(name=name):
            return {"$ref": f"#/$defs/{name}"}
        case Nullable(of=inner):
            return nullable(schema_of(inner))
        case Array():
            array: JsonSchema = {"type": "array", "items": schema_of(type_.items)}
            return array | limits(type_, portable)
        case Map(values=values):
            return {"type": "object", "additionalProperties": _open(values)}
        case Object():
            return object_schema(type_)
        case Union():
            return _union(type_)
        case OpenEnum():
            other = _with({}, title=type_.other_title, description=type_.other_docs or None)
            other |= _with({"type": type_.type.value}, format=type_.format)
            known = [_value(type_.type, value, type_.format) for value in type_.values]
            return {"anyOf": [*known, other]}
        case ClosedEnum():
            listed = [_value(type_.type, value, None) for value in type_.values]
            plain = len(listed) == 1 and not type_.values[0].docs
            return listed[0] if plain else {"oneOf": [*listed]}


def nullable(schema: JsonSchema) -> JsonSchema:
    """A schema that also takes null: a list of types where possible, `anyOf` otherwise."""
    if isinstance(schema.get("type"), str) and not schema.keys() & _FOR_ALL_TYPES:
        return {
            "type": [schema["type"], "null"],
            **{k: v for k, v in schema.items() if k != "type"},
        }
    return {"anyOf": [schema, {"type": "null"}]}


def limits(type_: Scalar | Array, spelled: Callable[[str], str]) -> JsonSchema:
    """The keywords that limit the values of a type. `spelled` spells a pattern for a reader."""
    if isinstance(type_, Array):
        return _with({}, minItems=type_.min_items, maxItems=type_.max_items)
    return _with(
        {},
        pattern=None if type_.pattern is None else spelled(type_.pattern),
        minLength=type_.min_length,
        maxLength=type_.max_length,
        minimum=type_.minimum,
        maximum=type_.maximum,
    )


def guard(union: Union) -> JsonSchema:
    """The schema that a fallback must not match: an object with a known tag value."""
    tag = union.tag or ""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {tag: {"type": "string", "const": value}},
                "required": [tag],
            }
            for value in union.known
        ]
    }


def _scalar(scalar: Scalar) -> JsonSchema:
    head: JsonSchema = {} if scalar.type is ScalarType.ANY else {"type": scalar.type.value}
    head = _with(head, format=scalar.format, contentEncoding=scalar.content_encoding)
    return head | limits(scalar, portable)


def _with(schema: JsonSchema, **keywords: JsonValue) -> JsonSchema:
    return schema | {key: value for key, value in keywords.items() if value is not None}


def _open(values: Type) -> JsonValue:
    return True if values == ANY else schema_of(values)


def object_schema(object_: Object) -> JsonSchema:
    """An object with its own members, bases and unions."""
    schema: JsonSchema = {"type": "object"}
    if object_.properties:
        schema["properties"] = {p.name: property_schema(p) for p in object_.properties}
    if required := [p.name for p in object_.properties if p.required]:
        schema["required"] = list(required)
    schema |= _composed(object_.bases, object_.unions)
    if object_.additional is not None:
        schema["additionalProperties"] = _open(object_.additional)
    return schema


def _composed(bases: tuple[Ref, ...], unions: tuple[Union, ...]) -> JsonSchema:
    schema: JsonSchema = {}
    if bases:
        schema["allOf"] = [schema_of(base) for base in bases]
    for union in unions:
        schema |= _union(union)
    return schema


def property_schema(property_: Property) -> JsonSchema:
    """A member with its description and what its receivers tolerate."""
    head: JsonSchema = {"description": property_.docs} if property_.docs else {}
    schema = head | schema_of(property_.type)
    if property_.stability is Stability.UNSTABLE:
        schema |= _UNSTABLE
    if property_.default is not None:
        schema["default"] = property_.default
    tolerance = property_.tolerance
    marks = {
        "x-deserialize-default-on-error": tolerance.default_on_error,
        "x-deserialize-default-on-null": tolerance.default_on_null,
        "x-deserialize-skip-invalid-items": tolerance.skip_invalid_items,
    }
    return schema | {mark: True for mark, is_set in marks.items() if is_set}


def _value(type_: ScalarType, value: EnumValue, format_: str | None) -> JsonSchema:
    head = _with({}, title=value.title, description=value.docs or None)
    if value.stability is Stability.UNSTABLE:
        head |= _UNSTABLE
    return head | _with({"type": type_.value}, format=format_) | {"const": value.value}


def _union(union: Union) -> JsonSchema:
    keyword = "oneOf" if union.exclusive else "anyOf"
    return {keyword: [_variant(variant, union) for variant in union.variants]}


def _variant(variant: Variant, union: Union) -> JsonSchema:
    head = _with({}, title=variant.title, description=variant.docs or None)
    if variant.stability is Stability.UNSTABLE:
        head |= _UNSTABLE
    schema = head | schema_of(with_tag(variant, union.tag))
    if variant.fallback and union.known:
        schema["not"] = guard(union)
    return schema
