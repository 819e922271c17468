"""The JSON object that some bytes hold, for readers of messages and of frames."""

from __future__ import annotations

from typing import Any

from acp_wire.reader import NotJsonError, read_exactly

__all__ = ["object_in"]


def object_in(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object in some bytes, or None if they are not one that can be sent again."""
    try:
        value = read_exactly(data)
    except NotJsonError:
        return None
    return value if isinstance(value, dict) else None
