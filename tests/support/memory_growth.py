"""How much memory a program keeps while it does the same many times."""

from __future__ import annotations

import gc
import logging
import tracemalloc
from collections.abc import Awaitable, Callable

from agents import settle


async def grown(step: Callable[[int], Awaitable[None]], times: int) -> int:
    """Bytes that are kept after many steps, beyond those after a quarter of them."""
    logging.disable()  # pytest keeps each record
    tracemalloc.start()
    taken = []
    for number in range(times):
        await step(number)
        if number in (times // 4, times - 1):
            await settle()
            gc.collect()
            taken.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    logging.disable(logging.NOTSET)
    first, last = taken
    return last - first
