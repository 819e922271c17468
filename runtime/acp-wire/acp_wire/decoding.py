"""Checking long input: msgspec reads and checks messages in one step.

This is what the generated decoders of every schema have in common; it needs msgspec. A decoder
accepts only calls in which every part is listed in the schema. The checkers decide about all else:
responses, members and variants that the schema doesn't list, and everything that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, TypeVar

from acp_wire.extras import missing

try:
    import msgspec
except ModuleNotFoundError as error:
    raise missing("acp_wire.decoding", "fast", error) from None

from msgspec import UNSET, MsgspecError, Struct, UnsetType

from acp_wire.checking import ACCEPTED, Checkers, is_anything
from acp_wire.envelope import require_sender
from acp_wire.reader import MAX_DEPTH, Decoded, NotJsonError, as_bytes, read

__all__ = [
    "UNDECIDED",
    "AnyObject",
    "Anything",
    "Checked",
    "Decoders",
    "Line",
    "ListedObject",
    "LooseObject",
    "Notification",
    "Request",
    "Unsent",
]

UNDECIDED = (MsgspecError, RecursionError)
"""The exceptions of a decoder that leaves the decision to the checkers."""

_REFUSALS = ("Expected `", "Object missing required field")
_NO_METHOD = "Object missing required field `method`"
"""The words of msgspec for a response, which the decoders of calls don't know."""

_SHALLOW = 2 * MAX_DEPTH
"""So many bytes can't nest too deep, because every level is opened and closed."""


class ListedObject(Struct, forbid_unknown_fields=True, gc=False):
    """An object without members that the schema doesn't list."""

    def __repr__(self) -> str:
        """The type alone, because a member may be an idempotency key."""
        return f"<{type(self).__name__}>"


class Notification(ListedObject, tag_field="method"):
    """A valid call that is not answered."""

    jsonrpc: Literal["2.0"]

    @property
    def method(self) -> str:
        """The method called."""
        return str(self.__struct_config__.tag)


class Request(Notification, tag_field="method"):
    """A valid call that is answered."""

    id: int | str


Call = TypeVar("Call", bound=Notification)


class Line(ListedObject, Generic[Call], tag_field="from", kw_only=True):
    """A line of a transcript: who sends a valid call as its `message`, on which connection."""

    message: Call
    connection: int | str | UnsetType | None = UNSET
    time: str | float | UnsetType | None = UNSET

    @property
    def sender(self) -> str:
        """The side that sends the message."""
        return str(self.__struct_config__.tag)


class LooseObject(ListedObject):
    """An object whose members may be of any type until a check has seen them all.

    `levels` is how deep arrays and objects may nest in it.
    """

    check = staticmethod(is_anything)
    levels: ClassVar[int] = 0

    def __post_init__(self) -> None:
        value = msgspec.to_builtins(self)
        if self.check(value) != ACCEPTED or not _is_shallow(value, self.levels):
            raise ValueError


class Checked:
    """A value of any JSON type that a check accepts."""

    check = staticmethod(is_anything)


class Anything(Checked):
    """Any value."""


class AnyObject(Checked):
    """Any object without a member that looks like an idempotency key."""


class Nothing(Checked):
    """No value at all."""

    check = staticmethod(bool)


class Unsent(Notification, tag=""):
    """A call that is never valid. msgspec ignores the tag in a union of one type."""

    params: Nothing


Decode = Callable[[bytes], Notification]


class _BySender(dict[str | None, Decode]):
    """The decoders of each sender, made when they are first needed."""

    def __init__(self, calls: Mapping[str | None, Any], hook: Callable[[Any, object], Any]) -> None:
        super().__init__()
        self.calls = calls
        self._hook = hook

    def __missing__(self, sender: str | None) -> Decode:
        require_sender(sender)
        decode: Decode = msgspec.json.Decoder(self.calls[sender], dec_hook=self._hook).decode
        self[sender] = decode
        return decode


