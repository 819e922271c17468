"""How large a schema may be. It is refused beyond that, since its author need not be trusted."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

from acpgen.stated_limits import StatedLimitError, whole_number
from acpgen.words import counted

PREFIX = "ACPGEN_SCHEMA_"
"""The environment variables that replace a limit: this, and its name in capitals."""

_DEEPEST = 2_000


@dataclass(frozen=True, slots=True)
class SchemaLimits:
    """The most that a schema may have.

    Fields:
        bytes: of all its files together.
        files: in its folder.
        definitions: in all its files together.
        values: of JSON in all its files together, those inside other values included.
        depth: levels of types inside each other, references included; 2,000 is the most that a
            walk over types can follow.
        parts: members and variants of one type, when its bases are written out.
        pattern_steps: steps that examining all its regular expressions takes.
    """

    bytes: int = 16 * 1024 * 1024
    files: int = 1_000
    definitions: int = 2_000
    values: int = 100_000
    depth: int = 1_000
    parts: int = 10_000
    pattern_steps: int = 1_000_000

    @classmethod
    def current(cls) -> Self:
        """The limits, with those that the environment states.

        Raises:
            StatedLimitError: the environment states something else than a number above 0, or too
                large a depth.
        """
        defaults = {field.name: int(str(field.default)) for field in fields(cls)}
        limits = cls(**{n: whole_number(_variable(n), each) for n, each in defaults.items()})
        if limits.depth > _DEEPEST:
            complaint = f"is more than {_DEEPEST}, the most that works"
            raise StatedLimitError(_variable("depth"), complaint)
        return limits

    def require_size(self, place: Path, files: Iterable[Path]) -> None:
        """Refuse the files of a schema by their number and their sizes. None is read.

        Raises:
            OSError: there are too many, or they are too large.
        """
        size = 0
        for number, file in enumerate(files, 1):
            if number > self.files:
                raise too_large(place, f"has more than {counted(self.files, 'file')}", "files")
            size += file.stat().st_size if file.is_file() else 0
        if size > self.bytes:
            raise too_large(place, f"has more than {counted(self.bytes, 'byte')}", "bytes")


def too_large(place: Path, complaint: str, limit: str) -> OSError:
    """The error about a schema beyond a limit, which names the variable that sets it."""
    return OSError(errno.EFBIG, f"{complaint}; {advice(limit)}", str(place))


def advice(limit: str) -> str:
    """How to go on where a limit is too low."""
    return f"if that is meant, set {_variable(limit)}"


def _variable(limit: str) -> str:
    return f"{PREFIX}{limit.upper()}"
