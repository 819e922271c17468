"""Types in a few words, for messages."""

from __future__ import annotations

import json
import re

from acpgen.model import (
    Array,
    ClosedEnum,
    JsonValue,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Ref,
    Scalar,
    ScalarType,
    Type,
    Union,
)

_LONGEST = 60
_PLAIN = re.compile(r"[^.<>{}\[\]\"\\]+")


def spelled(type_: Type) -> str:
    """Return a type in words, with its article: of those, only `union` begins with a u."""
    words = _bare(type_)
    if isinstance(type_, Ref | Nullable) or not words[0].isalpha() or words in _WITHOUT_ARTICLE:
        return words
    return f"{'an' if words[0] in 'aeio' else 'a'} {words}"


_WITHOUT_ARTICLE = frozenset({"null", "any value"})


def _bare(type_: Type) -> str:
    match type_:
        case Nullable(of=inner):
            return f"{spelled(inner)} or null"
        case Array(items=items):
            return f"array of {_bare(items)}"
        case Map(values=values):
            return f"map of {_bare(values)}"
        case Ref(name=name):
            return f"`{name}`"
        case Object():
            return "object"
        case Union(tag=tag):
            return "union" if tag is None else f"union by `{tag}`"
        case Scalar() | OpenEnum() | ClosedEnum():
            return _scalar(type_)


def _scalar(type_: Scalar | OpenEnum | ClosedEnum) -> str:
    match type_:
        case Scalar(type=ScalarType.ANY):
            return "any value"
        case Scalar(type=scalar):
            return scalar.value
        case OpenEnum(type=scalar):
            return f"open enumeration of {scalar.value}s"
        case ClosedEnum(values=(only,)):
            return f"`{shortened(as_json(only.value))}`"
        case ClosedEnum(type=scalar):
            return f"closed enumeration of {scalar.value}s"


def as_json(value: JsonValue) -> str:
    """Return a JSON value on one line."""
    return json.dumps(value, ensure_ascii=False)


def shortened(text: str) -> str:
    """Return a text cut to a readable length."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def token(name: str) -> str:
    """Return a name as part of a path, in quotation marks if it has characters of a path."""
    return name if _PLAIN.fullmatch(name) else as_json(name)


def same(one: JsonValue, another: JsonValue) -> bool:
    """True if two JSON values are equal. In Python, True is equal to 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(another, sort_keys=True)
