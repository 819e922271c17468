"""What a message looks like by itself."""

from __future__ import annotations

from acpgen.startup.accept import ENVELOPE as ENVELOPE

_CELLS = 12
"""How many cells a row has at most."""


def is_message(value: object) -> bool:
    """True if a value is a message by itself."""
    return (
        isinstance(value, dict)
        and "jsonrpc" in value
        and ("method" in value or "id" in value or "result" in value or "error" in value)
    )


def is_bare(value: object) -> bool:
    """True if a value has a message's members and no others, perhaps without `jsonrpc`."""
    return (
        isinstance(value, dict)
        and value.keys() <= ENVELOPE
        and (isinstance(value.get("method"), str) or ("id" in value and len(value) > 1))
    )


def is_row(value: object) -> bool:
    """True if a value is a row of a table: a few cells, such as a time, a direction, a message."""
    return (
        isinstance(value, list)
        and 2 <= len(value) <= _CELLS
        and any(isinstance(cell, str | int | float) for cell in value)
        and sum(isinstance(cell, dict) for cell in value) <= 1
    )


def is_schema(value: object) -> bool:
    """True for a JSON Schema or an OpenRPC document, whose examples are not sent.

    Other files may name their schema as well, in `$schema`.
    """
    if not isinstance(value, dict):
        return False
    address = value.get("$schema")
    return not {"$defs", "openrpc"}.isdisjoint(value) or (
        "$schema" in value
        and (
            (isinstance(address, str) and "json-schema.org/" in address)
            or not {"$id", "$ref", "properties", "definitions", "examples"}.isdisjoint(value)
            or value.get("type") in ("object", "array")
        )
    )
