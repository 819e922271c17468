"""What is said about rules and kinds is total and without contradiction."""

from __future__ import annotations

import pytest

from acpgen.diff import RULES, TOPICS, Effect, Kind
from acpgen.diff.change import WITHOUT_PEERS
from acpgen.diff.difference import Difference
from acpgen.diff.kinds import ACCEPTANCE, NATURES
from acpgen.diff.rule import rule

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
"""What undoing a change of some effect can do. A method or a member that is added breaks nobody,
since peers ask for it or ignore it; taken away again, it is missed."""


def test_every_kind_has_a_rule_and_a_nature() -> None:
    assert set(TOPICS) == set(NATURES) == set(Kind)
    assert [topic.id for topic in RULES] == sorted(Kind)


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_its_mirror_or_a_reason_why_not(kind: Kind) -> None:
    nature = NATURES[kind]
    assert (nature.mirror is None) == bool(nature.unmirrored)
    if nature.mirror is not None:
        back = NATURES[nature.mirror]
        assert back.mirror is kind
        assert back.effect in OPPOSITE[nature.effect]


@pytest.mark.parametrize("topic", RULES, ids=lambda topic: topic.id)
def test_a_rule_is_explained(topic: object) -> None:
    assert topic in RULES
    docs = TOPICS[Kind(getattr(topic, "id", ""))].docs
    summary, why, mistake, mend = docs.split("\n\n")
    assert summary.endswith(".")
    assert [part.partition(":")[0] for part in (why, mistake, mend)] == ["Why", "Mistake", "Mend"]


@pytest.mark.parametrize("topic", RULES, ids=lambda topic: topic.id)
def test_only_what_is_fine_has_no_mistake(topic: object) -> None:
    kind = Kind(getattr(topic, "id", ""))
    fine = NATURES[kind].effect in {Effect.ADDS, Effect.NOTES, Effect.DOCS}
    kept = {Kind.DEFAULT_DROPPED}
    assert ("Mistake: (none)" in TOPICS[kind].docs) == (fine and kind not in kept)


@pytest.mark.parametrize("table", [ACCEPTANCE, WITHOUT_PEERS], ids=["acceptance", "severity"])
def test_tables_are_total(table: dict[Effect, object]) -> None:
    assert set(table) == set(Effect)


def test_a_rule_needs_a_kind() -> None:
    def unheard_of(_: Difference) -> str:
        """Something."""
        return ""

    with pytest.raises(ValueError, match="'unheard-of' is not a valid Kind"):
        rule(unheard_of)


def test_a_rule_needs_a_docstring() -> None:
    def method_added(_: Difference) -> str:
        return ""

    with pytest.raises(ValueError, match="method_added needs a docstring"):
        rule(method_added)
