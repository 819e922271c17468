"""The place of a value in a message, and what it means for a fault there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from acpgen.model import JsonValue
from acpgen.targets.vectors.frame import Frame
from acpgen.targets.vectors.vector import Path
from acpgen.types.samples import Members

Put = Callable[[JsonValue], JsonValue]
"""Makes a value part of a larger one."""


@dataclass(frozen=True, slots=True)
class VectorPlace:
    """A place in a message.

    `label` names it for people, `message` makes a whole message from a value at the place.
    Receivers recover from a fault at a `recovered` place.

    `choice` is the outermost union without a tag around the place, `reading` the alternative that
    is tested. It is `settled` where the value lacks a member that every other alternative
    needs, so that it can't fit one of them unless a member is missing here as well. At a
    `contested` place another alternative may take a value in which this one finds a fault.
    """

    label: str
    path: Path
    message: Put
    recovered: bool = False
    choice: Path | None = None
    reading: str = ""
    settled: bool = False
    contested: bool = False

    def below(self, token: str | int, put: Put) -> VectorPlace:
        """The place of a part of the value."""
        message = self.message
        label = f"{self.label}[]" if isinstance(token, int) else f"{self.label}.{token}"
        return replace(
            self, label=label, path=(*self.path, token), message=lambda v: message(put(v))
        )

    def member(self, whole: Members, name: str) -> VectorPlace:
        """The place of a member of an object whose other members are given."""
        return self.below(name, lambda value: {**whole, name: value})

    def among(self, others: Members) -> VectorPlace:
        """The same place for a type that has only some of the members of the object there."""
        message = self.message
        return replace(self, message=lambda value: message({**others, **_members(value)}))

    def tagged(self, tag: str, value: str) -> VectorPlace:
        """The same place for the variant that a tag selects."""
        message = self.message
        selected: Members = {tag: value}
        return replace(
            self, message=lambda body: message({**selected, **_members(body), **selected})
        )

    def alternative(self, name: str, *, settled: bool) -> VectorPlace:
        """The same place for one alternative of a union without a tag."""
        if self.choice is None:
            return replace(self, choice=self.path, reading=name, settled=settled)
        return replace(self, settled=self.settled and settled)

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The lower, the better the place shows what is wrong with a value."""
        return self.recovered, self.choice is not None, len(self.path)


def root(frame: Frame) -> VectorPlace:
    """The place of the value that a frame is around."""
    return VectorPlace(frame.member, frame.path, frame.put)


def _members(value: JsonValue) -> Members:
    if not isinstance(value, dict):
        raise TypeError(f"an object has members, {type(value).__name__} has none")
    return value
