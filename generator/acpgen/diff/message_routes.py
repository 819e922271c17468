"""The messages that carry a type: routes to it from the params and results of shared methods."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from acpgen.diff.effect import Effect
from acpgen.diff.message_channels import EVERY_WAY, MessageChannel, answers, calls
from acpgen.diff.method_changes import shared
from acpgen.diff.schema_difference import Edge
from acpgen.diff.schema_place import Pair, SchemaPlace, Steps
from acpgen.diff.type_comparison import TypeComparison
from acpgen.model import ENVELOPE_TYPES


@dataclass(frozen=True, slots=True)
class Route:
    """A route to a type: from the type of params or a result, step by step.

    Effects are `lenient` where receivers fall back on the way, as at a place, and `masked` where
    another variant on the way takes what the type refuses.
    """

    channel: MessageChannel
    root: Pair
    steps: Steps = ()
    lenient: frozenset[Effect] = frozenset()
    masked: frozenset[Effect] = frozenset()
    overridden: frozenset[str] = frozenset()

    @property
    def sort(self) -> tuple[object, ...]:
        """The difference between two routes to the same type, apart from their steps."""
        return (self.channel, self.lenient, self.masked, self.overridden)

    def through(self, place: SchemaPlace) -> Route:
        """Extend the route by the steps to a place of the type."""
        return Route(
            self.channel,
            self.root,
            (*self.steps, *place.steps),
            self.lenient | place.lenient,
            self.masked | place.masked,
            place.inherited(self.overridden),
        )


def routes(walk: TypeComparison) -> Mapping[Pair, tuple[Route, ...]]:
    """Return the shortest routes to every pair of types in messages, one of each sort."""
    found: dict[Pair, dict[object, Route]] = {}
    queue = deque(_roots(walk))
    while queue:
        pair, route = queue.popleft()
        known = found.setdefault(pair, {})
        if route.sort in known:
            continue
        known[route.sort] = route
        for step in walk.pair(pair):
            if isinstance(step, Edge):
                queue.append((step.pair, route.through(step.place)))
    return {pair: tuple(known.values()) for pair, known in found.items()}


def _roots(walk: TypeComparison) -> Iterator[tuple[Pair, Route]]:
    for old, new in shared(walk.old, walk.new):
        pair = (old.params, new.params)
        for channel in set(calls(old)) & set(calls(new)):
            yield pair, Route(channel, pair)
        if old.result is not None and new.result is not None:
            pair = (old.result, new.result)
            for channel in set(answers(old)) & set(answers(new)):
                yield pair, Route(channel, pair)
    for name in ENVELOPE_TYPES:
        if name in walk.old.types and name in walk.new.types:
            for channel in EVERY_WAY:
                yield (name, name), Route(channel, (name, name))
