"""How long stores keep what is old."""

from __future__ import annotations

from datetime import timedelta

__all__ = ["pruned_before"]


def pruned_before(older_than: timedelta, now: float) -> float:
    """Return the time before which everything is pruned, in seconds since the epoch.

    Raises:
        ValueError: the duration is negative, so that nothing would be too new.
    """
    if older_than < timedelta():
        raise ValueError(
            f"older_than is {older_than}, and has to be zero or more: a negative duration would"
            " remove everything"
        )
    return now - older_than.total_seconds()
