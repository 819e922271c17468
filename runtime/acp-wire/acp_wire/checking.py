"""Checking messages: what the generated checkers of every schema have in common.

A generated module holds one function for every type of its schema, and tables. A function returns
`REFUSED`, `ACCEPTED`, or `UNKNOWN`: the value is accepted, and a part of it has a tag that the
schema does not list, so this part was not checked. Text is read as the strictest peers read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from acp_wire.envelope import ErrorCode, envelope_faults, owed_code, request_id, require_sender
from acp_wire.keys import skeleton
from acp_wire.reader import NotJsonError, read, read_once

__all__ = [
    "ACCEPTED",
    "REFUSED",
    "UNKNOWN",
    "Check",
    "Checkers",
    "NotJsonError",
    "Verdict",
    "combined",
    "each",
    "is_anything",
    "only",
    "unknown",
]

REFUSED = 0
ACCEPTED = 1
UNKNOWN = 3
"""Accepted, with something unknown. `ACCEPTED | UNKNOWN` is `UNKNOWN`, and both are true."""

Check = Callable[[object], int]
"""Judges a value: `REFUSED`, `ACCEPTED` or `UNKNOWN`. A bool is `REFUSED` or `ACCEPTED`."""

_EXTENSION = "_"
_NO_MEMBERS: Mapping[str, object] = {}
_LEAST = 3
"""How many members a notification has: jsonrpc, method and params."""


def each(check: Check, values: Iterable[object]) -> int:
    """The result for values that must all be accepted."""
    total = ACCEPTED
    for result in map(check, values):
        if not result:
            return REFUSED
        total |= result
    return total


def combined(*results: int) -> int:
    """The result for one value from several checks that must all accept it."""
    total = ACCEPTED
    for result in results:
        if not result:
            return REFUSED
        total |= result
    return total


def only(*results: int) -> int:
    """The grade of a value that exactly one of several checks must accept."""
    accepted = [result for result in results if result]
    return accepted[0] if len(accepted) == 1 else REFUSED


def unknown(tag: object) -> int:
    """The result for a tag that the schema does not list. Tags with `_` in front are private."""
    return ACCEPTED if type(tag) is not str or tag.startswith(_EXTENSION) else UNKNOWN


def is_anything(_: object, /) -> int:
    """Accept any value."""
    return ACCEPTED


class Verdict:
    """The verdict on a message: true if it is valid.

    `code` is the JSON-RPC 2.0 error (section 5.1) that the receiver of an invalid message returns;
    None for notifications and responses, which are never answered. `id` is the id of the message,
    which the answer repeats; None where it has none, or none that is valid.
    """

    __slots__ = ("code", "id", "valid")

    def __init__(self, valid: bool, code: int | None = None, id: int | str | None = None) -> None:  # noqa: A002 - named as on the wire
        self.valid = valid
        self.code = code
        self.id = id

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        return f"<Verdict valid={self.valid} code={self.code}>"


class Checkers:
    """Judges the messages of one schema.

    Args:
        types: the check of every type, by its name in the schema.
        requests: the check of the params of every request, by its method.
        notifications: the same for notifications.
        results: the check of the result of every request that has one, by its method.
        sent: the methods that each sender calls: requests, and notifications.
        callers: the sender of each request that only one side sends.
        keyed: the name of the idempotency key, by the method that takes it.
        is_id: the check of an id that is a string or an integer.
        is_error: the check of the error of a response.
        is_result: the check of a result without a check of its own.
        is_extension: the checks of the params of a request, and of a notification, whose method
            starts with `_`.
    """

    def __init__(  # noqa: PLR0913 - the tables of a generated module, by name
        self,
        *,
        types: Mapping[str, Check],
        requests: Mapping[str, Check],
        notifications: Mapping[str, Check],
        results: Mapping[str, Check],
        sent: Mapping[str, tuple[Iterable[str], Iterable[str]]],
        callers: Mapping[str, str],
        keyed: Mapping[str, str],
        is_id: Check = is_anything,
        is_error: Check = is_anything,
        is_result: Check = is_anything,
        is_extension: tuple[Check, Check] = (is_anything, is_anything),
    ) -> None:
        self.types = types
        self.callers = callers
        self.keyed = keyed
        self._requests = requests
        self._results = results
        self._calls: dict[str | None, tuple[Mapping[str, Check], Mapping[str, Check]]] = {
            None: (requests, notifications)
        }
        for sender, (asks, tells) in sent.items():
            self._calls[sender] = (
                {method: requests[method] for method in asks},
                {method: notifications[method] for method in tells},
            )
        self._keys = frozenset(map(skeleton, keyed.values()))
        self._is_id = is_id
        self._is_error = is_error
        self._is_result = is_result
        self._is_extension = is_extension

    def check(
        self, message: bytes, sender: str | None = None, answers: str | None = None
    ) -> Verdict:
        """Return the verdict of a strict receiver on the text of one message.

        `sender` is agent, client or proxy; None is any of them. `answers` is the method of the
        request that a response is for; without it a result may be anything. Strict means that no
        malformed value is replaced by a default, which the schema allows receivers to do in some
        places.

        Raises:
            TypeError: the message is not bytes.
            ValueError: the sender is not one of the three, or there is no such request to answer.
        """
        self.require_request(answers)
        try:
            value = read(message)
        except NotJsonError:
            return Verdict(False, ErrorCode.PARSE_ERROR.value)
        id_ = request_id(value) if type(value) is dict else None
        if self.grade(value, sender, answers):
            return Verdict(True, id=id_)
        known = self._calls[sender][0]
        code = owed_code(value, lambda method: method in known or method.startswith(_EXTENSION))
        return Verdict(False, None if code is None else code.value, id_)

    def accepts(
        self, message: object, sender: str | None = None, answers: str | None = None
    ) -> bool:
        """True if a message is valid, as decoded JSON: dict, list, str, int, float, bool or None.

        `sender` is agent, client or proxy; None is any of them. `answers` is the method of the
        request that a response is for. Without it a result may be anything, and also for a method
        that the protocol lacks, because that may be an extension.

        Raises:
            ValueError: the sender is not one of the three.
        """
        return self.grade(message, sender, answers) != REFUSED

    def grade(self, message: object, sender: str | None = None, answers: str | None = None) -> int:
        """Return `REFUSED`, `ACCEPTED` or `UNKNOWN` for a message; see `accepts`.

        Raises:
            ValueError: the sender is not one of the three.
        """
        calls = self._calls.get(sender)
        if calls is None:
            require_sender(sender)
            return REFUSED
        if type(message) is not dict:
            return REFUSED
        if "method" not in message:
            return self._grade_response(message, answers)
        # With these three members and no other, the envelope has no fault.
        if len(message) == _LEAST and "params" in message and message.get("jsonrpc") == "2.0":
            method = message["method"]
            check = calls[1].get(method) if type(method) is str else None
            if check is not None:
                return check(message["params"])
        return self._grade_call(message, *calls)

    def _grade_call(
        self,
        message: dict[str, object],
        requests: Mapping[str, Check],
        notifications: Mapping[str, Check],
    ) -> int:
        if envelope_faults(message):
            return REFUSED
        method: str = message["method"]  # type: ignore[assignment] # the envelope has no fault
        asks = "id" in message
        if asks:
            if not self._is_id(message["id"]):
                return REFUSED
            check = requests.get(method)
        else:
            check = notifications.get(method)
        if check is not None:
            return check(message["params"]) if "params" in message else REFUSED
        if not method.startswith(_EXTENSION):
            return REFUSED
        extension = self._is_extension[0 if asks else 1]
        return extension(message["params"]) if "params" in message else ACCEPTED

    def _grade_response(self, message: dict[str, object], answers: str | None) -> int:
        if envelope_faults(message):
            return REFUSED
        id_ = message["id"]
        if id_ is not None and not self._is_id(id_):
            return REFUSED
        if "error" in message:
            return self._is_error(message["error"])
        if "result" not in message:
            return REFUSED
        check = self._is_result if answers is None else self._results.get(answers, self._is_result)
        return check(message["result"])

    def accepts_bytes(
        self, line: bytes, sender: str | None = None, answers: str | None = None
    ) -> bool:
        """True if the text of one message is JSON and the message valid; see `check`.

        Raises:
            TypeError: the message is not bytes.
            ValueError: the sender is not one of the three, or there is no such request to answer.
        """
        self.require_request(answers)
        try:
            message = read(line)
        except NotJsonError:
            return False
        return self.accepts(message, sender, answers)

    def clean(self, line: bytes, sender: str | None = None, answers: str | None = None) -> bool:
        """True if the text of one message is valid, and nothing in it may be a mistake.

        It is not `remarkable`, has no unlisted tag but those that start with `_`, and no object
        repeats a member. All of these are legal.

        Raises:
            TypeError: the message is not bytes.
            ValueError: the sender is not one of the three, or there is no such request to answer.
        """
        self.require_request(answers)
        try:
            message = read_once(line)
        except NotJsonError:
            return False
        return self.grade(message, sender, answers) == ACCEPTED and not self.remarkable(message)

    def require_request(self, answers: str | None) -> None:
        """Accept None, and the method of a request that can be answered, also of an extension.

        Raises:
            ValueError: the method is not that of a request.
        """
        if (
            answers is not None
            and answers not in self._requests
            and not answers.startswith(_EXTENSION)
        ):
            raise ValueError(
                f"{answers!r} is not a request of the protocol; extensions start with _"
            )

    def remarkable(self, message: object) -> bool:
        """True if a valid call has a member that looks like an idempotency key and is not one.

        Such a member is misspelled, misplaced, or on a method that takes no key. This is legal,
        because receivers ignore unknown members, but then the call is not safe to send again.
        """
        if type(message) is not dict or "method" not in message:
            return False
        params = message.get("params")
        members = params if type(params) is dict else _NO_MEMBERS
        key = self.keyed.get(message["method"]) if self.carries_key(message) else None
        names = [*message, *_metadata(message), *_metadata(members)]
        names += [name for name in members if name != key]
        return not self._keys.isdisjoint(map(skeleton, names))

    def is_unremarkable(self, value: object) -> bool:
        """True if a value is an object without a member that looks like an idempotency key."""
        return type(value) is dict and self._keys.isdisjoint(map(skeleton, value))

    def carries_key(self, message: object) -> bool:
        """True if a message is a call of a method that takes an idempotency key."""
        method = message.get("method") if type(message) is dict else None
        return type(method) is str and method in self.keyed


def _metadata(holder: Mapping[str, object]) -> Mapping[str, object]:
    metadata = holder.get("_meta")
    return metadata if type(metadata) is dict else _NO_MEMBERS
