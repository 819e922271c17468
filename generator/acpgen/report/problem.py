"""Why a report is not complete."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why a file is not judged, or only in part."""

    file: str
    message: str
    line: int | None = None
