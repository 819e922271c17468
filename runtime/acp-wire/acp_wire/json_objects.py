"""The JSON object that some bytes hold, for readers of messages and of frames."""

from __future__ import annotations

from typing import Any

from acp_wire.reader import NotJsonError, read

__all__ = ["object_in"]


def object_in(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object in some bytes, or None if they are not one."""
    try:
        value = read(data)
    except NotJsonError:
        return None
    return value if isinstance(value, dict) else None
