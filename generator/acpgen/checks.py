"""What the generated modules of checkers and decoders offer, whoever made them and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol


class OfMessage(Protocol):
    """A question about a decoded message."""

    def __call__(
        self, message: object, sender: str | None = None, answers: str | None = None
    ) -> bool:
        """The answer."""
        ...


class OfText(Protocol):
    """A question about the text of a message."""

    def __call__(self, line: bytes, sender: str | None = None, answers: str | None = None) -> bool:
        """The answer."""
        ...


class Owed(Protocol):
    """A verdict that names the error owed."""

    @property
    def valid(self) -> bool:
        """Whether the message is valid."""
        ...

    @property
    def code(self) -> int | None:
        """The JSON-RPC error, if one is owed."""
        ...

    @property
    def id(self) -> int | str | None:
        """The id of the message, if it has a valid one."""
        ...


class Check(Protocol):
    """The verdict on the text of a message."""

    def __call__(
        self, message: bytes, sender: str | None = None, answers: str | None = None
    ) -> Owed:
        """The verdict."""
        ...


class Call(Protocol):
    """A valid call. One that is answered has an `id` besides."""

    @property
    def method(self) -> str:
        """The method called."""
        ...


class Line(Protocol):
    """A line of a transcript that holds a valid call."""

    @property
    def sender(self) -> str:
        """Who sends the message."""
        ...

    @property
    def connection(self) -> object:
        """On which connection: an integer, a string, or something else for none."""
        ...

    @property
    def message(self) -> Call:
        """The call."""
        ...


class Decode(Protocol):
    """A call out of the text of a message."""

    def __call__(self, line: bytes, sender: str | None = None) -> Call | None:
        """The call, or None."""
        ...


class Checkers(Protocol):
    """The module of checkers; `acp_v2.checkers` says what each part is."""

    @property
    def TYPES(self) -> Mapping[str, Callable[[object], bool]]: ...  # noqa: D102, N802
    @property
    def CALLERS(self) -> Mapping[str, str]: ...  # noqa: D102, N802
    @property
    def NotJsonError(self) -> type[ValueError]: ...  # noqa: D102, N802
    @property
    def accepts(self) -> OfMessage: ...  # noqa: D102
    @property
    def accepts_bytes(self) -> OfText: ...  # noqa: D102
    @property
    def check(self) -> Check: ...  # noqa: D102
    @property
    def clean(self) -> OfText: ...  # noqa: D102
    @property
    def mark(self) -> Callable[[], int]: ...  # noqa: D102
    @property
    def read(self) -> Callable[[bytes], object]: ...  # noqa: D102
    @property
    def read_once(self) -> Callable[[bytes], object]: ...  # noqa: D102
    @property
    def remarkable(self) -> Callable[[object], bool]: ...  # noqa: D102


class Decoders(Protocol):
    """The module of decoders; `acp_v2.decoders` says what each part is."""

    @property
    def DECODERS(self) -> Mapping[str | None, Callable[[bytes], Call]]: ...  # noqa: D102, N802
    @property
    def DECODE_LINE(self) -> Callable[[bytes], Line]: ...  # noqa: D102, N802
    @property
    def QUIET(self) -> frozenset[type]: ...  # noqa: D102, N802
    @property
    def UNDECIDED(self) -> tuple[type[Exception], ...]: ...  # noqa: D102, N802
    @property
    def accepts_bytes(self) -> OfText: ...  # noqa: D102
    @property
    def clean(self) -> OfText: ...  # noqa: D102
    @property
    def decode(self) -> Decode: ...  # noqa: D102
    @property
    def decode_line(self) -> Callable[[bytes], Line | None]: ...  # noqa: D102
    @property
    def read(self) -> Callable[[bytes], object]: ...  # noqa: D102
