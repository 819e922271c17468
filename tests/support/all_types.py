"""Random types of every kind, small ones, so that two of them often have values in common."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Schema = dict[str, Any]

SAID = {"description": "Said."}
_LENGTHS: tuple[Schema, ...] = (
    {},
    {"minLength": 2},
    {"maxLength": 3},
    {"minLength": 2, "maxLength": 3},
)
_BOUNDS: tuple[Schema, ...] = (
    {},
    {"minimum": 1},
    {"maximum": 2},
    {"minimum": 2, "maximum": 3},
    {"minimum": 0.5},
)


def random_type(rng: Random, depth: int = 2) -> Schema:
    """The JSON Schema of a random type. With `depth` 0 it has no parts."""
    makers = _PLAIN if depth <= 0 else (*_PLAIN, *_COMPOSED)
    return rng.choice(makers)(rng, depth)


def _string(rng: Random, _: int) -> Schema:
    return {"type": "string", **rng.choice(_LENGTHS)}


def _number(rng: Random, _: int) -> Schema:
    return {"type": rng.choice(("integer", "number")), **rng.choice(_BOUNDS)}


def _other(rng: Random, _: int) -> Schema:
    return rng.choice(({"type": "boolean"}, {}))


def _closed(rng: Random, _: int) -> Schema:
    return {"oneOf": _constants(rng)}


def _open(rng: Random, _: int) -> Schema:
    values = _constants(rng)
    return {"anyOf": [*values, {"type": values[0]["type"], "title": "other", **SAID}]}


def _constants(rng: Random) -> list[Schema]:
    type_, values = rng.choice((("string", ("a", "bb", "cccc")), ("integer", (1, 2, 5))))
    chosen = rng.sample(values, rng.randint(1, 2))
    return [{"type": type_, "const": value, **SAID} for value in chosen]


def _nullable(rng: Random, depth: int) -> Schema:
    return {"anyOf": [random_type(rng, depth - 1), {"type": "null"}]}


def _array(rng: Random, depth: int) -> Schema:
    limits: tuple[Schema, ...] = ({}, {"minItems": 1}, {"maxItems": 1})
    return {"type": "array", "items": random_type(rng, depth - 1), **rng.choice(limits)}


def _map(rng: Random, depth: int) -> Schema:
    return {"type": "object", "additionalProperties": random_type(rng, depth - 1)}


def _object(rng: Random, depth: int) -> Schema:
    names = rng.sample(("t", "x", "y"), rng.randint(0, 2))
    members = {name: {**SAID, **random_type(rng, depth - 1)} for name in names}
    required = [name for name in names if rng.random() < 0.5]
    return {"type": "object", "properties": members, "required": required}


def _based(rng: Random, depth: int) -> Schema:
    base, narrower = rng.choice((("Base", "x"), ("Root", "y")))
    object_ = _object(rng, depth)
    if narrower in object_["properties"]:
        narrow = {"x": {"type": "string", "maxLength": 2}, "y": {"type": "integer", "minimum": 2}}
        object_["properties"][narrower] = {**SAID, **narrow[narrower]}
    return {**object_, "allOf": [{"$ref": f"#/$defs/{base}"}]}


def _chosen(rng: Random, depth: int) -> Schema:
    return {**_object(rng, depth), **_choice(rng, depth, _object)}


def _union(rng: Random, depth: int) -> Schema:
    return _choice(rng, depth, random_type)


def _choice(rng: Random, depth: int, make: Callable[[Random, int], Schema]) -> Schema:
    titles = rng.sample("PQR", rng.randint(2, 3))
    variants = [{"title": title, **SAID, **make(rng, depth - 1)} for title in titles]
    return {rng.choice(("anyOf", "oneOf")): variants}


def _tagged(rng: Random, depth: int) -> Schema:
    variants = []
    for value in rng.sample("abc", rng.randint(1, 2)):
        variant = _object(rng, depth)
        tag = {"t": {"type": "string", "const": value}}
        required = sorted({*variant["required"], "t"})
        members = {**variant["properties"], **tag}
        variants.append({**SAID, **variant, "properties": members, "required": required})
    if rng.random() < 0.5:
        other = _object(rng, depth)
        members = {**other["properties"], "t": {"type": "string", **SAID}}
        required = sorted({*other["required"], "t"})
        head = {"title": "other", "x-fallback": True, **SAID}
        variants.append({**head, **other, "properties": members, "required": required})
    return {rng.choice(("anyOf", "oneOf")): variants}


def _named(rng: Random, _: int) -> Schema:
    return {"$ref": f"#/$defs/{rng.choice(('Base', 'Root', 'Word'))}"}


_PLAIN = (_string, _number, _other, _closed, _open, _named)
_COMPOSED = (_nullable, _array, _map, _object, _object, _based, _chosen, _union, _tagged, _tagged)

NAMED: dict[str, Schema] = {
    "Base": {
        **SAID,
        "type": "object",
        "properties": {"x": {"type": "string", **SAID}},
        "required": ["x"],
    },
    "Root": {
        **SAID,
        "type": "object",
        "properties": {"y": {"type": "integer", **SAID}},
    },
    "Word": {**SAID, "type": "string", "maxLength": 3},
}
"""What random types refer to."""

_STRINGS = ("", "a", "b", "c", "bb", "ccc", "cccc", "ddddd")
_NUMBERS = (0, 0.5, 0.7, 1, 1.5, 2, 2.5, 3, 5, 7)
_LEAVES = (None, True, *_STRINGS, *_NUMBERS)


def as_sent(schema: Schema) -> Schema:
    """A type without values that are not sent: objects with members of variants they don't fit.

    Members that no type describes, `z` here, are sent.
    """
    if "$ref" not in schema and not schema.keys() & {"type", "anyOf", "oneOf", "const"}:
        return {**schema, "additionalProperties": True}
    if "additionalProperties" in schema:
        return {**schema, "additionalProperties": as_sent(schema["additionalProperties"])}
    return {**_parts_as_sent(schema), "patternProperties": {"^z$": True}} | {
        "unevaluatedProperties": False
    }


def _parts_as_sent(schema: Schema) -> Schema:
    """A type, a base or a variant with its members and items as they are sent."""
    schema = dict(schema)
    if "items" in schema:
        schema["items"] = as_sent(schema["items"])
    if "properties" in schema:
        schema["properties"] = {n: as_sent(each) for n, each in schema["properties"].items()}
    for choice in schema.keys() & {"anyOf", "oneOf"}:
        schema[choice] = [_variant_as_sent(variant) for variant in schema[choice]]
    return schema


def _variant_as_sent(variant: Schema) -> Schema:
    free = not variant.keys() & {"type", "anyOf", "oneOf", "const", "$ref"}
    return (
        as_sent(variant) if free or "additionalProperties" in variant else _parts_as_sent(variant)
    )


def value_for(schema: Schema, rng: Random, depth: int = 0) -> Any:
    """A random value that has a fair chance to fit a type made here.

    Its objects have no members that only other types describe, and what a fallback takes has a tag
    that no type knows: a peer does not send what a later version is the first to define.
    """
    if "$ref" in schema:
        return value_for(NAMED[schema["$ref"].rpartition("/")[2]], rng, depth)
    if "const" in schema:
        return schema["const"]
    parts = [value_for(part, rng, depth) for part in _parts(schema, rng)]
    if "type" not in schema and parts:
        return _merged(parts)
    match schema.get("type"):
        case "string":
            return rng.choice(_STRINGS)
        case "integer" | "number":
            return rng.choice(_NUMBERS)
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
        case "array":
            count = rng.choice((0, 1, 1, 2))
            return [value_for(schema["items"], rng, depth + 1) for _ in range(count)]
        case "object":
            return _merged([_members(schema, rng, depth), *parts])
        case _:
            return _anything(rng)


def _parts(schema: Schema, rng: Random) -> list[Schema]:
    """The bases, and of a choice one variant, or two at once where they may."""
    variants = schema.get("anyOf") or schema.get("oneOf") or []
    tagged = any("const" in variant.get("properties", {}).get("t", ()) for variant in variants)
    alone = tagged or "oneOf" in schema
    count = min(len(variants), 1 if alone else rng.choice((1, 1, 1, 2)))
    return [*schema.get("allOf", ()), *rng.sample(variants, count)]


def _merged(parts: list[Any]) -> Any:
    if all(isinstance(part, dict) for part in parts):
        return {name: value for part in parts for name, value in part.items()}
    return parts[0]


def _members(schema: Schema, rng: Random, depth: int) -> dict[str, Any]:
    members = {}
    for name, member in schema.get("properties", {}).items():
        if rng.random() < (0.95 if name in schema.get("required", ()) else 0.6):
            members[name] = value_for(member, rng, depth + 1)
    if schema.get("x-fallback"):
        members["t"] = "other"
    if "additionalProperties" in schema and rng.random() < 0.7:
        extra = schema["additionalProperties"]
        members[rng.choice("txyz")] = value_for(extra, rng, depth + 1)
    elif rng.random() < 0.2:
        members["z"] = _anything(rng)
    return members


def _anything(rng: Random) -> Any:
    if rng.random() < 0.6:
        return rng.choice(_LEAVES)
    if rng.random() < 0.3:
        return [rng.choice(_LEAVES) for _ in range(rng.choice((0, 1, 2)))]
    return {name: rng.choice(_LEAVES) for name in rng.sample("txyz", rng.choice((0, 1, 2)))}
