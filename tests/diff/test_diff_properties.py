"""What must hold for whatever edits: no break without a witness, no witness without a break."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acpgen.diff import Change, Effect, Party, diff
from acpgen.diff.message_channels import MessageChannel, answers, calls
from acpgen.diff.witness import Witness, Witnesses
from acpgen.emit.jsonschema import JsonSchema, definition
from acpgen.load import load
from acpgen.model import Protocol, Stability, TypeName
from acpgen.targets.bundles import bundle
from acpgen.types.stability import stable
from acpgen.types.structure import references
from instances import instances
from mirrors import MIRRORS
from proofs import a_few, amount, scaled
from random_edits import edited, shuffled
from small_schema import FOLDER, loaded, schema
from whole_schema import whole_schema

SMALL = load(FOLDER / "base.json")
WHOLE = whole_schema()
STABLE = stable(WHOLE)
TRIES = 25
SEEDS = st.integers(0, 2**32)


class Judge:
    """Any JSON Schema engine with the schema of a protocol."""

    def __init__(self, protocol: Protocol) -> None:
        types = protocol.types
        # The stable part of a protocol that lint would complain about may refer to what it lacks.
        named: JsonSchema = {
            name: {} for type_ in types.values() for name in references(type_.body)
        }
        self._definitions = named | {name: definition(type_) for name, type_ in types.items()}
        self._validators: dict[TypeName, jsonschema_rs.Validator] = {}

    def accepts(self, name: TypeName, value: object) -> bool:
        if name not in self._validators:
            schema = {"$ref": f"#/$defs/{name}", "$defs": self._definitions}
            self._validators[name] = jsonschema_rs.Draft202012Validator(schema)
        return self._validators[name].is_valid(value)


def roots(protocol: Protocol) -> list[tuple[MessageChannel, TypeName]]:
    """What is sent, with the name of its type."""
    found = []
    for method in protocol.methods:
        found += [(channel, method.params) for channel in calls(method)]
        if method.result is not None:
            found += [(channel, method.result) for channel in answers(method)]
    return found


def reported(changes: tuple[Change, ...], channel: MessageChannel, effect: Effect) -> bool:
    """True if some change says that a message of the channel is refused, one way or the other."""
    party: Party = channel.sender if effect is Effect.NARROWS else channel.receiver
    return any(
        effect in change.effect.moves
        and channel.method in change.methods
        and party in change.breaks | change.recovers
        for change in changes
    )


@pytest.mark.parametrize("protocol", [SMALL, WHOLE], ids=["small", "whole"])
def test_nothing_changes_from_a_protocol_to_itself(protocol: Protocol) -> None:
    assert diff(protocol, protocol) == ()


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_order_and_files_are_no_change(seed: int) -> None:
    assert diff(SMALL, shuffled(SMALL, Random(seed))) == ()


@scaled("shuffles the whole schema many times")
def test_order_and_files_are_no_change_of_the_whole_schema() -> None:
    for seed in range(amount(1, 10)):
        assert diff(WHOLE, shuffled(WHOLE, Random(seed))) == (), seed


@scaled("random edits")
@settings(max_examples=amount(20, 80), deadline=None)
@given(seed=SEEDS)
def test_a_break_has_a_witness(seed: int) -> None:
    new = edited(SMALL, Random(seed))
    witnesses = Witnesses(SMALL, new)
    judges = Judge(SMALL), Judge(new)
    for change in diff(SMALL, new):
        if change.evidence is not None:
            witness = witnesses.of(change)
            assert witness is not None, change
            assert shown(change, witness, judges)


def shown(change: Change, witness: Witness, judges: tuple[Judge, Judge]) -> bool:
    """True if a witness is accepted by the side that it says, and refused by the other."""
    assert change.evidence is not None
    verdicts = [
        judge.accepts(name, witness.value)
        for judge, name in zip(judges, change.evidence.route.root, strict=True)
    ]
    return verdicts == [witness.accepted_by_old, not witness.accepted_by_old]


@scaled("random edits")
@settings(max_examples=amount(20, 80), deadline=None)
@given(seed=SEEDS)
def test_what_is_refused_is_reported(seed: int) -> None:
    rng = Random(seed)
    new = SMALL
    for _ in range(rng.randint(1, 3)):
        new = edited(new, rng)
    require_reported(SMALL, new, diff(SMALL, new), rng)


def noticed(changes: tuple[Change, ...], _: MessageChannel, effect: Effect) -> bool:
    """True if some change says that something is refused, one way or the other."""
    return any(effect in change.effect.moves for change in changes)


def require_reported(
    old: Protocol,
    new: Protocol,
    changes: tuple[Change, ...],
    rng: Random,
    reported: Callable[[tuple[Change, ...], MessageChannel, Effect], bool] = reported,
) -> None:
    """Try messages of both protocols: what the other refuses has to be among the changes."""
    sides = (old, Judge(old)), (new, Judge(new))
    for effect, (protocol, takes), (_, refuses) in (
        (Effect.NARROWS, *sides),
        (Effect.WIDENS, *sides[::-1]),
    ):
        for channel, name in roots(old):
            if not reported(changes, channel, effect):
                for value in islice(instances(protocol, name, rng), TRIES):
                    fine = refuses.accepts(name, value) or not takes.accepts(name, value)
                    assert fine, (channel, value, changes)


def test_a_change_kept_quiet_would_be_noticed(tmp_path: Path) -> None:
    document = schema({"SendRequest": {"properties": {"label": {"maxLength": 1}}}})
    new = loaded(document, tmp_path / "new.json")
    name, takes, refuses = TypeName("SendRequest"), Judge(SMALL), Judge(new)
    sent = list(islice(instances(SMALL, name, Random(1)), TRIES))
    assert any(takes.accepts(name, v) and not refuses.accepts(name, v) for v in sent)
    (channel,) = (channel for channel, root in roots(SMALL) if root == name)
    assert reported(diff(SMALL, new), channel, Effect.NARROWS)
    assert not reported((), channel, Effect.NARROWS)


@pytest.mark.parametrize(
    "batch", a_few(range(20), (), "edits the whole schema many times", bulk=True)
)
def test_every_change_of_the_whole_schema_has_a_witness(batch: int) -> None:
    """What an edit breaks is reported, and each reported break has a message that shows it."""
    for edit in range(amount(1, 100)):
        rng = Random(1000 * batch + edit)
        new = edited(WHOLE, rng)
        witnesses = Witnesses(WHOLE, new)
        changes = diff(WHOLE, new)
        for change in changes:
            assert (change.evidence is None) == (witnesses.of(change) is None), change
        require_reported(STABLE, stable(new), changes, rng)
        # What is unstable breaks no peer, so that no change names one.
        require_reported(WHOLE, new, changes, rng, noticed)


def is_mirrored(old: Protocol, new: Protocol) -> bool:
    forth = sorted(MIRRORS[change.rule.id] for change in diff(old, new))
    return forth == sorted(change.rule.id for change in diff(new, old))


@settings(max_examples=12, deadline=None)
@given(seed=SEEDS)
def test_the_way_back_is_the_mirror(seed: int) -> None:
    assert is_mirrored(SMALL, edited(SMALL, Random(seed)))


@pytest.mark.prove("edits the whole schema many times")
def test_the_way_back_is_the_mirror_for_the_whole_schema() -> None:
    for seed in range(12):
        assert is_mirrored(WHOLE, edited(WHOLE, Random(seed))), seed


def test_moving_all_types_to_one_file_is_not_a_change(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(json.dumps(bundle(WHOLE, Stability.UNSTABLE)), "utf-8")
    assert diff(WHOLE, load(file)) == ()
    assert diff(load(file), WHOLE) == ()
