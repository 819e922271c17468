"""Values that a line is or has: a row of a table, an array behind other text, escaped text."""

from __future__ import annotations

import re

from acp_wire.reader import JsonValue
from acpgen.logs.directions import is_arrow
from acpgen.logs.line_reader import BETWEEN
from acpgen.logs.messages import is_row
from acpgen.logs.prefixes import LONGEST
from acpgen.logs.scanning import value_at
from acpgen.logs.unit import Unit, is_dump

_ENTITIES = {"&quot;": '"', "&#34;": '"', "&lt;": "<", "&gt;": ">", "&#39;": "'", "&amp;": "&"}

_BETWEEN = re.compile(f"[{re.escape(BETWEEN)}]*")
_MORE = re.compile(r"""\{\s*"(?:id|method|params|result|error)"|["']jsonrpc""")
"""What another message on a line has."""
_NEAR = re.compile(rf"(?!data|event|id|retry|:)[^\"'{{}}\[\]|`\\]{{0,{LONGEST}}}\{{\"")
"""A prefix that has no value, as a string or an array is, and the start of an object."""


def next_value(text: str, end: int, *, behind: bool) -> int:
    """Return where text with another value starts after one on a line; -1 if there is none.

    `behind` is whether the value is behind a prefix: then no other value follows but a message.
    """
    between = _BETWEEN.match(text, end)
    at = end if between is None else between.end()
    if text.startswith("{", at) and not behind:
        return at
    return -1 if _MORE.search(text, at) is None else at


def is_near(text: str, at: int) -> bool:
    """True if an object is at an index, or behind other text there that has none."""
    return _NEAR.match(text, at) is not None


def other_with(
    number: int, text: str, at: tuple[int, int, int], shape: str | None
) -> tuple[Unit, int] | None:
    """A broken message before a message, or the batch that has it, and its end; None if neither is.

    `at` is where the line is read from, where something broken starts (below 0 if nothing does),
    and the start of the message. The end is -1 where all of the line is read. In a log of a stated
    `shape` no prefix has a batch.
    """
    base, outer, start = at
    before = text[base:start]
    lead = text[base:outer].strip() if outer >= 0 else ""
    if outer >= 0 and '"jsonrpc"' in text[outer:start] and not is_dump(lead):
        shape = "prefixed" if lead else "lines"
        return Unit(number, lead, text[outer:start].strip(), shape=shape), start
    if shape is not None or not before.rstrip().endswith("["):
        return None
    batch = _batch_behind(number, text[base:], before.rindex("["))
    return None if batch is None else (batch, -1)


def _batch_behind(number: int, text: str, at: int) -> Unit | None:
    """The array of messages at an index, if it was sent so; None for the brackets of a logger.

    Loggers put a value into brackets, as in `Sent [{...}]` and `<![CDATA[{...}]]>`.
    """
    batch, last = value_at(text, at)
    before = text[:at].strip()
    words = before.split()
    sent = not words or (text[at - 1].isspace() and is_arrow(words[-1]))
    if not isinstance(batch, list) or (len(batch) == 1 and not sent):
        return None
    return Unit(number, before, text[at:last], batch, "batch")


def unescaped(text: str) -> str:
    """A line without the entities of HTML, if it was copied from the source of a page."""
    if "&quot;jsonrpc&quot;" not in text or '"jsonrpc"' in text:
        return text
    for name, character in _ENTITIES.items():
        text = text.replace(name, character)
    return text


def row_of(line: str) -> list[JsonValue] | None:
    """The row of a table that a line is as an array; None if it is anything else."""
    if not (line.startswith("[") and line.endswith("]")) or line[1:].lstrip().startswith(
        ("{", "[", "]")
    ):
        return None
    value, end = value_at(line, 0)
    return value if isinstance(value, list) and end == len(line) and is_row(value) else None
