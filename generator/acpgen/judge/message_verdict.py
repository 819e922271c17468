"""The verdict on a message: faults, each at one place, and the error that a receiver owes."""

from __future__ import annotations

from enum import StrEnum

from acp_wire.envelope import ErrorCode, MessageKind
from acpgen.findings import Severity
from acpgen.startup.slotted_value import SlottedValue

__all__ = ["ErrorCode", "MessageFault", "MessageKind", "MessageRule", "MessageVerdict"]


class MessageRule(StrEnum):
    """The ids of the rules about messages, which `acpgen.judge.rules` declares with their pages."""

    NOT_JSON = "not-json"
    NOT_A_MESSAGE = "not-a-message"
    EXCLUSIVE_MEMBER = "exclusive-member"
    UNKNOWN_METHOD = "unknown-method"
    WRONG_KIND = "wrong-kind"
    WRONG_SIDE = "wrong-side"
    REQUIRED = "required"
    TYPE = "type"
    CONST = "const"
    ENUM = "enum"
    MIN_LENGTH = "min-length"
    MAX_LENGTH = "max-length"
    PATTERN = "pattern"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    MIN_ITEMS = "min-items"
    MAX_ITEMS = "max-items"
    ONE_OF = "one-of"
    DUPLICATE_MEMBER = "duplicate-member"
    NEAR_MISS = "near-miss"
    UNKNOWN_TAG = "unknown-tag"
    FORMER_SHAPE = "former-shape"
    FORMER_MEMBER = "former-member"
    UNEXPECTED_RESPONSE = "unexpected-response"
    DUPLICATE_ID = "duplicate-id"
    BROKEN_LINE = "broken-line"
    MORE_FINDINGS = "more-findings"


_ERROR = Severity.ERROR


class MessageFault(SlottedValue):
    """One thing wrong with one place in a message.

    `path` leads to the place from the root of the message, also where a member is missing. `line`
    is the 1-based line of the message text that has the place. The message never quotes a
    value, because that may be an idempotency key.
    """

    __slots__ = ("line", "message", "path", "rule", "severity")

    def __init__(
        self,
        rule: MessageRule,
        message: str,
        path: tuple[str | int, ...] = (),
        severity: Severity = _ERROR,
        line: int = 1,
    ) -> None:
        self.rule = rule
        self.message = message
        self.path = path
        self.severity = severity
        self.line = line

    @property
    def pointer(self) -> str:
        """The place as an RFC 6901 JSON Pointer."""
        if not self.path:
            return ""
        pointer = f"/{'/'.join(map(str, self.path))}"
        if "~" in pointer or pointer.count("/") > len(self.path):
            return "".join([f"/{_escaped(str(token))}" for token in self.path])
        return pointer

    def below(self, token: str | int) -> MessageFault:
        """The same fault as seen from the value that holds this one under `token`."""
        return MessageFault(self.rule, self.message, (token, *self.path), self.severity, self.line)


def _escaped(token: str) -> str:
    return token.replace("~", "~0").replace("/", "~1")


class MessageVerdict(SlottedValue):
    """How a conforming receiver handles one message.

    `code` is the JSON-RPC error that it returns; None where it accepts the message, and for
    notifications and responses, which are never answered. `method` is the method called or, for a
    response, the one it answers where that is known. `complete` is False for a result whose request
    is not known: then only its envelope was judged.
    """

    __slots__ = ("code", "complete", "findings", "id", "kind", "method")

    def __init__(
        self,
        findings: tuple[MessageFault, ...] = (),
        code: ErrorCode | None = None,
        kind: MessageKind | None = None,
        method: str | None = None,
        id: int | str | None = None,  # noqa: A002 - named as on the wire
        complete: bool = True,
    ) -> None:
        self.findings = findings
        self.code = code
        self.kind = kind
        self.method = method
        self.id = id
        self.complete = complete

    @property
    def accepted(self) -> bool:
        """True if the receiver acts on the message, perhaps without what it had to drop."""
        return all(fault.severity is not _ERROR for fault in self.findings)

    def __bool__(self) -> bool:
        return self.accepted