class Decoders:
    """Judges the messages of one schema, as fast as msgspec reads them.

    `DECODERS` and `DECODE_LINE` decode a call by its sender, and a line of a transcript, as
    `decode` and `decode_line` do, but ignore a repeated key and raise one of `UNDECIDED`. `QUIET`
    are the types of notifications that take no key.

    Args:
        checkers: decide what msgspec can't.
        calls: the union of the calls of each sender; None is any of them.
        line: the union of the lines of a transcript.
        keyed: the types of the calls that take an idempotency key.
        levels: how deep arrays and objects may nest in a value that msgspec reads as any JSON.
    """

    UNDECIDED = UNDECIDED
    MALFORMED = msgspec.DecodeError
    """The exception, and no kind of it, for a text that is not JSON."""

    def __init__(
        self,
        checkers: Checkers,
        *,
        calls: Mapping[str | None, Any],
        line: Any,  # noqa: ANN401 - a union of types
        keyed: Iterable[type[Notification]],
        levels: int,
    ) -> None:
        def hook(type_: type[Checked], value: object) -> Checked:
            check = checkers.is_unremarkable if type_ is AnyObject else type_.check
            if type_ is not Nothing and check(value) == ACCEPTED and _is_shallow(value, levels):
                return type_()
            raise ValueError

        self.checkers = checkers
        self.DECODERS = _BySender(calls, hook)
        self._line = line
        self._hook = hook
        self._keyed = frozenset(keyed)
        self._keys = [msgspec.json.encode(key) for key in {*checkers.keyed.values()}]
        self.QUIET = frozenset(
            type_
            for type_ in getattr(calls[None], "__args__", ())
            if not issubclass(type_, Request) and type_ is not Unsent
        ).difference(self._keyed)

    def prepare(self) -> None:
        """Make all decoders now, where the module of their types is dropped afterwards."""
        for sender in self.DECODERS.calls:
            self.DECODERS[sender]
        self.DECODE_LINE  # noqa: B018 - so is this

    @cached_property
    def DECODE_LINE(self) -> Callable[[bytes], Line[Notification]]:  # noqa: N802 - as DECODERS
        """Decodes a line of a transcript; made when it is first needed."""
        decode: Callable[[bytes], Line[Notification]]
        decode = msgspec.json.Decoder(self._line, dec_hook=self._hook).decode
        return decode

    def decode(self, line: bytes, sender: str | None = None) -> Notification | None:
        """Return the valid call in a text, not remarkable; None if the checkers must decide.

        `sender` is agent, client or proxy; None is any of them. Of repeated members, only a key is
        sure to be noticed.

        Raises:
            ValueError: the sender is not one of the three.
        """
        try:
            call = self.DECODERS[sender](line)
        except UNDECIDED:
            return None
        return None if type(call) in self._keyed and self._may_repeat_key(line) else call

    def decode_line(self, line: bytes) -> Line[Notification] | None:
        """Return the line of a transcript with such a call; None if the checkers must decide.

        It is an object with `from`, `message` and, optionally, `connection`.
        """
        try:
            decoded = self.DECODE_LINE(line)
        except UNDECIDED:
            return None
        repeats = type(decoded.message) in self._keyed and self._may_repeat_key(line)
        return None if repeats else decoded

    def read(self, text: bytes) -> object:
        """Return the value of a JSON text, as `acp_wire.reader.read` does.

        Raises:
            NotJsonError: the text is not JSON, or a strict peer can't read it.
        """
        if len(text) > _SHALLOW and text.count(b"[") + text.count(b"{") > MAX_DEPTH:
            return read(text)
        try:
            return _read(text)
        except UNDECIDED:
            return read(text)

    def decoded(self, text: bytes, value: object) -> Decoded | None:
        """Return a text with its value, which `read` returned; None if it may repeat a member.

        Written anew, the value is the same text, if that has no blanks. It has as many quotes as
        its text, unless the text repeats a member or escapes a quote in hexadecimal.
        """
        try:
            written = _write(value)
        except (OverflowError, ValueError):  # an integer that is too long for one of the two
            return None
        if written != text and (b"\\u" in text or text.count(b'"') != written.count(b'"')):
            return None
        return Decoded(text.decode("utf-8"), value, [])  # type: ignore[arg-type] # JSON

    @staticmethod
    def is_refusal(error: Exception) -> bool:
        """True if the checkers most likely refuse the message about which a decoder raised this.

        It is for speed only: the checkers find the same. A response lacks a method,
        and an unlisted member or tag may be legal.
        """
        reason = str(error)
        return reason.startswith(_REFUSALS) and not reason.startswith(_NO_METHOD)

    def accepts_bytes(
        self, line: bytes, sender: str | None = None, answers: str | None = None
    ) -> bool:
        """True if the text of one message is JSON and the message valid; see `Checkers.check`.

        Raises:
            TypeError: the message is not bytes.
            ValueError: the sender is not one of the three, or there is no such request to answer.
        """
        if line.__class__ is not bytes:
            line = as_bytes(line)
        if answers is not None:
            self.checkers.require_request(answers)
        try:
            self.DECODERS[sender](line)
        except UNDECIDED:
            pass
        else:
            return True
        try:
            message = self.read(line)
        except NotJsonError:
            return False
        return self.checkers.accepts(message, sender, answers)

    def clean(self, line: bytes, sender: str | None = None, answers: str | None = None) -> bool:
        """True if the text of one message is valid, and nothing may be a mistake.

        See `Checkers.clean`. Of repeated members, only a key is sure to be noticed.

        Raises:
            TypeError: the message is not bytes.
            ValueError: the sender is not one of the three, or there is no such request to answer.
        """
        if line.__class__ is not bytes:
            line = as_bytes(line)
        if answers is not None:
            self.checkers.require_request(answers)
        try:
            call = self.DECODERS[sender](line)
        except UNDECIDED:
            pass
        else:
            if type(call) not in self._keyed or not self._may_repeat_key(line):
                return True
        try:
            message = self.read(line)
        except NotJsonError:
            return False
        checkers = self.checkers
        if checkers.carries_key(message) and self._may_repeat_key(line):
            return checkers.clean(line, sender, answers)
        graded = checkers.grade(message, sender, answers)
        return graded == ACCEPTED and not checkers.remarkable(message)

    def _may_repeat_key(self, line: bytes) -> bool:
        return b"\\u" in line or any(line.count(key) > 1 for key in self._keys)


def _is_shallow(value: object, levels: int) -> bool:
    if type(value) is dict:
        parts: Iterable[object] = value.values()
    elif type(value) is list:
        parts = value
    else:
        return True
    if levels == 0:
        return False
    for part in parts:
        kind = type(part)
        if (kind is dict or kind is list) and not _is_shallow(part, levels - 1):
            return False
    return True


_read = msgspec.json.Decoder().decode
_write = msgspec.json.Encoder().encode
