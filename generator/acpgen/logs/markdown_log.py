"""The fenced JSON of a Markdown page, as lines with the numbers that they have in it."""

from __future__ import annotations

import re

from acpgen.logs.log_lines import Lines

_SUFFIXES = (".md", ".mdx", ".markdown")
_FENCE = re.compile(
    rb"^(?P<before>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+>?[ \t]*){0,3})(?P<fence>`{3,}|~{3,})"
)
_STRICT = ("json", "jsonl", "jsonlines", "ndjson")
_WITH_COMMENTS = ("jsonc", "json5")
_STRING = rb'("(?:[^"\\\n]|\\.)*")'
_COMMENT = re.compile(_STRING + rb"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + rb"|,(?=\s*[}\]])")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_BLANK = re.compile(rb"[^\r\n]")
_OUTPUT = ("", "text", "txt", "log", "logs", "console", "output", "plain", "plaintext", "none")
"""The languages of blocks that show what was printed, which may be a log."""


def is_markdown(name: str) -> bool:
    """True if a file is a Markdown page by its name."""
    return name.lower().endswith(_SUFFIXES)


def fenced(lines: Lines, *, output: bool = False) -> Lines:
    """Yield the lines inside the code blocks of a page whose language is JSON, without indent.

    Comments and last commas of JSON with comments are left out. With `output`, blocks without a
    language, or with that of printed text, are read as well if they have `"jsonrpc"` in them.
    """
    closing: bytes | None = None
    indent, language = 0, ""
    block: list[tuple[int, bytes]] = []
    for number, line in lines:
        found = _FENCE.match(line)
        if closing is None:
            if found is not None:
                closing = found["fence"]
                indent = len(found["before"].expandtabs(4))
                language = _language(line[found.end() :])
                block = []
        elif found is not None and _closes(line, found["fence"], closing):
            closing = None
            yield from _read(block, language)
        elif language in _STRICT:
            yield number, line[_shared(line, indent) :]
        elif language in _WITH_COMMENTS or (output and language in _OUTPUT):
            block.append((number, line[_shared(line, indent) :]))
    yield from _read(block, language) if closing is not None else ()


def _read(block: list[tuple[int, bytes]], language: str) -> Lines:
    """The lines of a block that was held: without comments, or if it is a log."""
    if language in _WITH_COMMENTS:
        text = b"".join(line for _, line in block)
        for part in (_COMMENT, _LAST_COMMA):
            text = part.sub(lambda found: found[1] or _BLANK.sub(b" ", found[0]), text)
        yield from zip((number for number, _ in block), _LINE.findall(text), strict=True)
    elif any(b'"jsonrpc"' in line for _, line in block):
        yield from block


def _language(info: bytes) -> str:
    """The language in the text after a fence: `json title="x"`, `{.json .wide}`, `json:x.json`."""
    words = info.strip().decode("utf-8", "replace").lower().lstrip("{").split()
    first = words[0].lstrip(".") if words else ""
    return re.split(r"[^a-z0-9]", first)[0]


def _closes(line: bytes, fence: bytes, closing: bytes) -> bool:
    alone = line.strip(b" \t>\r\n") == fence
    return alone and fence[:1] == closing[:1] and len(fence) >= len(closing)


def _shared(line: bytes, indent: int) -> int:
    """How much of a line belongs to the list item or quote that its block is in."""
    end = width = 0
    while width < indent and line[end : end + 1] in (b" ", b"\t", b">"):
        width += 4 - width % 4 if line[end : end + 1] == b"\t" else 1
        end += 1
    return end
