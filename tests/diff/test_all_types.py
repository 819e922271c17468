"""From any kind of type to any other: whom that breaks, held against values and both schemas."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acpgen.diff import Change, Party, diff
from acpgen.diff.effect import Effect
from acpgen.diff.witness import Witness, Witnesses
from acpgen.emit.jsonschema import definition, schema_of
from acpgen.load import load
from acpgen.model import Object, TypeName
from all_types import NAMED, SAID, Schema, as_sent, random_type, value_for
from proofs import a_few, amount, scaled
from random_edits import edited
from small_schema import FOLDER, loaded, schema

SMALL = load(FOLDER / "base.json")
SEEDS = range(1, 21)
"""Each has other types."""
TYPES, MANY_TYPES = 12, 200
PAIRS, MANY_PAIRS = 20, 1000
FEW, MANY = 30, 1000
ENDS = {Effect.NARROWS: Party.CLIENT, Effect.WIDENS: Party.AGENT}


class Kinds:
    """Some types, each with a protocol of which it is one member, and with values."""

    def __init__(self, schemas: list[Schema], path: Path) -> None:
        self.schemas = schemas
        self.protocols = []
        self._validators = []
        self._sent = []
        for each in schemas:
            request = {"properties": {"m": {**SAID, **each}}}
            protocol = loaded(schema({**NAMED, "SendRequest": request}), path)
            body = protocol.types[TypeName("SendRequest")].body
            assert isinstance(body, Object)
            (member,) = (member for member in body.properties if member.name == "m")
            named = {name: definition(protocol.types[TypeName(name)]) for name in NAMED}
            judge = {**schema_of(member.type), "$defs": named}
            self.protocols.append(protocol)
            self._sent.append(jsonschema_rs.Draft202012Validator(as_sent(each) | {"$defs": NAMED}))
            self._validators.append(jsonschema_rs.Draft202012Validator(judge))

    def alive(self, rng: Random) -> list[int]:
        """The types that have values: a choice may be of what excludes each other."""
        return [
            n
            for n, each in enumerate(self.schemas)
            if any(self.takes(n, value_for(each, rng)) for _ in range(MANY))
        ]

    def takes(self, type_: int, value: object) -> bool:
        return self._validators[type_].is_valid(value)

    def refused(self, sender: int, receiver: int, rng: Random, tries: int) -> list[object]:
        """A value of one type that another refuses, in a list; the empty list if none is found."""
        for _ in range(tries):
            value = value_for(self.schemas[sender], rng)
            refused = self.takes(sender, value) and not self.takes(receiver, value)
            if refused and self._sent[sender].is_valid(value):
                return [value]
        return []


def reported(changes: tuple[Change, ...], effect: Effect) -> bool:
    return any(ENDS[effect] in change.breaks | change.recovers for change in changes)


@pytest.mark.parametrize("seed", a_few(SEEDS, SEEDS[:1], "compares many random types", bulk=True))
def test_what_is_refused_is_reported_and_nothing_else(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    count = amount(TYPES, MANY_TYPES)
    schemas = [random_type(rng, rng.choice((0, 1, 2))) for _ in range(count)]
    kinds = Kinds(schemas, tmp_path / "kinds.json")
    alive = kinds.alive(rng)
    for _ in range(amount(PAIRS, MANY_PAIRS)):
        old, new = rng.sample(alive, 2)
        changes = diff(kinds.protocols[old], kinds.protocols[new])
        for effect, ends in ((Effect.NARROWS, (old, new)), (Effect.WIDENS, (new, old))):
            if reported(changes, effect):
                witness = shown(kinds, (old, new), changes, effect) or kinds.refused(
                    *ends, rng, MANY
                )
                assert witness, (effect, schemas[old], schemas[new], changes)
            else:
                witness = kinds.refused(*ends, rng, FEW)
                assert not witness, (effect, witness, schemas[old], schemas[new], changes)


def shown(
    kinds: Kinds, pair: tuple[int, int], changes: tuple[Change, ...], effect: Effect
) -> list[Witness]:
    """The first message that shows a break one way, in a list; the empty list if none is found.

    A value may have members that only its receiver describes, if several variants there do.
    """
    narrows = effect is Effect.NARROWS
    witnesses = Witnesses(*(kinds.protocols[each] for each in pair))
    for change in changes:
        if effect in change.effect.moves and ENDS[effect] in change.breaks | change.recovers:
            witness = witnesses.one_way(change, effect)
            if witness is not None:
                assert isinstance(witness.value, dict)
                verdicts = [kinds.takes(each, witness.value["m"]) for each in pair]
                assert verdicts == [narrows, not narrows]
                return [witness]
    return []


def test_what_is_kept_quiet_or_made_up_would_be_noticed(tmp_path: Path) -> None:
    kinds = Kinds([{"type": "integer"}, {"type": "integer", "minimum": 2}], tmp_path / "kinds.json")
    changes = diff(*kinds.protocols)
    assert (reported(changes, Effect.NARROWS), reported(changes, Effect.WIDENS)) == (True, False)
    assert kinds.refused(0, 1, Random(1), FEW)
    assert not kinds.refused(1, 0, Random(1), MANY)
    assert not reported((), Effect.NARROWS)


def identity(change: Change) -> tuple[str, ...]:
    """What an entry of accepted.toml says."""
    return (change.rule.id, change.pointer, change.what, change.old, change.new)


@pytest.mark.parametrize("seed", a_few(SEEDS, SEEDS[:1], "compares many random types", bulk=True))
def test_no_two_changes_between_types_have_one_name(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    schemas = [random_type(rng, rng.choice((0, 1, 2))) for _ in range(TYPES)]
    kinds = Kinds(schemas, tmp_path / "kinds.json")
    for _ in range(PAIRS):
        old, new = rng.sample(range(TYPES), 2)
        names = Counter(map(identity, diff(kinds.protocols[old], kinds.protocols[new])))
        assert not [name for name, count in names.items() if count > 1]


@scaled("random edits")
@settings(max_examples=amount(20, 60), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_two_changes_have_one_name(seed: int) -> None:
    rng = Random(seed)
    new = SMALL
    for _ in range(rng.randint(1, 12)):
        new = edited(new, rng)
    names = Counter(map(identity, diff(SMALL, new)))
    assert not [name for name, count in names.items() if count > 1]


@pytest.mark.parametrize("seed", a_few(SEEDS, SEEDS[2:3], "compares many random types", bulk=True))
def test_what_is_accepted_accepts_nothing_else(seed: int, tmp_path: Path) -> None:
    """Where all that breaks was accepted of another type already, that type refuses as much."""
    rng = Random(seed)
    schemas = [random_type(rng, rng.choice((0, 0, 1))) for _ in range(TYPES)]
    kinds = Kinds(schemas, tmp_path / "kinds.json")
    met = 0
    for _ in range(amount(PAIRS, PAIRS * 5)):
        old, one, new = rng.sample(range(TYPES), 3)
        accepted = set(map(identity, diff(kinds.protocols[old], kinds.protocols[one])))
        changes = diff(kinds.protocols[old], kinds.protocols[new])
        rest = tuple(change for change in changes if identity(change) not in accepted)
        for effect, ends in ((Effect.NARROWS, (old, new)), (Effect.WIDENS, (new, old))):
            if reported(changes, effect) and not reported(rest, effect):
                met += 1
                for _ in range(amount(3, FEW)):
                    for value in kinds.refused(*ends, rng, 1):
                        fits = kinds.takes(one, value)
                        assert fits is (effect is Effect.WIDENS), (value, accepted, changes)
    assert met
