"""What one type takes of another: where the answer is exact, and where it is in doubt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acpgen.diff import Change, Party, diff
from acpgen.diff.effect import Effect
from acpgen.diff.inclusion import Inclusion
from acpgen.model import Protocol, Ref, TypeName
from small_schema import loaded, schema

SAID = {"description": "Said."}
KNOT = Ref(TypeName("Knot"))


def protocol(path: Path, member: dict[str, Any], **definitions: dict[str, Any]) -> Protocol:
    request = {"properties": {"m": {**SAID, **member}}}
    return loaded(schema({**definitions, "SendRequest": request}), path / "s.json")


def knot(path: Path, least: int) -> Protocol:
    """A type that holds itself, with a limit inside."""
    members = {
        "next": {**SAID, "$ref": "#/$defs/Knot"},
        "size": {**SAID, "type": "integer", "minimum": least},
    }
    body = {**SAID, "type": "object", "properties": members}
    return protocol(path, {"$ref": "#/$defs/Knot"}, Knot=body)


def test_a_type_inside_itself_is_compared_to_the_end(tmp_path: Path) -> None:
    old, new = knot(tmp_path, 1), knot(tmp_path, 2)
    assert Inclusion(old, new).effects(KNOT, KNOT) == frozenset({Effect.NARROWS})
    assert Inclusion(old, knot(tmp_path, 1)).effects(KNOT, KNOT) == frozenset()


def test_a_type_that_needs_itself_has_no_values(tmp_path: Path) -> None:
    members = {"next": {**SAID, "$ref": "#/$defs/Knot"}}
    endless = {**SAID, "type": "object", "properties": members, "required": ["next"]}
    old = protocol(tmp_path, {"$ref": "#/$defs/Knot"}, Knot=endless)
    assert Inclusion(old, knot(tmp_path, 1)).effects(KNOT, KNOT) == frozenset({Effect.WIDENS})


def broken(changes: tuple[Change, ...]) -> set[tuple[str, Party]]:
    return {(change.rule.id, party) for change in changes for party in change.breaks}


def test_what_takes_too_many_steps_counts_as_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = knot(tmp_path, 1), knot(tmp_path, 2)
    exact = broken(diff(old, new))
    monkeypatch.setenv("ACPGEN_DIFF_STEPS", "1")
    inclusion = Inclusion(old, new)
    assert inclusion.effects(KNOT, KNOT) is None
    assert inclusion.moved(Effect.NARROWS, inclusion.term(KNOT, 0), KNOT) is None
    assert broken(diff(old, new)) >= exact
    assert exact == {("limit-tightened", Party.CLIENT)}


def test_a_variant_that_takes_what_another_lost_hides_the_loss(tmp_path: Path) -> None:
    wide: dict[str, Any] = {**SAID, "title": "Wide", "type": "integer"}
    old = protocol(tmp_path, {"anyOf": [{**SAID, "title": "A", "type": "integer"}, wide]})
    least = {**SAID, "title": "A", "type": "integer", "minimum": 3}
    new = protocol(tmp_path, {"anyOf": [least, wide]})
    assert not broken(diff(old, new))
    wide["maximum"] = 1
    old = protocol(tmp_path, {"anyOf": [{**SAID, "title": "A", "type": "integer"}, wide]})
    new = protocol(tmp_path, {"anyOf": [least, wide]})
    assert broken(diff(old, new)) == {("limit-tightened", Party.CLIENT)}


def test_two_variants_together_take_what_was_one(tmp_path: Path) -> None:
    small = {**SAID, "title": "Small", "type": "integer", "maximum": 4}
    large: dict[str, Any] = {**SAID, "title": "Large", "type": "integer", "minimum": 5}
    old, new = (
        protocol(tmp_path, {"type": "integer"}),
        protocol(tmp_path, {"anyOf": [small, large]}),
    )
    assert not broken(diff(old, new))
    large["minimum"] = 6
    new = protocol(tmp_path, {"anyOf": [small, large]})
    assert broken(diff(old, new)) == {("type-narrowed", Party.CLIENT)}
