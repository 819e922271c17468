"""Readers that recover from malformed members where the schema lets receivers recover.

A type's core schema is copied with its tolerant members and items wrapped, so the strict reading
pays nothing for it. Inner tolerance comes first: a fault that an inner member recovers from never
reaches an outer one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import MISSING, BaseModel
from pydantic_core import SchemaValidator, core_schema

from acp_wire.models.marks import ON_ERROR, ON_NULL, SKIP_ITEMS
from acp_wire.models.readers import core_of, reader_of

__all__ = ["recovering", "tolerant_reader"]

_Node = dict[str, Any]

_EMPTY = {"list": list, "dict": dict, "nullable": lambda: None}
"""The fallback of a required member, by the kind of its core schema."""


@cache
def tolerant_reader(type_: Any) -> SchemaValidator:
    """The reader of a model or an alias that recovers."""
    return reader_of(type_, recovering(core_of(type_)))


def recovering(part: Any) -> Any:
    """A copy of a core schema in which every tolerant member and item recovers."""
    if isinstance(part, list | tuple):
        return type(part)(recovering(item) for item in part)
    if not isinstance(part, dict):
        return part
    node = {key: recovering(value) for key, value in part.items()}
    if node.get("type") == "union":
        # Every variant may take more than before, so the first one decides, not the closest.
        node["mode"] = "left_to_right"
    if node.get("type") == "model" and node["schema"]["type"] == "model-fields":
        _recover_members(node["cls"], node["schema"]["fields"])
    return node


def _recover_members(model: type[BaseModel], members: dict[str, _Node]) -> None:
    for name, member in members.items():
        marks = model.__pydantic_fields__[name].json_schema_extra
        if isinstance(marks, dict):
            member["schema"] = _recovering_member(member["schema"], marks)


def _recovering_member(schema: _Node, marks: dict[str, Any]) -> _Node:
    if marks.get(SKIP_ITEMS):
        schema = _skipping(schema)
    on_null = bool(marks.get(ON_NULL))
    on_error = bool(marks.get(ON_ERROR))
    if not on_null and not on_error:
        return schema
    if schema["type"] == "default":
        inner = _on_null(schema["schema"], lambda: MISSING) if on_null else schema["schema"]
        return {**schema, "schema": inner, "on_error": "default" if on_error else "raise"}
    empty = _EMPTY.get(schema["type"])
    if empty is None:
        return schema
    if on_null:
        schema = _on_null(schema, empty)
    return _on_error(schema, empty) if on_error else schema


def _skipping(schema: _Node) -> _Node:
    """A schema whose lists leave out malformed items."""
    match schema:
        case {"type": "list", "items_schema": items}:
            omitting: Any = core_schema.with_default_schema(items, on_error="omit")
            return {**schema, "items_schema": omitting}
        case {"type": "default" | "missing-sentinel" | "nullable", "schema": inner}:
            return {**schema, "schema": _skipping(inner)}
        case _:
            return schema


def _on_null(schema: _Node, empty: Any) -> _Node:
    def recover(value: Any, validate: Any) -> Any:
        return empty() if value is None else validate(value)

    return _wrapped(schema, recover)


def _on_error(schema: _Node, empty: Any) -> _Node:
    def recover(value: Any, validate: Any) -> Any:
        try:
            return validate(value)
        except ValueError:
            return empty()

    return _wrapped(schema, recover)


def _wrapped(schema: Any, recover: Any) -> _Node:
    return {**core_schema.no_info_wrap_validator_function(recover, schema)}
