"""Compiled templates, kept for every environment of the process."""

from __future__ import annotations

from types import CodeType

from jinja2.bccache import Bucket, BytecodeCache

__all__ = ["COMPILED"]


class _Compiled(BytecodeCache):
    """The last code of each template. Jinja asks by the name, the path and the text of one."""

    def __init__(self) -> None:
        self._codes: dict[str, tuple[str, CodeType]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket with the code of the text that it is for, if that is known."""
        checksum, code = self._codes.get(bucket.key, (None, None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a bucket."""
        if bucket.code is not None:
            self._codes[bucket.key] = bucket.checksum, bucket.code


COMPILED = _Compiled()
"""To compile a template takes far longer than to fill it, and several targets use the same ones."""
