"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast


@contextmanager
def whole_file(out: Path) -> Iterator[BinaryIO]:
    """Give a draft to write to, which replaces the file when the block ends without an error.

    A link stays one: the file that it leads to is replaced. What is not a regular file, such as a
    pipe or a device, is written to as it comes and never replaced.

    Raises:
        OSError: it can't be written; the error names the file.
    """
    if out.exists() and not out.is_file():
        with out.open("wb") as stream:
            yield stream
        return
    try:
        with _draft(out.resolve()) as draft:
            yield draft
    except OSError as error:  # which may name the draft
        if error.filename is None or Path(error.filename).parent != out.resolve().parent:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(out)) from error


@contextmanager
def _draft(out: Path) -> Iterator[BinaryIO]:
    with tempfile.NamedTemporaryFile(
        dir=out.parent, prefix=".", suffix=out.suffix, delete=False
    ) as draft:
        try:
            yield cast("BinaryIO", draft)
            draft.flush()
            Path(draft.name).chmod(_mode(out))
            Path(draft.name).replace(out)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise


def _mode(out: Path) -> int:
    """The mode of a file, or that of a new one: the mask can only be read by setting it."""
    try:
        return out.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
