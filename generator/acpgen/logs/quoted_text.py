"""Messages that a line has as a string or an object of a language, not as JSON."""

from __future__ import annotations

import ast
import json
import re
import warnings

from acpgen.logs.prefixes import LONGEST
from acpgen.logs.scanning import BROKEN, value_at

_QUOTED = re.compile(
    r"""(?P<json>"(?P<in_json>[^"\\{]{0,60})\{\\+")|(?P<csv>"(?P<in_csv>[^"{]{0,60})\{"")"""
    r"""|b?(?P<python>'\{")"""
)
_C_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CELL = re.compile(r'"((?:[^"]|"")*)"')
_PYTHON = re.compile(r"b?'(?:[^'\\]|\\.)*'")
_PYTHON_OBJECT = re.compile(r"\{'[A-Za-z_@][\w@.-]*':\s*")
_PYTHON_PART = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[{}\[\]()]""")
_LONGEST_OBJECT = 1_000_000
"""How many characters of an object of Python are read at most."""


def quoted(line: str) -> tuple[str, str] | None:
    """A message that is quoted as a string: what is before it, and its text.

    The string is one of JSON, of C, of Python (`repr`), or a cell of CSV (RFC 4180). The message
    may have other text before it in the string.
    """
    found = _QUOTED.search(line, 0, LONGEST)
    if found is None:
        return None
    text: object
    mark = found.start()
    outer = line.find("{", 0, mark)
    if outer >= 0 and value_at(line, outer)[0] is not BROKEN:
        return None  # the string is in an object
    inside = found["in_json"] or found["in_csv"] or ""
    if found["json"]:
        text, end = value_at(line, mark)
        text = text if isinstance(text, str) else _of_c(line, mark)
        if isinstance(text, str) and line.startswith("...", end):  # as strace cuts them
            text += "..."
    elif found["csv"]:
        text = cell(line, mark)
    else:
        text = _of_python(line[mark:])
    if not isinstance(text, str) or "jsonrpc" not in text:
        return None
    return f"{line[:mark].strip()} {inside.strip()}".strip(), text[len(inside) :]


def cell(text: str, at: int) -> str | None:
    """The text of a cell of CSV (RFC 4180) that starts with a quote; None if it has no end."""
    found = _CELL.match(text, at)
    return None if found is None else found[1].replace('""', '"')


def _of_c(line: str, at: int) -> str | None:
    """The text of a string of C, in which bytes may be in octal digits, as `strace` has them."""
    found = _C_STRING.match(line, at)
    if found is None or not found[0].isascii():
        return None
    value = _value_of(f"b{found[0]}")
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else None


def _of_python(text: str) -> str | None:
    """The text of a string of Python; None if it is not one, or the quotes are only quotes."""
    found = _PYTHON.match(text)
    if found is None or ("\\\\" not in found[0] and "\\n'" not in found[0]):
        return None
    value = _value_of(found[0])
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) and value_at(value, 0)[0] is not BROKEN else None


def python_object(text: str) -> tuple[int, str] | None:
    """An object that Python printed (`repr` of a dict): where it starts, and its text as JSON.

    None if there is none, or it has what JSON has no value for.
    """
    if "'jsonrpc'" not in text or len(text) > _LONGEST_OBJECT:
        return None
    found = _PYTHON_OBJECT.search(text, 0, LONGEST)
    end = -1 if found is None else _closed(text, found.start())
    if found is None or end < 0:
        return None
    value = _value_of(text[found.start() : end])
    if not isinstance(value, dict):
        return None
    try:
        made = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return None
    return found.start(), made


def _value_of(literal: str) -> object:
    """The value of a literal of Python; None if the text is not one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's advice on the text of a log is for no one
        try:
            value: object = ast.literal_eval(literal)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
    return value


def _closed(text: str, start: int) -> int:
    """The index after the bracket that closes the one at an index; -1 if none does."""
    depth = 0
    for part in _PYTHON_PART.finditer(text, start):
        if part[0] in "{[(":
            depth += 1
        elif part[0] in "}])":
            depth -= 1
            if not depth:
                return part.end()
    return -1
