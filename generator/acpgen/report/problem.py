"""Why a report is not complete."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ProblemKind(StrEnum):
    """What a problem means for the report.

    After an input that is not read to its end, or has no messages or only those of another version,
    the status is 2. A report that reached its limit of errors has found them, so its status is 1.
    """

    UNREAD = "unread"
    LIMIT = "limit"
    EMPTY = "empty"
    OTHER_VERSION = "other-version"


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why a file is not judged, or only in part."""

    file: str
    message: str
    line: int | None = None
    kind: ProblemKind = ProblemKind.UNREAD

    @property
    def place(self) -> str:
        """`file:line`, or the file alone."""
        return self.file if self.line is None else f"{self.file}:{self.line}"
