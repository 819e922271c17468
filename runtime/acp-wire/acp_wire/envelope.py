"""The JSON-RPC 2.0 envelope of a message: its kind, its id, and its faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum, StrEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

__all__ = [
    "SENDERS",
    "EnvelopeFault",
    "ErrorCode",
    "MessageKind",
    "envelope_faults",
    "error_code",
    "is_id",
    "kind_of",
    "owed_code",
    "request_id",
    "require_sender",
]

SENDERS = ("agent", "client", "proxy")
"""The sides that send messages."""


class ErrorCode(IntEnum):
    """The error codes of JSON-RPC 2.0 (section 5.1) and of ACP."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    RESOURCE_NOT_FOUND = -32002
    REQUEST_CANCELLED = -32800


class MessageKind(StrEnum):
    """The three kinds of JSON-RPC message."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    RESPONSE = "response"


class EnvelopeFault:
    """One member of the envelope that breaks JSON-RPC 2.0.

    `rule` is `required`, `const`, `type` or `exclusive-member`. `expected` are the Python types
    that the member may have, where its type is wrong; `beside` is the member that excludes it.
    """

    __slots__ = ("beside", "expected", "member", "rule")

    def __init__(
        self, rule: str, member: str, expected: tuple[type, ...] = (), beside: str = ""
    ) -> None:
        self.rule = rule
        self.member = member
        self.expected = expected
        self.beside = beside


_REQUEST = MessageKind.REQUEST
_NOTIFICATION = MessageKind.NOTIFICATION
_RESPONSE = MessageKind.RESPONSE
_ID = (str, int)
_ID_OR_NULL = (str, int, type(None))
_TEXT = (str,)
_NO_FAULTS: tuple[EnvelopeFault, ...] = ()


def kind_of(value: object) -> MessageKind | None:
    """Return the kind of message that a value is meant to be; None for anything else."""
    if not isinstance(value, dict):
        return None
    if "method" in value:
        return _REQUEST if "id" in value else _NOTIFICATION
    return _RESPONSE if "result" in value or "error" in value else None


def is_id(value: object) -> TypeGuard[int | str]:
    """True if a value can be the id of a request: a string or an integer."""
    return type(value) in _ID


def request_id(message: Mapping[str, object]) -> int | str | None:
    """Return the id of a message, or None where it has none or null or a malformed one."""
    id_ = message.get("id")
    return id_ if is_id(id_) else None


def error_code(response: Mapping[str, object]) -> int | None:
    """Return the code of the error that a response is: 0 if it has none, None for a result."""
    if "error" not in response:
        return None
    error = response["error"]
    code = error.get("code") if isinstance(error, dict) else None
    return code if type(code) is int else 0


def envelope_faults(message: Mapping[str, object]) -> tuple[EnvelopeFault, ...]:
    """Return what breaks JSON-RPC 2.0 (sections 4 and 5); ACP also refuses null as a request's id.

    The message is an object of some kind: it has a method, a result or an error.
    """
    faults = _NO_FAULTS
    if message.get("jsonrpc") != "2.0":
        faults = (EnvelopeFault("const" if "jsonrpc" in message else "required", "jsonrpc"),)
    if "method" in message:
        if "id" in message and type(message["id"]) not in _ID:
            faults += (EnvelopeFault("type", "id", _ID),)
        if type(message["method"]) is not str:
            faults += (EnvelopeFault("type", "method", _TEXT),)
        if "result" in message:
            faults += (EnvelopeFault("exclusive-member", "result", beside="method"),)
        if "error" in message:
            faults += (EnvelopeFault("exclusive-member", "error", beside="method"),)
        return faults
    ids = _ID_OR_NULL if "error" in message else _ID
    if "id" not in message:
        faults += (EnvelopeFault("required", "id"),)
    elif type(message["id"]) not in ids:
        faults += (EnvelopeFault("type", "id", ids),)
    if "result" in message and "error" in message:
        faults += (EnvelopeFault("exclusive-member", "error", beside="result"),)
    return faults


def owed_code(message: object, knows: Callable[[str], bool]) -> ErrorCode | None:
    """Return the error that the receiver of an invalid message returns, for its first broken layer.

    `knows` reports whether the receiver handles a request by its method. None where nothing is
    due: a notification or a response is never answered.
    """
    kind = kind_of(message)
    if kind is None or not isinstance(message, dict) or envelope_faults(message):
        return ErrorCode.INVALID_REQUEST
    if kind is not MessageKind.REQUEST:
        return None
    return ErrorCode.INVALID_PARAMS if knows(message["method"]) else ErrorCode.METHOD_NOT_FOUND


def require_sender(sender: str | None) -> None:
    """Accept None and the names of senders.

    Raises:
        ValueError: the name is not that of a sender.
    """
    if sender is not None and sender not in SENDERS:
        raise ValueError(f"there is no sender {sender}; use one of {', '.join(SENDERS)}")
