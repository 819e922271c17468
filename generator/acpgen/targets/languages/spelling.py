"""Functions that dialects share: escapes, cases of names, comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from textwrap import wrap

from acpgen.emit.python import INVISIBLE, visible
from acpgen.targets.languages.dialect import Comment

MARKS = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
"""Escapes, in every language, of characters that end a double-quoted literal or its line."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def escaped(value: str, marks: Mapping[str, str], unseen: Callable[[str], str]) -> str:
    """The text inside a literal: `marks` has escapes, `unseen` escapes invisible characters."""
    replaced = "".join(marks.get(character, character) for character in value)
    return INVISIBLE.sub(lambda found: unseen(found[0]), replaced)


def without_surrogates(value: str) -> str:
    """Text that has a UTF-8 form: a lone surrogate becomes the replacement character."""
    return _SURROGATE.sub("\ufffd", value)


def shown(text: str) -> str:
    """Text for a comment: what shows nothing or reorders text becomes the replacement character."""
    return INVISIBLE.sub(lambda found: found[0] if found[0] in "\n\t" else "\ufffd", text)


def utf16(value: str) -> str:
    r"""Characters as `\uXXXX`, a pair of them beyond the Basic Multilingual Plane."""
    units = value.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def pascal(name: str) -> str:
    """`NOT_AT_ALL` or `retry_class` as `NotAtAll` or `RetryClass`."""
    return "".join(word.capitalize() for word in name.split("_"))


def camel(name: str) -> str:
    """`retry_class` as `retryClass`."""
    return name[0].lower() + pascal(name)[1:]


def same(name: str) -> str:
    """The name unchanged, for a language that uses the spelling of the model."""
    return name


def line_comment(mark: str, width: int) -> Comment:
    """Comments whose lines start with a mark, wrapped at a column."""

    def comment(text: str, indent: int = 0) -> str:
        pad = " " * indent
        lines = _lines(text, width - indent - len(mark) - 1)
        return "\n".join(f"{pad}{mark} {line}".rstrip() for line in lines)

    return comment


def block_comment(width: int, pad: str = " ") -> Comment:
    """Comments between `/**` and `*/`, on one line if that ends before a column.

    `pad` is the indentation of the code: four spaces count as one tab. Comment marks in the text
    are broken up; opening ones too, because Kotlin nests comments.
    """

    def comment(text: str, indent: int = 0) -> str:
        start = pad * (indent // 4 if pad == "\t" else indent)
        lines = _lines(re.sub(r"(?<=\*)/|(?<=/)\*", r"\\\g<0>", text), width - indent - 3)
        if len(lines) == 1 and indent + len(lines[0]) + 7 <= width:
            return f"{start}/** {lines[0]} */"
        middle = (f"{start} * {line}".rstrip() for line in lines)
        return "\n".join([f"{start}/**", *middle, f"{start} */"])

    return comment


def docstring(width: int) -> Comment:
    """Docstrings of Python, on one line if that ends before a column.

    A paragraph whose first line ends in a colon, such as `Raises:`, keeps its lines.
    """

    def comment(text: str, indent: int = 0) -> str:
        safe = re.sub(r'"(?="|$)', r"\"", visible(text.replace("\\", r"\\")))
        lines: list[str] = []
        for paragraph in safe.split("\n\n"):
            section = paragraph.partition("\n")[0].endswith(":")
            wrapped = paragraph.splitlines() if section else _lines(paragraph, width - indent - 3)
            lines += ["", *wrapped] if lines else wrapped
        pad = " " * indent
        if len(lines) == 1 and indent + len(lines[0]) + 6 <= width:
            return f'{pad}"""{lines[0]}"""'
        first, *others = lines
        middle = (f"{pad}{line}".rstrip() for line in others)
        return "\n".join([f'{pad}"""{first}', *middle, f'{pad}"""'])

    return comment


def _lines(text: str, width: int) -> list[str]:
    """Wrapped paragraphs, with an empty line between them, but not before tags such as `@param`."""
    lines: list[str] = []
    tag = False
    for paragraph in re.split(r"\n\s*\n|\n(?=@)", text.strip()):
        if lines and not (tag and paragraph.startswith("@")):
            lines.append("")
        tag = paragraph.startswith("@")
        lines += wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)
    return lines
