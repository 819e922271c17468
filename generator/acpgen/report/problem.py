"""Why a report is not complete."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file, so that not all of it is judged."""

    file: str
    message: str
    line: int | None = None
