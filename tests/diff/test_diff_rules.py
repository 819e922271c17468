"""The kinds of change are complete and don't contradict each other."""

from __future__ import annotations

import pytest

from acpgen.diff import RULES, ChangeRule, Effect
from mirrors import MIRRORS, UNMIRRORED

OPPOSITE = {
    Effect.NARROWS: {Effect.WIDENS, Effect.ADDS},
    Effect.WIDENS: {Effect.NARROWS},
    Effect.REPLACES: {Effect.REPLACES},
    Effect.MISREADS: {Effect.MISREADS},
    Effect.PROMISE: {Effect.PROMISE},
    Effect.WEAKENS: {Effect.STRENGTHENS},
    Effect.STRENGTHENS: {Effect.WEAKENS},
    Effect.FORGETS: {Effect.ADDS},
    Effect.BINDS: {Effect.BINDS},
    Effect.ADDS: {Effect.NARROWS, Effect.FORGETS},
    Effect.HARDENS: {Effect.NOTES},
    Effect.NOTES: {Effect.NOTES, Effect.HARDENS},
    Effect.DOCS: {Effect.DOCS},
}
"""What undoing a change of some effect can do. A method or a member that is added breaks no peer,
since peers ask for it or ignore it; taken away again, it is missed."""


def test_every_kind_is_mirrored_or_has_a_reason_why_not() -> None:
    assert MIRRORS.keys() | UNMIRRORED.keys() == RULES.keys()
    assert not MIRRORS.keys() & UNMIRRORED.keys()


@pytest.mark.parametrize("kind", sorted(MIRRORS))
def test_the_way_back_has_the_opposite_effect(kind: str) -> None:
    back = MIRRORS[kind]
    assert MIRRORS[back] == kind
    assert RULES[back].effect in OPPOSITE[RULES[kind].effect]


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_only_a_change_that_is_fine_has_no_wrong_example(rule: ChangeRule) -> None:
    fine = rule.effect in {Effect.ADDS, Effect.NOTES, Effect.DOCS}
    assert ("Example: (none)" in rule.page) == (fine and rule.id != "default-dropped")


@pytest.mark.parametrize("effect", Effect)
def test_what_breaks_peers_says_why(effect: Effect) -> None:
    row = effect.value
    assert bool(row.reason) == (row.breaks_senders or row.breaks_receivers)
    assert bool(row.recovered) == bool(effect.moves)
    assert row.name == effect.name.lower()
