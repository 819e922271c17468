"""Combinations of keywords that no type of the model represents.

JSON Schema allows any keyword beside any other. What a type can't hold would silently lose a part
of its meaning, so it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from acpgen.load.schema_limits import SchemaLimits, advice
from acpgen.load.schema_text import RawSchema
from acpgen.model import Map, Nullable, Object, Ref, Type, TypeDef, TypeName, Union
from acpgen.types.structure import walk

ANNOTATIONS = frozenset({"title", "description", "default", "examples", "discriminator"})
"""The keywords that don't restrict instances."""

SHAPE = frozenset({"properties", "required", "allOf", "anyOf", "oneOf", "additionalProperties"})
"""The keywords of objects, and those that combine schemas."""

_CHOICES = frozenset({"anyOf", "oneOf"})
_MEMBERS = SHAPE - _CHOICES - {"allOf"}
_LISTS = frozenset({"enum", "const"})
_LISTED = _LISTS | {"type", "format"}
_ARRAY = frozenset({"type", "items", "minItems", "maxItems"})
_OBJECT = SHAPE | {"type", "$ref", "not"}
_LIMITS = frozenset({"pattern", "minLength", "maxLength", "minimum", "maximum"})
_SCALAR = _LIMITS | {"type", "format", "contentEncoding"}
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")

_LARGEST = 2**31 - 1
"""The most that every language counts characters and items to."""


def complaint(schema: RawSchema) -> str | None:
    """Why no type represents a schema; None if one does."""
    keywords = {
        keyword
        for keyword in schema.keys() - ANNOTATIONS - {"unevaluatedProperties"}
        if not keyword.startswith("x-")
    }
    understood = _companions(schema, keywords)
    if extra := keywords - understood:
        kept = keywords & understood
        what = f"combines {_list(kept)} with {_list(extra)}" if kept else f"has only {_list(extra)}"
        return f"{what}; no type represents that"
    if "default" in schema and schema["default"] is None:
        return "has the default null, which has the same meaning as no default; remove it"
    if keywords & _LISTS:
        return _list_complaint(schema)
    for keyword in _COUNTS:
        if (count := schema.get(keyword, 0)) > _LARGEST:
            return f"has a {keyword} that is too large to count to; at most {_LARGEST} is"
        if isinstance(count, float):
            return f"has {keyword} {count}; write {int(count)}"
    shape = keywords & SHAPE
    if _plain_type(schema) != "object" and (shape & _MEMBERS or (shape and "type" in keywords)):
        return f"has {_list(shape)}, but not the type object"
    missing = set(schema.get("required", ())) - set(schema.get("properties", ()))
    return f"requires {_list(missing)}, but does not define it" if missing else None


def foreign_bases(types: Mapping[TypeName, TypeDef]) -> Iterator[tuple[TypeDef, str]]:
    """The definitions with a base that is not an object, each with the reason to refuse it."""
    for definition in types.values():
        for part in walk(definition.body):
            if isinstance(part, Object):
                for base in part.bases:
                    if not _is_object(types, base):
                        yield definition, f"gives members to {base.name}, which is not an object"


def repetitive(types: Mapping[TypeName, TypeDef]) -> Iterator[tuple[TypeDef, str]]:
    """The definitions with too many parts if all bases and variants were copied."""
    most = SchemaLimits.current().parts
    counts: dict[TypeName, int] = {}

    def count(type_: Type) -> int:
        match type_:
            case Ref(name=name):
                if name not in counts:
                    counts[name] = 0  # A circle through a member ends here.
                    counts[name] = count(types[name].body)
                return counts[name]
            case Object():
                inner: tuple[Type, ...] = (*type_.bases, *type_.unions)
                return 1 + len(type_.properties) + sum(map(count, inner))
            case Union(variants=variants):
                return 1 + sum(count(variant.body) for variant in variants)
            case Nullable(of=of):
                return count(of)
            case _:
                return 1

    for name, definition in types.items():
        if count(Ref(name)) > most:
            yield (
                definition,
                f"has more than {most} parts when its bases and variants are written out; "
                f"name each base once; {advice('parts')}",
            )


def _companions(schema: RawSchema, keywords: set[str]) -> frozenset[str]:
    """The keywords that the kind of type understands which a schema seems to describe."""
    shape = keywords & SHAPE
    if keywords & _LISTS:
        return _LISTED
    if "$ref" in keywords and not shape:
        return frozenset({"$ref"})
    if "allOf" in keywords and keywords <= {"allOf", "type"} and len(schema["allOf"]) == 1:
        return frozenset({"allOf"})
    if len(shape & _CHOICES) == 1 == len(shape) and not keywords & {"$ref", "type"}:
        return frozenset(shape)
    if _plain_type(schema) == "array":
        return _ARRAY
    if _plain_type(schema) == "object" or shape:
        # Null satisfies the list of types, but none of the schemas that it is combined with.
        nullable = isinstance(schema.get("type"), list)
        return _MEMBERS | {"type"} if nullable else _OBJECT
    return _SCALAR


def _plain_type(schema: RawSchema) -> str | None:
    """The type that a schema states, without the null that may be beside it."""
    stated: str | list[str] | None = schema.get("type")
    return stated[0] if isinstance(stated, list) else stated


def _list_complaint(schema: RawSchema) -> str | None:
    if schema.keys() >= _LISTS:
        return "has both const and enum; keep one"
    values: list[object] = schema["enum"] if "enum" in schema else [schema["const"]]
    if fractions := [value for value in values if isinstance(value, float)]:
        return f"lists {fractions[0]}; write it without a fraction"
    if len({type(value) for value in values}) > 1:
        return "lists values of several types; make it a union"
    kind = "string" if isinstance(values[0], str) else "integer"
    if schema.get("type", kind) != kind:
        return f"lists values of type {kind}, but has another type"
    return None


def _is_object(types: Mapping[TypeName, TypeDef], type_: Type) -> bool:
    match type_:
        case Ref(name=name):
            return _is_object(types, types[name].body)
        case Object() | Map():
            return True
        case Union(variants=variants):
            return all(_is_object(types, variant.body) for variant in variants)
        case _:
            return False


def _list(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))
