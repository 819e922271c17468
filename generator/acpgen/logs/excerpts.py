"""What an error shows of a line that is not a message."""

from __future__ import annotations

import re

from acp_wire.keys import may_hold_key
from acpgen.logs.log_lines import as_bytes

_SHOWN, _NEAR = 60, 200
_SECRET = re.compile(
    r"token|secret|passw|credential|authorization|bearer|cookie|api.?key", re.IGNORECASE
)
"""What is in the names of secrets."""


def shown(text: str) -> str:
    """The start of a line of other output, unless it may hold a secret."""
    near = text[:_NEAR]
    if may_hold_key(as_bytes(near)) or _SECRET.search(near):
        return "it may hold a secret, so it is not shown"
    start = "".join(c if c.isprintable() else "\ufffd" for c in text[: _SHOWN + 1])
    return repr(start if len(start) <= _SHOWN else f"{start[:_SHOWN]}...")
