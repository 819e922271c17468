"""The parts of the traces of the ledger's rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acpgen.model import JsonValue

__all__ = ["Json", "LedgerScript", "LedgerStep", "LedgerTrace"]

Json = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class LedgerStep:
    """One event, its effects, and the state of every claim afterwards."""

    rule: str
    event: Json
    effects: tuple[Json, ...]
    claims: Mapping[str, str]

    def members(self) -> JsonValue:
        """The step as JSON."""
        event: Json = {**self.event}
        return {
            "rule": self.rule,
            **event,
            "effects": list(self.effects),
            "claims": dict(self.claims),
        }


@dataclass(frozen=True, slots=True)
class LedgerTrace:
    """Events in one process.

    Fields:
        name: the name of the file.
        title: what the trace shows.
        steps: the events, in order.
        compare: whether a key with another prompt is refused.
        keep_orphans: whether a prompt stays whose connections are all lost.
        most: how many claims may wait; None if there is no limit.
        most_bytes: how many bytes they may have together; None if there is no limit.
    """

    name: str
    title: str
    steps: tuple[LedgerStep, ...]
    compare: bool = False
    keep_orphans: bool = True
    most: int | None = None
    most_bytes: int | None = None


@dataclass(slots=True)
class LedgerScript:
    """Builds the steps of a trace. Claims are numbered in the order of their `start`."""

    steps: list[LedgerStep] = field(default_factory=list)

    def step(self, rule: str, event: Json, *effects: Json, **claims: str) -> None:
        """Add a step. The names of claims begin with an underscore."""
        named = {name.removeprefix("_"): state for name, state in claims.items()}
        self.steps.append(LedgerStep(rule, event, effects, named))

    def trace(
        self,
        name: str,
        title: str,
        *,
        compare: bool = False,
        keep_orphans: bool = True,
        most: int | None = None,
        most_bytes: int | None = None,
    ) -> LedgerTrace:
        """The trace of the steps. The arguments are the fields of `LedgerTrace`."""
        steps = tuple(self.steps)
        return LedgerTrace(name, title, steps, compare, keep_orphans, most, most_bytes)
