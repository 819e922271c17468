"""Errors of standard output, which have its name, so that no input is blamed for them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

OUTPUT = "standard output"


def write(stream: TextIO, text: str) -> None:
    """Write a text to standard output.

    Raises:
        OSError: it can't be written; its `filename` is `OUTPUT`.
    """
    try:
        stream.write(text)
    except OSError as error:
        raise of_output(error) from None


def flush(stream: TextIO) -> None:
    """Write what is buffered for standard output.

    Raises:
        OSError: it can't be written; its `filename` is `OUTPUT`.
    """
    try:
        stream.flush()
    except OSError as error:
        raise of_output(error) from None


def of_output(error: OSError) -> OSError:
    """Return an error of writing to standard output, with its name."""
    error.filename = OUTPUT
    return error


def is_of_output(error: Exception) -> bool:
    """True if an error is that of standard output."""
    return isinstance(error, OSError) and error.filename == OUTPUT
