"""How long a client waits before it connects again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Backoff"]


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays that double with each failure, half of each at random, so that clients spread.

    Args:
        first: the longest delay after the first failure, in seconds.
        longest: the longest delay, in seconds.
        attempts: how often connecting may fail one time after the other; without limit if None.
        draw: returns a number from 0 up to 1.
    """

    first: float = 0.25
    longest: float = 30.0
    attempts: int | None = None
    draw: Callable[[], float] = random.random

    def delay(self, failures: int) -> float:
        """Return the seconds to wait after some failures in a row, at least 1."""
        doublings = min(failures - 1, 64)  # more would overflow
        full = min(self.longest, self.first * 2.0**doublings)
        return full * (1 + self.draw()) / 2
