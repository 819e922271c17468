"""A test vector: one message, what a receiver must do with it, and why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from acpgen.judge.message_verdict import ErrorCode, MessageRule
from acpgen.model import JsonValue, MethodName, Pointer, Side, append

_ENCODER = json.JSONEncoder(separators=(",", ":"))

Path = tuple[str | int, ...]
"""The way from the root of a message to a place in it."""


class Outcome(StrEnum):
    """The outcome of a message at a receiver."""

    ACCEPT = "accept"
    REPORT = "report"
    RECOVER = "recover"
    REFUSE = "refuse"


OUTCOMES: Mapping[Outcome, str] = {
    Outcome.ACCEPT: "There is nothing wrong with the message.",
    Outcome.REPORT: "The message is legal, and surely a mistake of its sender: log it.",
    Outcome.RECOVER: "The schema refuses the message. The receiver drops the malformed part, takes "
    "its default, and goes on as if that had been sent.",
    Outcome.REFUSE: "The receiver must not act on the message. It answers a request with an error "
    "and drops a notification or a response.",
}


class Dispute(StrEnum):
    """The subjects on which conforming implementations may disagree."""

    INTEGRAL_FLOAT = "integral-float"
    OPTIONAL_NOTIFICATION = "optional-notification"
    DUPLICATE_MEMBER = "duplicate-member"
    LONE_SURROGATE = "lone-surrogate"
    BYTE_ORDER_MARK = "byte-order-mark"
    HUGE_NUMBER = "huge-number"
    DEEP_NESTING = "deep-nesting"


DIFFERENCES: Mapping[Dispute, str] = {
    Dispute.INTEGRAL_FLOAT: "A whole number written with a fraction, such as `1.0`, is an "
    "integer to JSON Schema and to parsers that know one kind of number, and none to typed "
    "decoders.",
    Dispute.OPTIONAL_NOTIFICATION: "An unknown notification whose name starts with `$/` may be "
    "passed over; the bundled schema, which lists the methods there are, refuses it.",
    Dispute.DUPLICATE_MEMBER: "Of a member that is twice in its object most parsers take "
    "the last, some take the first, and some refuse the message.",
    Dispute.LONE_SURROGATE: "Half a surrogate pair, written as an escape, is refused by parsers "
    "whose strings are UTF-8 and kept by those whose strings are UTF-16.",
    Dispute.BYTE_ORDER_MARK: "Some parsers skip a byte order mark, which JSON text must not "
    "start with.",
    Dispute.HUGE_NUMBER: "Some parsers read a number that no double can hold, as infinity or "
    "exactly.",
    Dispute.DEEP_NESTING: "Parsers limit how deep a text may nest, and the limits differ.",
}


@dataclass(frozen=True, slots=True)
class Defect:
    """The one fault of a message, and its path.

    A `loose` fault is in a union whose alternatives have no tag. Since it is unknown which one was
    meant, a validator may report it at `path`, the union, or anywhere below. A `contested` fault
    is not a fault if another alternative accepts the value.
    """

    rule: MessageRule
    path: Path
    reason: str
    outcome: Outcome = Outcome.REFUSE
    code: ErrorCode | None = None
    loose: bool = False
    contested: bool = False

    @property
    def pointer(self) -> Pointer:
        """The path as an RFC 6901 JSON Pointer; a missing member has the pointer it would have."""
        return append(Pointer(""), *self.path)


@dataclass(frozen=True, slots=True)
class Vector:
    """One message, whole. Without a `fault` it is valid.

    `raw` is the text of a message that would not survive being parsed and written again. `repair`
    is a JSON Patch (RFC 6902) that turns the message into a valid one; None where no patch can.
    """

    name: str
    sender: Side
    message: JsonValue = None
    raw: str | None = None
    answers: MethodName | None = None
    fault: Defect | None = None
    repair: tuple[JsonValue, ...] | None = None
    differs: Dispute | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome at the receiver."""
        return Outcome.ACCEPT if self.fault is None else self.fault.outcome

    @property
    def valid(self) -> bool:
        """True if a strict JSON Schema takes the message."""
        return self.outcome in {Outcome.ACCEPT, Outcome.REPORT}

    @property
    def text(self) -> str:
        """The text of the message, in ASCII."""
        return compact(self.message) if self.raw is None else self.raw

    def as_text(self, difference: Dispute) -> Vector:
        """The same vector with its message kept as text, on which implementations differ."""
        return replace(self, message=None, raw=self.text, differs=difference)

    def line(self) -> str:
        """The vector as one line of JSON, in ASCII."""
        fault = self.fault
        content: JsonValue = self.message if self.raw is None else self.raw
        members: dict[str, JsonValue] = {
            "name": self.name,
            "sender": self.sender.value,
            **({} if self.answers is None else {"answers": self.answers}),
            "message" if self.raw is None else "raw": content,
            "outcome": self.outcome.value,
            "valid": self.valid,
            "code": None if fault is None or fault.code is None else fault.code.value,
            "rule": None if fault is None else fault.rule.value,
            "pointer": None if fault is None else fault.pointer,
            "reason": None if fault is None else fault.reason,
        }
        if fault is not None and fault.loose:
            members["loose"] = True
        if self.repair is not None:
            members["repair"] = list(self.repair)
        if self.differs is not None:
            members["differs"] = self.differs.value
        return compact(members)


def compact(value: JsonValue) -> str:
    """JSON in ASCII, on one line and with no blank that isn't part of a string."""
    return _ENCODER.encode(value)


def add(path: Path, value: JsonValue) -> JsonValue:
    """The patch that puts a missing member there."""
    return {"op": "add", "path": append(Pointer(""), *path), "value": value}


def replaced(path: Path, value: JsonValue) -> JsonValue:
    """The patch that puts another value there."""
    return {"op": "replace", "path": append(Pointer(""), *path), "value": value}


def remove(path: Path) -> JsonValue:
    """The patch that takes a member away."""
    return {"op": "remove", "path": append(Pointer(""), *path)}
