"""How long a prompt may wait before the user is asked (RFD, How long a key lasts)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["has_waited_for_long", "was_set_back"]

LONG: Final = timedelta(hours=12)
"""A prompt that waited longer is shown to the user on the same day, too."""

OVERNIGHT: Final = timedelta(hours=1)
"""A prompt since a previous day is shown to the user if it waited longer than this."""

SKEW: Final = 300.0
"""Seconds that a clock may be set back without making times doubtful."""


def was_set_back(seen: float, now: float) -> bool:
    """True if the clock is wrong, or was when it showed `seen`: that time is in the future."""
    return now < seen - SKEW


def has_waited_for_long(submitted: float, now: float, oldest: timedelta | None = None) -> bool:
    """True if a prompt has to be shown to the user instead of being resent.

    The age of a prompt from the future is not known, so it is shown as well.

    Args:
        submitted: when it was submitted, in seconds since the epoch.
        now: the current time, in seconds since the epoch.
        oldest: the longest wait. By default a prompt has waited for long since a previous day, in
            local time, or for more than 12 hours.
    """
    try:
        begin, end = (datetime.fromtimestamp(each, UTC).astimezone() for each in (submitted, now))
    except (OverflowError, ValueError, OSError):  # no year of that number
        return True
    age = end - begin
    if was_set_back(submitted, now):
        return True
    if oldest is not None:
        return age > oldest
    return age > LONG or (end.date() > begin.date() and age > OVERNIGHT)
