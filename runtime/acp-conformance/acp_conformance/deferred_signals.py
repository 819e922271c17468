"""Signals that are deferred while a program is started, so that it is always ended later."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

__all__ = ["STOPS", "deferred"]

STOPS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that ask a program to end."""


@contextmanager
def deferred() -> Iterator[None]:
    """Deliver signals that ask for an end, and would raise an exception, after the block.

    Only Python's own handlers can raise, and only in the main thread. In other threads this does
    nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    with ExitStack() as after:
        after.callback(_hear, heard)
        for each in STOPS:
            handler = signal.getsignal(each)
            if callable(handler):
                after.callback(signal.signal, each, handler)
                signal.signal(each, lambda number, _: heard.append(number))
        yield


def _hear(numbers: Sequence[int]) -> None:
    for number in numbers[:1]:
        signal.raise_signal(number)
