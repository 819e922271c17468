"""Messages with one value in them, valid ones and ones with a single fault."""

from __future__ import annotations

from dataclasses import replace

from acpgen.judge.message_verdict import MessageRule
from acpgen.model import JsonValue, Pointer, append
from acpgen.targets.vectors.frame import Frame
from acpgen.targets.vectors.vector import Defect, Dispute, Outcome, Vector, add, remove, replaced
from acpgen.targets.vectors.vector_place import VectorPlace
from acpgen.types.json_types import JsonType, json_type, mismatch
from acpgen.types.samples import Members


class Breaker:
    """Makes the vectors of one frame. Every fault comes with the patch that fixes it."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def valid(self, place: VectorPlace, what: str, value: JsonValue) -> Vector:
        """A message with a good value at a place."""
        return self._frame.valid(f"{place.label}: {what}", place.message(value))

    def missing(self, place: VectorPlace, whole: Members, name: str) -> Vector:
        """A message with an object from which one member is taken away."""
        rest = {member: value for member, value in whole.items() if member != name}
        fault = self._fault(place, MessageRule.REQUIRED, "is missing", name)
        repair = (add((*place.path, name), whole[name]),)
        title = f"{place.label}.{name}: missing"
        return self._frame.broken(title, place.message(rest), fault, repair)

    def mistyped(
        self, place: VectorPlace, takes: frozenset[JsonType], wrong: JsonValue, good: JsonValue
    ) -> Vector:
        """A message with a value of a type that is not taken."""
        vector = self.replaced(place, MessageRule.TYPE, mismatch(takes, wrong), wrong, good)
        return replace(vector, name=f"{place.label}: {json_type(wrong)}")

    def integral_float(self, place: VectorPlace, takes: frozenset[JsonType], good: int) -> Vector:
        """A message with an integer that is written with a fraction."""
        vector = self.mistyped(place, takes, float(good), good)
        vector = replace(vector, name=f"{place.label}: integral float")
        return vector.as_text(Dispute.INTEGRAL_FLOAT)

    def replaced(
        self, place: VectorPlace, rule: MessageRule, reason: str, bad: JsonValue, good: JsonValue
    ) -> Vector:
        """A message with a bad value where a good one belongs."""
        fault = self._fault(place, rule, reason)
        repair = (replaced(place.path, good),)
        return self._frame.broken(f"{place.label}: {rule}", place.message(bad), fault, repair)

    def ambiguous(self, place: VectorPlace, names: str, one: Members, other: Members) -> Vector:
        """A message with a value of two alternatives that exclude each other."""
        fault = self._fault(
            place, MessageRule.ONE_OF, f"fits {names} at once, and only one may fit"
        )
        repair = tuple(remove((*place.path, name)) for name in other)
        message = place.message({**one, **other})
        return self._frame.broken(f"{place.label}: {fault.rule}", message, fault, repair)

    def _fault(self, place: VectorPlace, rule: MessageRule, reason: str, *below: str) -> Defect:
        path = (*place.path, *below)
        loose = place.choice is not None and (rule is MessageRule.REQUIRED or not place.settled)
        if loose and place.choice is not None:
            inside = append(Pointer(""), *path[len(place.choice) :])
            reason = f"{inside} {reason}, read as {place.reading}".strip()
            path = place.choice
        outcome = Outcome.RECOVER if place.recovered else Outcome.REFUSE
        code = None if place.recovered else self._frame.code
        return Defect(rule, path, reason, outcome, code, loose, place.contested)
