"""Names, comments and types of Go, and the expressions that decode a JSON value."""

from __future__ import annotations

import re

from acpgen.model import (
    Array,
    ClosedEnum,
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
from acpgen.targets.languages.spelling import line_comment, shown

HELPERS = frozenset(
    {
        "Extra",
        "Fault",
        "Faults",
        "Find",
        "Finding",
        "Kind",
        "KindNotification",
        "KindRequest",
        "Method",
        "Methods",
        "Nothing",
        "Null",
        "Opt",
        "Parse",
        "ParseNamed",
        "Read",
        "ReadNamed",
        "ReadParams",
        "ReadResult",
        "Severity",
        "SeverityError",
        "SeverityRecovered",
        "SeverityWarning",
        "Some",
    }
)
"""What the package declares besides the types of a protocol."""

RAW = "json.RawMessage"
"""Go's type of any JSON."""

NOTHING = "Nothing"
"""The type of null."""

SCALARS = {
    ScalarType.STRING: "string",
    ScalarType.INTEGER: "int64",
    ScalarType.NUMBER: "float64",
    ScalarType.BOOLEAN: "bool",
    ScalarType.NULL: NOTHING,
    ScalarType.ANY: RAW,
}
DECODERS = {
    ScalarType.STRING: "text",
    ScalarType.INTEGER: "integer",
    ScalarType.NUMBER: "number",
    ScalarType.BOOLEAN: "boolean",
}
_INITIALISMS = {"Id": "ID", "Ids": "IDs", "Uri": "URI", "Url": "URL", "Http": "HTTP", "Mcp": "MCP"}
_comment = line_comment("//", 100)


def exported(name: str) -> str:
    """Return the exported name of a member, a value or a title, such as `SessionID`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    words = re.findall(r"[A-Za-z0-9]+", spaced)
    pascal = "".join(map(_capitalized, words))
    if name.startswith("-"):
        pascal = f"Minus{pascal}"
    return pascal if pascal[:1].isalpha() else f"X{pascal}"


def _capitalized(word: str) -> str:
    capital = word[:1].upper() + word[1:]
    return _INITIALISMS.get(capital, capital)


def documented(text: str, indent: int = 0) -> str:
    """Return a comment with its line end; the empty text where there is nothing to say."""
    if not text.strip():
        return ""
    tabs = "\t" * indent
    return "".join(f"{tabs}{line}\n" for line in _comment(shown(text), 0).split("\n"))


def go_type(type_: Type, hint: str) -> str:
    """Return a type as Go writes it; `hint` is the name of an object or union without a name."""
    match type_:
        case Scalar(type=scalar):
            return SCALARS[scalar]
        case OpenEnum(type=scalar) | ClosedEnum(type=scalar):
            return SCALARS[scalar]
        case Ref(name=name):
            return name
        case Array(items=items):
            return f"[]{go_type(items, hint)}"
        case Map(values=values):
            return f"map[string]{go_type(values, hint)}"
        case Nullable(of=inner):
            go = go_type(inner, hint)
            return go if go in {RAW, NOTHING} else f"*{go}"
        case Object() if type_ == Object():
            return f"map[string]{RAW}"
        case Object() | Union():
            return hint


def decoded(type_: Type, hint: str, at: str) -> str:
    """Return the expression that decodes the node `at`, which is of a type."""
    match type_:
        case Scalar(type=ScalarType.ANY):
            return f"anything({at})"
        case Scalar(type=ScalarType.NULL):
            return f"decodeNothing({at})"
        case Array(items=items):
            return f"listOf({at}, {decoder(items, hint)})"
        case Map(values=values):
            return f"mapOf({at}, {decoder(values, hint)})"
        case Nullable(of=inner) if go_type(type_, hint).startswith("*"):
            return f"pointerTo({at}, {decoder(inner, hint)})"
        case Nullable(of=inner):
            return decoded(inner, hint, at)
        case Object() if type_ == Object():
            return f"mapOf({at}, anything)"
        case _:
            return f"{decoder(type_, hint)}({at})"


def decoder(type_: Type, hint: str) -> str:
    """Return the function that decodes a node of a type."""
    match type_:
        case Scalar(type=ScalarType.ANY):
            return "anything"
        case Scalar(type=ScalarType.NULL):
            return "decodeNothing"
        case Scalar(type=scalar) if scalar in DECODERS:
            return f"{DECODERS[scalar]}[{SCALARS[scalar]}]"
        case OpenEnum(type=scalar) | ClosedEnum(type=scalar):
            return f"{DECODERS[scalar]}[{SCALARS[scalar]}]"
        case Ref(name=name):
            return f"decode{name}"
        case Object() | Union() if type_ != Object():
            return f"decode{hint}"
        case _:
            go = go_type(type_, hint)
            return f"func(n *node) {go} {{ return {decoded(type_, hint, 'n')} }}"
