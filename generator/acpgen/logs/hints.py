"""What the caller says about a log, where its lines don't show it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from acpgen.logs.markdown_log import is_markdown

MARKDOWN = "markdown"
"""The shape of a page, whose fenced JSON is read."""
SHAPES = (
    *("lines", "transcript", "wrapped", "prefixed", "values", "array", "sse", "frames"),
    MARKDOWN,
)
"""The shapes that a log can be read as. `values` are values that span lines, one after another."""


@dataclass(frozen=True, slots=True)
class Hints:
    """Where the messages are in the values of a log.

    Args:
        shape: one of `SHAPES`, or None to find out.
        message_at: the pointer (RFC 6901) of the message in each value; None to find out.
        sender_at: the pointer of the direction or the sender.
        connection_at: the pointer of the connection.
        client: the value there, or before the message on its line, that means the client.
    """

    shape: str | None = None
    message_at: str | None = None
    sender_at: str | None = None
    connection_at: str | None = None
    client: str | None = None

    @property
    def given(self) -> bool:
        """True if there is any."""
        return self != Hints()

    def for_file(self, name: str) -> Hints:
        """The hints for a file: a Markdown page is read as one, if no shape is given."""
        return replace(self, shape=MARKDOWN) if not self.shape and is_markdown(name) else self


def tokens(pointer: str) -> tuple[str, ...]:
    """Return the tokens of a pointer; a name without a slash is a pointer of one token."""
    if not pointer:
        return ()
    parts = pointer.removeprefix("/").split("/")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)
