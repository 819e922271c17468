"""How deep types are inside each other, through references: a bound on every recursion."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping

from acpgen.model import Ref, Type, TypeDef, TypeName
from acpgen.types.structure import children, references

_CALLS = 20
"""The most calls inside each other that a walk over types makes for one level."""

_OTHER_CALLS = 500
"""The calls outside of such a walk."""

_Graph = Mapping[TypeName, tuple[TypeName, ...]]


def too_deep(types: Mapping[TypeName, TypeDef], most: int) -> Iterator[tuple[TypeDef, int]]:
    """The definitions whose types may be more than `most` levels inside each other, with the depth.

    A definition counts with the levels of its own body. Definitions that lead to each other in a
    circle count once each, since a walk may come through all of them. A definition that is
    too deep only because a part of it is, is not listed.
    """
    for first, inner, depth in _depths(types):
        if depth > most >= inner:
            yield types[first], depth


def make_room(types: Mapping[TypeName, TypeDef]) -> None:
    """Let Python make as many calls inside each other as a walk over the types takes.

    Python's limit stays as it is where it suffices, as it does for most schemas.
    """
    levels = max((depth for _, _, depth in _depths(types)), default=0)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _OTHER_CALLS + _CALLS * levels))


def _depths(types: Mapping[TypeName, TypeDef]) -> Iterator[tuple[TypeName, int, int]]:
    """Yield a name of each circle, the depth of what the circle leads to, and its own depth."""
    own = {name: _levels(definition.body) for name, definition in types.items()}
    graph = {name: tuple(references(types[name].body)) for name in types}
    depths: dict[TypeName, int] = {}
    for circle in _circles(graph):  # the parts come before what has them
        below = (depths[part] for name in circle for part in graph[name] if part in depths)
        inner = max(below, default=0)
        depth = inner + sum(own[name] for name in circle)
        depths |= dict.fromkeys(circle, depth)
        yield circle[0], inner, depth


def _levels(type_: Type) -> int:
    if isinstance(type_, Ref):
        return 1
    return 1 + max(map(_levels, children(type_)), default=0)


def _circles(graph: _Graph) -> Iterator[list[TypeName]]:
    """The strongly connected components, each after those that it leads to.

    This is Kosaraju's algorithm. It doesn't recurse, as the graph may be deep.
    """
    backwards: dict[TypeName, list[TypeName]] = {name: [] for name in graph}
    for name, parts in graph.items():
        for part in parts:
            backwards[part].append(name)
    found = set[TypeName]()
    finished = [name for start in graph for name in _walk(backwards, start, found)]
    grouped = set[TypeName]()
    for start in reversed(finished):
        circle = [*_walk(graph, start, grouped)]
        if circle:
            yield circle


def _walk(
    graph: Mapping[TypeName, Iterable[TypeName]], start: TypeName, seen: set[TypeName]
) -> Iterator[TypeName]:
    """The names that a name leads to and that are not seen yet, in the order they are finished."""
    if start in seen:
        return
    seen.add(start)
    stack = [(start, iter(graph[start]))]
    while stack:
        name, rest = stack[-1]
        part = next((each for each in rest if each not in seen), None)
        if part is None:
            stack.pop()
            yield name
        else:
            seen.add(part)
            stack.append((part, iter(graph[part])))
