"""What a log was read as, in a line."""

from __future__ import annotations

from acpgen.logs.wrapping import WrappedMessage
from acpgen.words import counted

_NAMED = {
    "lines": "messages, one a line",
    "transcript": "a transcript",
    "prefixed": "lines with a prefix",
    "values": "values that span lines",
    "array": "an array",
    "har": "a HAR file",
    "sse": "server-sent events",
    "frames": "frames with Content-Length",
    "python": "objects as Python prints them",
    "titled": "titles with params and results below",
    "rewrapped": "lines that a terminal cut",
}


class LogReading:
    """The shapes of the messages of a log, and the names that their places have in it.

    `base` is the canonical shape that it has, if it has one.
    """

    def __init__(self) -> None:
        self.base: tuple[str, ...] = ()
        self._shapes: dict[str, None] = {}
        self._names: dict[str, str] = {}

    def has(self, shape: str) -> bool:
        """True if a message had a shape."""
        return shape in self._shapes

    def saw(self, shape: str, found: WrappedMessage | None) -> None:
        """Note the shape of a message, and where it was; None for one that is broken."""
        self._shapes.setdefault(shape)
        if found is None:
            return
        if found.token is not None:
            self._names.setdefault("direction", found.token.name)
        if found.at:
            self._names.setdefault("message", "/".join(found.at))

    def text(self, number: int, passed_over: int, encoding: str | None) -> str | None:
        """Return a line about a number of messages; None where that goes without saying."""
        shapes = [*dict.fromkeys((*self.base, *self._shapes))]
        if not shapes:
            return None
        plain = shapes in (["lines"], ["transcript"], ["values"], ["wrapped"])
        plain = plain and (number == 1 or bool(self.base) or shapes == ["lines"])
        if plain and not passed_over and encoding is None:
            return None
        names = [_NAMED.get(shape, "wrapped lines" + self._fields()) for shape in shapes]
        if self._fields() and "wrapped" not in self._shapes:
            names[-1] += self._fields()
        if shapes == ["array"]:
            names = [f"an array of {counted(number, 'message')}{self._fields()}"]
            parts = ["not as a batch"]
        else:
            parts = [counted(number, "message")]
        if passed_over:
            parts.append(f"{counted(passed_over, 'line')} of other output passed over")
        named = "" if encoding is None else f" in {encoding}"
        mark = "," if shapes == ["array"] else ":"
        return f"read as {' and '.join(names)}{named}{mark} {', '.join(parts)}"

    def _fields(self) -> str:
        named = ", ".join(f'{what} "{name}"' for what, name in self._names.items())
        return f" ({named})" if named else ""
