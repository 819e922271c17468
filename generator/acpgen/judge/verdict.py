"""The verdict on a message: faults, each at one place, and the error that a receiver owes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from acp_wire.envelope import ErrorCode, MessageKind
from acpgen.findings import Severity
from acpgen.model import Pointer, append

__all__ = ["ErrorCode", "MessageFault", "MessageKind", "MessageRule", "MessageVerdict"]


class MessageRule(StrEnum):
    """The rules for messages."""

    NOT_JSON = "not-json"
    """The text is not JSON (RFC 8259), or JSON that a strict peer can't read."""
    NOT_A_MESSAGE = "not-a-message"
    """The value is not a JSON-RPC message: an array, a string, an object without a purpose."""
    EXCLUSIVE_MEMBER = "exclusive-member"
    """A member of the envelope is beside one that excludes it."""
    UNKNOWN_METHOD = "unknown-method"
    """The method is neither one of the protocol nor an extension."""
    WRONG_KIND = "wrong-kind"
    """A notification is sent as a request, or a request as a notification."""
    WRONG_SIDE = "wrong-side"
    """The other side does not handle this method."""
    REQUIRED = "required"
    """A member that must be there is missing."""
    TYPE = "type"
    """A value is of the wrong JSON type."""
    CONST = "const"
    """A value is not the only one that is accepted."""
    ENUM = "enum"
    """A value is not one of those that are accepted."""
    MIN_LENGTH = "min-length"
    """A string has too few Unicode code points."""
    MAX_LENGTH = "max-length"
    """A string has too many Unicode code points."""
    PATTERN = "pattern"
    """A string does not match its pattern."""
    MINIMUM = "minimum"
    """A number is too small."""
    MAXIMUM = "maximum"
    """A number is too large."""
    MIN_ITEMS = "min-items"
    """An array has too few items."""
    MAX_ITEMS = "max-items"
    """An array has too many items."""
    ONE_OF = "one-of"
    """A value fits several alternatives that exclude each other."""
    DUPLICATE_MEMBER = "duplicate-member"
    """An object names a member twice; parsers differ in which one they use."""
    NEAR_MISS = "near-miss"
    """An idempotency key that is misspelled, misplaced, or on a method that takes none."""
    UNKNOWN_TAG = "unknown-tag"
    """A tag that no variant has resembles that of one, so receivers ignore the object."""
    UNEXPECTED_RESPONSE = "unexpected-response"
    """A response in a transcript answers no request that is pending."""
    DUPLICATE_ID = "duplicate-id"
    """A request in a transcript has the id of one that is still pending."""
    BROKEN_LINE = "broken-line"
    """A line of a transcript lacks the sender or the message."""


@dataclass(frozen=True, slots=True)
class MessageFault:
    """One thing wrong with one place in a message.

    `path` leads to the place from the root of the message, also where a member is missing. `line`
    is the 1-based line of the message text that the place stands on. The message never quotes a
    value, because that may be an idempotency key.
    """

    rule: MessageRule
    message: str
    path: tuple[str | int, ...] = ()
    severity: Severity = Severity.ERROR
    line: int = 1

    @property
    def pointer(self) -> Pointer:
        """The place as an RFC 6901 JSON Pointer."""
        return append(Pointer(""), *self.path)

    def below(self, token: str | int) -> MessageFault:
        """The same fault as seen from the value that holds this one under `token`."""
        return MessageFault(self.rule, self.message, (token, *self.path), self.severity, self.line)


@dataclass(frozen=True, slots=True)
class MessageVerdict:
    """How a conforming receiver handles one message.

    `code` is the JSON-RPC error it owes; None where it accepts the message, and for notifications
    and responses, which are never answered. `method` is the method called or, for a response,
    the one it answers where that is known. `complete` is False for a result whose request is not
    known: then only its envelope was judged.
    """

    findings: tuple[MessageFault, ...] = ()
    code: ErrorCode | None = None
    kind: MessageKind | None = None
    method: str | None = None
    id: int | str | None = None
    complete: bool = True

    @property
    def accepted(self) -> bool:
        """Whether the receiver acts on the message, perhaps without what it had to drop."""
        return all(fault.severity is not Severity.ERROR for fault in self.findings)

    def __bool__(self) -> bool:
        return self.accepted
