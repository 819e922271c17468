"""Lists of messages inside one value: where they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from acp_wire.reader import JsonValue
from acpgen.logs.hints import Hints
from acpgen.logs.messages import is_bare, is_message, is_row
from acpgen.logs.scanning import blank, items, lines_above, members
from acpgen.logs.surroundings import members_near
from acpgen.logs.wrapping import as_object, messages_in

_KEYS = ("key", "name", "field")
"""What the name is called in a list of names with values."""
_KINDS = ("stringValue", "intValue", "bytesValue")
"""What a value is in, where its kind is named, as OpenTelemetry does."""
_PAIR = 3
"""How many members an item of such a list has at most."""
_DEPTH = 16
"""How deep in a value a list may be."""
ListPath = tuple[str | int, ...]
"""The names and indexes that lead to a list."""


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item of a list: the number of lines above it in the value, what it is, and its JSON."""

    below: int
    value: JsonValue
    text: str


@dataclass(frozen=True, slots=True)
class MessageList:
    """A list in which there are messages, and where it is in the value.

    `beside` are the members of the objects around it that may name the connection.
    """

    path: ListPath
    rows: Sequence[ListedItem]
    beside: Mapping[str, int | str] = field(default_factory=dict)


def lists_in(value: JsonValue, text: str, hints: Hints) -> list[MessageList]:
    """Return the lists of messages inside a value, as the WebSockets of a HAR file have them."""
    found: list[MessageList] = []
    pending: list[tuple[ListPath, JsonValue, int]] = [((), value, blank(text, 0))]
    while pending:
        path, inner, at = pending.pop()
        if len(path) > _DEPTH or (isinstance(inner, list) and _is_inside(found, path, inner)):
            continue
        if path and (is_message(inner) or is_bare(inner)):
            continue  # what is in a message, such as the text of a prompt, is not sent
        if isinstance(inner, list):
            spans = items(text, at)
            if (pairs := as_pairs(inner, text, spans)) is not None:
                if messages_in(pairs.value, pairs.text, hints):
                    found.append(MessageList(path, [pairs]))
                continue
            rows = [
                ListedItem(below, *as_object(item, text[start:end]))
                for item, (start, end), below in zip(
                    inner, spans, lines_above(text, spans), strict=False
                )
            ]
            if any(messages_in(row.value, row.text, hints) for row in rows):
                found.append(MessageList(path, rows, _beside(value, path)))
            pending += [
                ((*path, number), item, start)
                for number, item, (start, _) in reversed(
                    [*zip(count(), inner, spans, strict=False)]
                )
                if isinstance(item, dict | list) and not is_row(item)
            ]
        elif isinstance(inner, dict):
            pending += [
                ((*path, name), inner[name], start)
                for name, (start, _) in reversed(members(text, at).items())
                if isinstance(inner[name], dict | list)
            ]
    return found


def as_pairs(
    inner: list[JsonValue], text: str, spans: Sequence[tuple[int, int]]
) -> ListedItem | None:
    """A list of names with values as an object, such as `[{"key": "dir", "value": "out"}, ...]`.

    None for another list.
    """
    found: dict[str, JsonValue] = {}
    pieces = ["{"]
    above = None
    for item, (start, _) in zip(inner, spans, strict=False):
        keys = [name for name in _KEYS if isinstance(item, dict) and type(item.get(name)) is str]
        if not isinstance(item, dict) or not keys or "value" not in item or len(item) > _PAIR:
            return None
        value, (first, last) = item["value"], members(text, start)["value"]
        if isinstance(value, dict) and len(value) == 1 and (kind := next(iter(value))) in _KINDS:
            value, (first, last) = value[kind], members(text, first)[kind]
        above = text.count("\n", 0, first) if above is None else above
        name = str(item[keys[0]])
        found[name] = value
        pieces.append(f"{',' if len(found) > 1 else ''}{json.dumps(name)}:{text[first:last]}")
    return (
        ListedItem(above or 0, found, "".join([*pieces, "}"])) if len(found) == len(inner) else None
    )


def _beside(value: JsonValue, path: ListPath) -> Mapping[str, int | str]:
    """The members of the objects on the way to a list that may name the connection."""
    found: dict[str, int | str] = {}
    for step in path:
        if isinstance(value, dict):
            found |= members_near(value, (str(step),))
            value = value[str(step)]
        elif isinstance(value, list):
            value = value[int(step)]
    return found


def _is_inside(found: list[MessageList], path: ListPath, inner: list[JsonValue]) -> bool:
    """True for messages inside an item of a list that was found, which has them already."""
    return any(map(is_message, inner)) and any(
        path[: len(each.path)] == each.path for each in found
    )
