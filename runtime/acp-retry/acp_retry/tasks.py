"""Distinguishes a cancelled task from one that awaited a cancelled task."""

from __future__ import annotations

import asyncio

__all__ = ["is_stopped"]


def is_stopped() -> bool:
    """Whether the running task was cancelled.

    Otherwise a `CancelledError` in it is a failure of what it awaited.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
