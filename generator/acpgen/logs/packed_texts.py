"""Texts inside an object that are packed: in base64, in numbers, as a string in a string."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from acp_wire.reader import JsonValue
from acpgen.logs.quoted_text import python_object
from acpgen.logs.scanning import value_at
from acpgen.logs.surroundings import Members

_BASE64 = re.compile(r"eyJ[A-Za-z0-9+/]{20,}={0,2}\s*$")
"""The base64 of a text that starts as an object does."""
PACKED = frozenset({"encoding", "mimeType"})
"""The members that say how the other members of an object are packed."""
_MEDIA = ("json", "event-stream", "plain", "octet-stream")
"""What the types of bodies have in their names that may be messages."""


def texts(value: Members) -> Iterator[tuple[str, JsonValue]]:
    """The members of an object. What is packed in them is unpacked: see the module.

    The body of an HTTP archive that is of another type than messages are is left out.
    """
    packed = value.get("encoding") == "base64"
    media = value.get("mimeType")
    foreign = isinstance(media, str) and media and not any(name in media for name in _MEDIA)
    for name, member in value.items():
        if isinstance(member, str):
            if name == "text" and foreign:
                continue
            yield name, _unpacked(member, packed=packed and name == "text")
        elif _is_bytes(member):
            yield name, bytes(member).decode("utf-8", "replace")  # type: ignore[arg-type]
        else:
            yield name, member


def _unpacked(text: str, *, packed: bool) -> str:
    """A text as it was before it was packed."""
    if packed or (text.startswith("eyJ") and _BASE64.match(text)):
        try:
            text = base64.b64decode(text).decode("utf-8", "replace")
        except ValueError:
            return text
    if text.startswith('"') and '\\"' in text[:40]:  # a string in a string
        inner, end = value_at(text, 0)
        if isinstance(inner, str) and not text[end:].strip():
            return inner
    if "'jsonrpc'" in text and '"jsonrpc"' not in text:
        made = python_object(text)
        if made is not None:
            return text[: made[0]] + made[1]
    return text


def _is_bytes(value: JsonValue) -> bool:
    return (
        isinstance(value, list)
        and len(value) > len('{"jsonrpc":"2.0"}')
        and all(type(each) is int and 0 <= each <= 255 for each in value)
    )
