"""Messages that show a change: one version accepts them, the other refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

from acpgen.diff.change import Change, Evidence, Standing
from acpgen.diff.effect import Effect
from acpgen.diff.inclusion import Inclusion
from acpgen.diff.message_channels import MessageChannel
from acpgen.diff.schema_place import (
    BaseStep,
    ContainerStep,
    MemberStep,
    Step,
    Steps,
    UnionStep,
    VariantStep,
)
from acpgen.emit.jsonschema import JsonSchema, definition
from acpgen.emit.validators import Validators
from acpgen.model import (
    ANY,
    Array,
    JsonValue,
    Map,
    Nullable,
    Object,
    Protocol,
    Ref,
    Type,
    TypeName,
    Union,
)
from acpgen.types.objects import as_object, flatten, resolve
from acpgen.types.samples import SampleError, Samples
from acpgen.types.scalar_samples import UNKNOWN
from acpgen.types.stability import stable
from acpgen.types.structure import references

_FEW = 12
"""How many objects of one version are combined with those of the other."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Params or a result, and which of the two protocols accepts it: the other one refuses it."""

    channel: MessageChannel
    value: JsonValue
    accepted_by_old: bool


class Witnesses:
    """Finds witnesses for the changes between two protocols with the schemas of both.

    A change in the stable part is shown by the schemas of the stable parts.
    """

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self._whole = _Sides(old, new)
        self._found: dict[Change, Witness | None] = {}
        self._stable = _Sides(stable(old), stable(new))

    def of(self, change: Change) -> Witness | None:
        """Return a message that shows the change, or None if none is needed or was found."""
        if change.evidence is None:
            return None
        if change not in self._found:
            self._found[change] = self.one_way(change, *Effect)
        return self._found[change]

    def one_way(self, change: Change, *effects: Effect) -> Witness | None:
        """Return a message that shows one of some effects of a change, None if none was found."""
        evidence = change.evidence
        if evidence is None:
            return None
        for effect, accepting in ((Effect.NARROWS, 0), (Effect.WIDENS, 1)):
            if effect in change.effect.moves & {*effects}:
                whole = change.standing is Standing.UNSTABLE
                sides = self._whole if whole else self._stable
                for value in sides.refused(effect, evidence):
                    return Witness(evidence.route.channel, value, accepting == 0)
        return None


class _Sides:
    """The old and the new protocol, or their stable parts."""

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self._protocols = (old, new)
        self._sides = (_Side(old, 0), _Side(new, 1))

    @cached_property
    def _inclusion(self) -> Inclusion:
        return Inclusion(*self._protocols)

    def refused(self, effect: Effect, evidence: Evidence) -> Iterator[JsonValue]:
        """Yield messages that one side accepts and the other refuses."""
        takes, refuses = self._sides if effect is Effect.NARROWS else self._sides[::-1]
        root = evidence.route.root
        for value in self._tried(effect, evidence, takes, refuses):
            if takes.accepts(root[takes.index], value) and not refuses.accepts(
                root[refuses.index], value
            ):
                yield value

    def _tried(
        self, effect: Effect, evidence: Evidence, takes: _Side, refuses: _Side
    ) -> Iterator[JsonValue]:
        """Samples, which are easy to read, and then what a search finds."""
        yield from takes.messages(evidence, refuses)
        old, new = (Ref(name) for name in evidence.route.root)
        steps = evidence.route.steps
        found = self._inclusion.example(effect, (old, new), evidence.types, steps)
        if found is not None:
            yield found.value


class _Side:
    """One of the two protocols: `index` 0 is the old one, 1 the new."""

    def __init__(self, protocol: Protocol, index: int) -> None:
        self.index = index
        self._protocol = protocol
        self._samples = Samples(protocol)

    @cached_property
    def _validators(self) -> Validators:
        types = self._protocol.types
        # The stable part of a protocol that lint would complain about may refer to what it lacks.
        named: JsonSchema = {
            name: {} for type_ in types.values() for name in references(type_.body)
        }
        return Validators({**named, **{name: definition(type_) for name, type_ in types.items()}})

    def accepts(self, name: TypeName, value: JsonValue) -> bool:
        """True if the schema of a type accepts a value."""
        return self._validators.of(name).is_valid(value)

    def messages(self, evidence: Evidence, other: _Side) -> Iterator[JsonValue]:
        """Yield messages that hold, at the place concerned, values of the type there."""
        root = Ref(evidence.route.root[self.index])
        for value in self._values(evidence, other):
            try:
                yield self._around(root, evidence.route.steps, value)
            except SampleError:
                return

    def _values(self, evidence: Evidence, other: _Side) -> Iterator[JsonValue]:
        """Values of this side's type, then its objects with what the other side's objects have."""
        own, others = evidence.types[self.index], evidence.types[other.index]
        yield from self._samples.several(own, others)
        for one, another in product(
            islice(self._samples.several(own), _FEW), islice(other._samples.several(others), _FEW)
        ):
            if isinstance(one, dict) and isinstance(another, dict):
                yield another | one

    def _around(self, type_: Type, steps: Steps, value: JsonValue) -> JsonValue:
        """A small value of a type that holds the given value at the end of the steps."""
        if not steps:
            return value
        match type_, steps[0]:
            case Ref(name=name), BaseStep(name=base) if name == base:
                return self._around(self._protocol.types[name].body, steps[1:], value)
            case Ref(name=name), _:
                return self._around(self._protocol.types[name].body, steps, value)
            case Nullable(of=inner), VariantStep() if not isinstance(
                resolve(self._protocol, inner), Union
            ):
                return self._around(inner, steps[1:], value)
            case Nullable(of=inner), _:
                return self._around(inner, steps, value)
            case Union() as union, VariantStep() as step:
                return self._in_variant(union, step, steps[1:], value)
            case Array() as array, ContainerStep.ITEM:
                item = self._around(array.items, steps[1:], value)
                return [item] * max(1, array.min_items or 0)
            case (Object() | Map()) as object_, step:
                return self._in_object(object_, step, steps[1:], value)
            case _:
                raise SampleError("no value leads there")

    def _in_variant(
        self, union: Union, step: VariantStep, rest: Steps, value: JsonValue
    ) -> JsonValue:
        variant = union.variants[(step.old, step.new)[self.index]]
        return self._samples.tagged(variant, union, self._around(variant.body, rest, value))

    def _in_object(
        self, object_: Object | Map, step: Step, rest: Steps, value: JsonValue
    ) -> JsonValue:
        flat = flatten(self._protocol, as_object(object_))
        match step:
            case MemberStep(name=name) if name in flat.members:
                inner = self._around(flat.members[name].type, rest, value)
                return self._samples.frame(flat) | {name: inner}
            case ContainerStep.ENTRY:
                inner = self._around(flat.additional or ANY, rest, value)
                return self._samples.frame(flat) | {UNKNOWN: inner}
            case BaseStep(name=name):
                others = flatten(self._protocol, as_object(object_), {name})
                return _joined(self._samples.frame(others), self._around(Ref(name), rest, value))
            case UnionStep(old=old, new=new):
                union = flat.unions.pop((old, new)[self.index])
                return _joined(self._samples.frame(flat), self._around(union, rest, value))
            case _:
                raise SampleError("no value leads there")


def _joined(frame: dict[str, JsonValue], inner: JsonValue) -> JsonValue:
    return frame | inner if isinstance(inner, dict) else inner
