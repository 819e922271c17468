"""How bytes that should be JSON may be encoded instead."""

from __future__ import annotations


def is_utf_16(text: bytes) -> bool:
    """Whether a text starts like JSON in UTF-16, whose lines don't end where those of UTF-8 do."""
    return text.startswith((b"\xff\xfe", b"\xfe\xff")) or text[:2].count(0) == 1
