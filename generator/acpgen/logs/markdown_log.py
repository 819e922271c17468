"""The fenced JSON of a Markdown page, as lines with the numbers that they have in it."""

from __future__ import annotations

import re

from acpgen.logs.log_lines import Lines

_SUFFIXES = (".md", ".mdx", ".markdown")
_FENCE = re.compile(rb"^(?P<before>[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?)(?P<fence>`{3,}|~{3,})")
_LANGUAGES = ("json", "jsonl", "ndjson", "jsonc", "json5")


def is_markdown(name: str) -> bool:
    """Whether a file is a Markdown page by its name."""
    return name.lower().endswith(_SUFFIXES)


def fenced(lines: Lines) -> Lines:
    """Yield the lines inside the code blocks of a page whose language is JSON, without indent."""
    closing: bytes | None = None
    indent = 0
    takes = False
    for number, line in lines:
        found = _FENCE.match(line)
        if closing is None:
            if found is not None:
                closing = found["fence"]
                indent = len(found["before"])
                info = line[found.end() :].strip().split()
                language = info[0].decode("utf-8", "replace").lower() if info else ""
                takes = re.split(r"[^a-z0-9]", language)[0] in _LANGUAGES
        elif found is not None and _closes(line, found["fence"], closing):
            closing = None
        elif takes:
            yield number, line[_shared(line, indent) :]


def _closes(line: bytes, fence: bytes, closing: bytes) -> bool:
    alone = line.strip(b" \t>\r\n") == fence
    return alone and fence[:1] == closing[:1] and len(fence) >= len(closing)


def _shared(line: bytes, indent: int) -> int:
    """How much of a line belongs to the list item or quote that its block is in."""
    end = 0
    while end < indent and line[end : end + 1] in (b" ", b"\t", b">"):
        end += 1
    return end
