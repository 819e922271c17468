"""How a kind of change is declared.

A kind of change is a rule: a function that puts the change into words which follow the place. Its
severity is that of a change in the stable part which breaks peers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from acpgen.diff.effect import Effect
from acpgen.findings import Severity
from acpgen.rulebook import Group, Rule, id_of, page_of


class Delta(Protocol):
    """The facts that a rule words: the place, what changed there, the old and the new value."""

    @property
    def name(self) -> str:
        """The added or removed item, or the property that differs."""
        ...

    @property
    def old(self) -> str:
        """The old value."""
        ...

    @property
    def new(self) -> str:
        """The new value."""
        ...


Words = Callable[[Delta], str]


@dataclass(frozen=True, slots=True, eq=False)
class ChangeRule(Rule[Words]):
    """One kind of change. `about_resending` if it changes what senders may send again."""

    effect: Effect
    about_resending: bool


def change(effect: Effect) -> Callable[[Words], ChangeRule]:
    """Declare a kind of change.

    Raises:
        ValueError: the docstring is not the page of a rule.
    """
    return lambda words: _declared(words, effect, about_resending=False)


def promise(effect: Effect) -> Callable[[Words], ChangeRule]:
    """Declare a kind of change that is about what senders may send again.

    Raises:
        ValueError: the docstring is not the page of a rule.
    """
    return lambda words: _declared(words, effect, about_resending=True)


def _declared(words: Words, effect: Effect, *, about_resending: bool) -> ChangeRule:
    row = effect.value
    breaks = row.breaks_senders or row.breaks_receivers or effect is Effect.PROMISE
    severity = Severity.ERROR if breaks else row.severity
    page = page_of(words)
    return ChangeRule(id_of(words), Group.DIFF, severity, page, words, effect, about_resending)
