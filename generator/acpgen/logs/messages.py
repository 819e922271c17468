"""What a message looks like by itself."""

from __future__ import annotations

from acpgen.startup.accept import ENVELOPE as ENVELOPE

_CALLS = ("method", "result", "error", "id")


def is_message(value: object) -> bool:
    """Whether a value is a message by itself."""
    return isinstance(value, dict) and "jsonrpc" in value and any(name in value for name in _CALLS)


def is_bare(value: object) -> bool:
    """Whether a value has a message's members and no others, perhaps without `jsonrpc`."""
    return (
        isinstance(value, dict)
        and value.keys() <= ENVELOPE
        and (isinstance(value.get("method"), str) or ("id" in value and len(value) > 1))
    )
