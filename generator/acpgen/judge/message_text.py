"""The text of one message, with what is known of it."""

from __future__ import annotations

from acp_wire.reader import Decoded, NotJsonError, attempt


class MessageText:
    """The text of one message, or one line of a transcript.

    `line` is the 1-based line on which it starts; `read` is what the text was read as, if it was.
    `connection` is the name of the connection, where the text does not have it. `number` is that of
    the message in the file, where its line has several.
    """

    __slots__ = ("_read", "connection", "line", "number", "text")

    def __init__(
        self,
        text: bytes,
        line: int,
        read: Decoded | NotJsonError | None = None,
        connection: int | str | None = None,
        number: int | None = None,
    ) -> None:
        self.text = text
        self.line = line
        self.connection = connection
        self.number = number
        self._read = read

    @property
    def decoded(self) -> Decoded | None:
        """The text, decoded once; None if it is not JSON."""
        if self._read is None:
            self._read = attempt(self.text)
        return self._read if isinstance(self._read, Decoded) else None
