"""Telling a task that is told to stop from one that awaited what somebody else has stopped."""

from __future__ import annotations

import asyncio

__all__ = ["is_stopped"]


def is_stopped() -> bool:
    """Whether somebody cancelled the running task.

    Otherwise a `CancelledError` in it is a failure of what it awaited, like any other.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
