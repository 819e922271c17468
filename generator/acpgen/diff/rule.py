"""What a rule is. The function's name is its id, the docstring its documentation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from acpgen.diff.change import WITHOUT_PEERS
from acpgen.diff.difference import Difference
from acpgen.diff.kinds import ACCEPTANCE, NATURES, Effect, Kind
from acpgen.findings import Severity
from acpgen.topic import Topic, docs_of, name_of

_BREAKING = {effect for effect, ways in ACCEPTANCE.items() if ways} | {
    Effect.MISREADS,
    Effect.PROMISE,
    Effect.WEAKENS,
    Effect.STRENGTHENS,
}
"""The effects that break peers."""

Say = Callable[[Difference], str]
"""Says what a difference is, in words that follow the place."""


@dataclass(frozen=True, slots=True)
class Rule(Topic):
    """One kind of change, with its documentation. The severity is that of the stable part."""

    id: Kind
    say: Say


def rule(say: Say) -> Rule:
    """Make a function the rule about the kind of change that it is called after.

    Raises:
        ValueError: no kind is called so, or the function has no docstring.
    """
    kind = Kind(name_of(say))
    return Rule(kind, _severity(NATURES[kind].effect), docs_of(say), say)


def _severity(effect: Effect) -> Severity:
    return Severity.ERROR if effect in _BREAKING else WITHOUT_PEERS[effect]
