"""Vectors that are not messages: other JSON values, and texts that are not JSON (RFC 8259)."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.judge.message_verdict import ErrorCode, MessageRule
from acpgen.model import JsonValue, Side
from acpgen.targets.vectors.vector import Defect, Dispute, Vector, compact, replaced
from acpgen.types.json_types import json_type
from acpgen.types.samples import Members

_TOO_DEEP = 200


def no_messages(message: Members, purposeless: Members) -> Iterator[Vector]:
    """Yield JSON values that are not messages. An array is not: the protocol has no batches."""
    values: dict[str, JsonValue] = {
        "batch": [message],
        "empty batch": [],
        "string": "nonsense",
        "number": 1,
        "boolean": True,
        "null": None,
        "empty object": {},
        "no purpose": {**purposeless},
    }
    for name, value in values.items():
        reason = f"must be an object, not {json_type(value)}"
        if isinstance(value, dict):
            reason = "has neither a method nor a result nor an error"
        fault = Defect(MessageRule.NOT_A_MESSAGE, (), reason, code=ErrorCode.INVALID_REQUEST)
        yield Vector(name, Side.CLIENT, value, fault=fault, repair=(replaced((), message),))


def texts(message: Members) -> Iterator[Vector]:
    """Yield texts that are not JSON, or not to every parser. The message holds the string "b"."""
    text = compact(message)
    nested = "[" * _TOO_DEEP + "]" * _TOO_DEEP
    yield _broken("empty text", "", "ends before the JSON value does")
    yield _broken("cut off", text[:-1], "ends before the JSON value does")
    yield _broken("two values", f"{text} {text}", "goes on after the JSON value")
    yield _broken("single quotes", text.replace('"', "'"), "quotes strings with apostrophes")
    for name, (value, reason, difference) in {
        "trailing comma": ('"b",', "has a comma after the last member", None),
        "bare line break": ('"\n"', "has a line break inside a string", None),
        "bad escape": (r'"\x41"', "has an escape that JSON does not know", None),
        "leading zero": ("01", "has a number that starts with a zero", None),
        "NaN": ("NaN", "holds NaN, which is not a JSON value", None),
        "infinity": ("-Infinity", "holds an infinity, which is not a JSON value", None),
        "lone surrogate": (
            r'"\ud800"',
            "escapes a lone surrogate, which UTF-8 can't carry",
            Dispute.LONE_SURROGATE,
        ),
        "huge number": (
            "1e999",
            "holds a number that is too large for a double",
            Dispute.HUGE_NUMBER,
        ),
        "deep nesting": (nested, "nests too deep", Dispute.DEEP_NESTING),
    }.items():
        yield _broken(name, text.replace('"b"', value), reason, difference)
    mark = "starts with a byte order mark, which RFC 8259 section 8.1 forbids"
    yield _broken("byte order mark", f"\ufeff{text}", mark, Dispute.BYTE_ORDER_MARK)


def _broken(name: str, raw: str, reason: str, difference: Dispute | None = None) -> Vector:
    fault = Defect(MessageRule.NOT_JSON, (), reason, code=ErrorCode.PARSE_ERROR)
    return Vector(name, Side.CLIENT, raw=raw, fault=fault, differs=difference)
