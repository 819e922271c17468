"""Circles in what refers to each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping


def way_back(start: str, steps: Mapping[str, Iterable[str]]) -> list[str] | None:
    """Return the shortest way from a name back to itself, both ends included; None without one.

    `steps` has the names that a name leads to, in the order in which ways are tried.
    """
    queue, before = deque([start]), dict[str, str]()
    while queue:
        name = queue.popleft()
        for following in steps.get(name, ()):
            if following == start:
                way = [start, name]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1]
            if following not in before:
                before[following] = name
                queue.append(following)
    return None
