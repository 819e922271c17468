"""Where the values of a JSON text are, which parsers don't keep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

__all__ = ["LEXEME", "Path", "repeated_lines", "value_lines"]

Path = tuple[str | int, ...]
"""The names and indexes that lead to a value."""
LEXEME = r'[\[\]{}:,]|"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s\[\]{}:,"]+'
"""A pattern of the tokens of a valid text: brackets, separators, strings and other values."""


def value_lines(text: str) -> Mapping[Path, int]:
    """Return the 1-based line on which the value of each path into a JSON text starts."""
    lines: dict[Path, int] = {}
    for path, line, repeats in _places(text):
        if not repeats:
            lines.setdefault(path, line)
    return lines


def repeated_lines(text: str) -> Iterator[tuple[Path, int]]:
    """Yield each second and later use of a name in an object, with its 1-based line."""
    return ((path, line) for path, line, repeats in _places(text) if repeats)


def _places(text: str) -> Iterator[tuple[Path, int, bool]]:
    """Yield the path and line of each value of a valid text, and (True) of each repeated name."""
    stack: list[tuple[Path, bool]] = []
    seen = [set[str]()]
    index = [0]
    path: Path = ()
    expects_name = False
    line, consumed = 1, 0
    for match in re.finditer(LEXEME, text, re.DOTALL):
        lexeme = match.group()
        line += text.count("\n", consumed, match.start())
        consumed = match.start()
        if lexeme in "]}":
            path = stack.pop()[0]
            index.pop()
            seen.pop()
            expects_name = False
        elif lexeme == ",":
            parent, is_object = stack[-1]
            index[-1] += 1
            expects_name = is_object
            path = parent if is_object else (*parent, index[-1])
        elif lexeme == ":":
            expects_name = False
        elif expects_name:
            name: str = json.loads(lexeme)
            path = (*stack[-1][0], name)
            if name in seen[-1]:
                yield path, line, True
            seen[-1].add(name)
        else:
            yield path, line, False
            if lexeme in "[{":
                expects_name = lexeme == "{"
                stack.append((path, expects_name))
                index.append(0)
                seen.append(set())
                path = path if expects_name else (*path, 0)
