"""Python source text."""

from __future__ import annotations

import json


def literal(value: str | None) -> str:
    """A string or None as a Python expression, in double quotes and on one line."""
    return "None" if value is None else json.dumps(value, ensure_ascii=False)
