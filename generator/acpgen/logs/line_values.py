"""Values that a line is or has: a row of a table, an array behind other text, escaped text."""

from __future__ import annotations

from acp_wire.reader import JsonValue
from acpgen.logs.directions import is_arrow
from acpgen.logs.messages import is_row
from acpgen.logs.scanning import value_at
from acpgen.logs.unit import Unit

_ENTITIES = {"&quot;": '"', "&#34;": '"', "&lt;": "<", "&gt;": ">", "&#39;": "'", "&amp;": "&"}


def batch_behind(number: int, text: str, at: int) -> Unit | None:
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
