"""Names in other cases."""

from __future__ import annotations

import re

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_FOREIGN = re.compile(r"\W", re.ASCII)


def snake(name: str) -> str:
    """Return `ContentBlock` as `content_block`; each character but `A-Za-z0-9_` becomes `_`."""
    return _FOREIGN.sub("_", _WORD_START.sub("_", name)).lower()
