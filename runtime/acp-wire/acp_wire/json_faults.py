"""Why a text is not JSON, in words, and the line where that shows."""

from __future__ import annotations

import json
import re

from acp_wire.value_places import LEXEME

__all__ = [
    "MAX_DEPTH",
    "UTF_16",
    "NotJsonError",
    "OddNumberError",
    "line_of",
    "not_json",
    "require_no_lone_surrogate",
    "require_shallow",
]

MAX_DEPTH = 127
"""How deep arrays and objects may nest: as deep as serde_json follows them."""
_BOM = "\ufeff"
UTF_16 = "is UTF-16, and JSON is exchanged in UTF-8 (RFC 8259 section 8.1)"
# Patterns are compiled when they are first needed, which for most texts is never.
_NESTING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]+|[\]}]+'
_ESCAPE = (
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


class NotJsonError(ValueError):
    """A text that is not JSON. `line` is the 1-based line of the text where the fault shows."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class OddNumberError(ValueError):
    """A lexeme that Python reads as a number, and other parsers do not."""

    def __init__(self, lexeme: str, reason: str) -> None:
        super().__init__(reason)
        self.lexeme = lexeme


def require_shallow(text: str) -> None:
    """Raise `NotJsonError` for a text that nests deeper than `MAX_DEPTH`."""
    depth = 0
    for match in re.finditer(_NESTING, text, re.DOTALL):
        start, end = match.span()
        opening = text[start]
        if opening in "[{":
            depth += end - start
            if depth > MAX_DEPTH:  # a run is on one line
                raise NotJsonError(f"nests deeper than {MAX_DEPTH} levels", _line_at(text, match))
        elif opening in "]}":
            depth -= end - start


def require_no_lone_surrogate(text: str) -> None:
    """Raise `NotJsonError` for a text that escapes half of a surrogate pair."""
    for match in re.finditer(_ESCAPE, text, re.DOTALL):
        if match["lone"] is not None:
            raise NotJsonError(
                "escapes a lone surrogate, which UTF-8 can't carry", _line_at(text, match)
            )


def line_of(text: str, lexeme: str) -> int:
    """The 1-based line of the first token that starts with a lexeme. More may follow it."""
    if "\n" not in text:
        return 1
    tokens = re.finditer(LEXEME, text, re.DOTALL)
    return next(_line_at(text, match) for match in tokens if match.group().startswith(lexeme))


def _line_at(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1


def not_json(error: json.JSONDecodeError) -> NotJsonError:
    """The error of a text at which Python's parser stopped, in words of ours."""
    text = error.doc
    if text.startswith(_BOM):
        return NotJsonError("starts with a byte order mark; RFC 8259 section 8.1 forbids it")
    if "\0" in text[:2]:
        return NotJsonError(UTF_16)
    if error.msg == "Extra data":
        reason = f"goes on after the JSON value, at column {error.colno}"
    elif error.pos >= len(text.rstrip()):
        reason = "ends before the JSON value does"
    else:
        what = f"{error.msg[:1].lower()}{error.msg[1:]}".removesuffix(" at")
        reason = f"is not JSON: {what} at column {error.colno}"
    return NotJsonError(reason, error.lineno)
