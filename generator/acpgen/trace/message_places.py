"""Where the messages of a recording are, also where several of them share a line."""

from __future__ import annotations

import re

_LINE = re.compile(r"\b(on )?line (\d+)")


class MessagePlaces:
    """Gives each message a position, which grows from message to message.

    A position is the line, unless several messages share that line: then it is a number that is
    not used yet, and the place is kept.
    """

    def __init__(self) -> None:
        self._last = 0
        self._moved: dict[int, tuple[int, int | None]] = {}

    def position(self, line: int, number: int | None) -> int:
        """Return the position of the next message.

        Args:
            line: the line of the log on which it starts, from 1.
            number: the number of the message in the log, where its line has several.
        """
        self._last = max(line, self._last + 1)
        if self._last != line or number is not None:
            self._moved[self._last] = (line, number)
        return self._last

    def place(self, position: int) -> tuple[int, int | None]:
        """Return the line of a message and, where its line has several, its number."""
        return self._moved.get(position, (position, None))

    def named(self, text: str) -> str:
        """The text of a fault, in which `line 7` is a position, with the places instead."""
        return _LINE.sub(self._named, text) if self._moved else text

    def _named(self, found: re.Match[str]) -> str:
        name = self.name(int(found[2]))
        on = "in " if name.startswith("message") else "on "
        return f"{on}{name}" if found[1] else name

    def name(self, position: int) -> str:
        """What to call the message at a position, such as `line 7`."""
        line, number = self.place(position)
        return f"line {line}" if number is None else f"message {number}"
