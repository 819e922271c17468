"""When to read a JSON value whose text comes in pieces, so that the work stays linear."""

from __future__ import annotations

import re

_MARK = re.compile(r"[^\s,:\d.+\-Etruefalsn]")
"""What opens or closes something outside a string, or is not JSON there."""
_QUOTE = re.compile(r'["\\\n]')


class GrowingValue:
    """The state of an object or array as its pieces come, without its text.

    It is due to be read when it may have ended, when it can't be JSON any more, and when it is
    twice as long as it was the last time.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = self._is_escaped = self._is_over = False
        self._size = self._read_size = 0

    def add(self, piece: str, start: int = 0) -> None:
        """Note the next piece, of which the value has what is after an index."""
        self._size += len(piece)
        at = start
        while at < len(piece) and not self._is_over:
            if self._is_escaped:
                self._is_escaped = False
                at += 1
                continue
            found = (_QUOTE if self._in_string else _MARK).search(piece, at)
            if found is None:
                return
            at = found.end()
            self._pass(found[0])

    def _pass(self, mark: str) -> None:
        if mark == "\\" and self._in_string:
            self._is_escaped = True
        elif mark == "\n" and self._in_string:
            self._is_over = True
        elif mark == '"':
            self._in_string = not self._in_string
        elif mark in "{[":
            self._depth += 1
        else:
            self._depth -= 1
            self._is_over = self._depth <= 0 or mark not in "}]"

    def is_due(self) -> bool:
        """True if the whole text is to be read now. It is noted that this was done."""
        due = self._is_over or self._size >= 2 * self._read_size
        if due:
            self._read_size = self._size
        return due
