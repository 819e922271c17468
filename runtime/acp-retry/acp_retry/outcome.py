"""The outcome of a request: four types, two of them definite.

An error to the first attempt is as definite as a success: the message was not inserted (RFD, How
the Agent handles a keyed prompt). After an attempt whose outcome is unknown, an error to a retry
says nothing about the earlier attempt, so the outcome stays `Unknown`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from acp_wire.envelope import ErrorCode

__all__ = [
    "CANCELLED",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "PARSE_ERROR",
    "REQUEST_CANCELLED",
    "RESOURCE_NOT_FOUND",
    "AnswerLostError",
    "Inserted",
    "NeverSentError",
    "NotSent",
    "Outcome",
    "Refused",
    "RequestFailedError",
    "Unknown",
]

PARSE_ERROR: Final = ErrorCode.PARSE_ERROR.value
INVALID_REQUEST: Final = ErrorCode.INVALID_REQUEST.value
METHOD_NOT_FOUND: Final = ErrorCode.METHOD_NOT_FOUND.value
INVALID_PARAMS: Final = ErrorCode.INVALID_PARAMS.value
INTERNAL_ERROR: Final = ErrorCode.INTERNAL_ERROR.value
RESOURCE_NOT_FOUND: Final = ErrorCode.RESOURCE_NOT_FOUND.value
REQUEST_CANCELLED: Final = ErrorCode.REQUEST_CANCELLED.value

KEYLESS: Final = frozenset({"initialize", "auth/login", "session/new"})
"""The methods that come before any session, and so before any key."""

DETAILS: Final = ("reason", "details", "message", "error")
"""The members of an error's `data` that usually explain it."""

WORDS: Final = 300
"""The maximum number of characters of a peer's words that are shown."""

LONG: Final = re.compile(r"[\w-]{16,}")
"""A word that is an ID or a key, such as a UUID, unless it has letters only."""


@dataclass(frozen=True, slots=True)
class Inserted:
    """Definite: the user message is in the session under this `messageId`.

    It is empty on v1, where agents return no `messageId`.
    """

    message_id: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Definite: the peer answered with a JSON-RPC error, and no attempt was inserted.

    Its `repr` shows the code only. `message` and `data` are the peer's, and may contain anything,
    such as the key or control characters.
    """

    code: int
    message: str = field(repr=False)
    data: object = field(default=None, repr=False)

    @property
    def words(self) -> str:
        """The peer's words on one line, without what looks like an ID, but maybe with a short key.

        They are `message` and, in `data`, a text or what explains the error.
        """
        data = self.data
        details = [data.get(name) for name in DETAILS] if isinstance(data, dict) else [data]
        texts = [each for each in (self.message, *details) if isinstance(each, str) and each]
        line = LONG.sub(_without_id, " ".join(": ".join(texts).split()))
        shown = "".join(char if char.isprintable() else "?" for char in line)
        return shown if len(shown) <= WORDS else f"{shown[:WORDS]}..."


def _without_id(word: re.Match[str]) -> str:
    return word[0] if word[0].isalpha() else "(an ID)"


@dataclass(frozen=True, slots=True)
class NotSent:
    """No byte of the request has left this process."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """An attempt has left, and it is not known whether it was inserted.

    Its answer was lost with the connection or the process, has neither a `messageId` nor an error,
    or is malformed. `refused` is the error that a later attempt got. It says nothing about the
    earlier one.
    """

    reason: str
    refused: Refused | None = None


Outcome = Inserted | Refused | NotSent | Unknown

CANCELLED: Final = Refused(REQUEST_CANCELLED, "Request cancelled")


class RequestFailedError(Exception):
    """A request was answered with an error.

    As text it names the method and the code, and the reason if this process gave it. A peer's words
    may quote a key, so they are in `refused` only, except for a method that no key comes before:
    then they are shown, without what looks like an ID.
    """

    def __init__(self, refused: Refused, reason: str = "", *, method: str = "") -> None:
        shown = reason or (refused.words if method in KEYLESS else "")
        asked = method or "the request"
        answered = f"{asked} was answered with error {refused.code}{_meaning(refused.code)}"
        super().__init__(f"{answered}: {shown}" if shown else answered)
        self.refused = refused

    @classmethod
    def of(cls, code: int, message: str, data: object = None) -> RequestFailedError:
        """Create the exception from an error object's members."""
        return cls(Refused(code, message, data))

    @classmethod
    def invalid(cls, reason: str) -> RequestFailedError:
        """Create the error for params that this process refuses, with the reason in `data`."""
        return cls(Refused(INVALID_PARAMS, "Invalid params", {"reason": reason}), reason)


def _meaning(code: int) -> str:
    """What a code of JSON-RPC or ACP means, in brackets after a blank; else empty."""
    known = {each.value: each.name for each in ErrorCode}
    return f" ({known[code].capitalize().replace('_', ' ')})" if code in known else ""


class NeverSentError(ConnectionError):
    """A link was down before the first byte of a request."""


class AnswerLostError(ConnectionError):
    """A link went down between a request and its answer."""
