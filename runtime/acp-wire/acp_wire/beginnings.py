"""Where a connection begins in a recording that does not tell its connections apart."""

from __future__ import annotations

from acp_wire.envelope import ErrorCode

BEGINS = "initialize"
"""The method whose request begins a connection."""

_NAMES = 100_000
"""How many names are known."""
_IDS = 1_000
"""How many ids are kept of what comes before the first `initialize`."""

Connection = int | str
"""The name of a connection: ids are unique on one connection only."""


class FirstCall:
    """An `initialize` that may begin a connection: `begins` is None until that is known."""

    __slots__ = ("begins", "called", "former", "id", "is_answered")

    def __init__(self, id_: int | str | None, former: int | str | None = None) -> None:
        self.begins: bool | None = None
        self.id = id_
        self.former = former
        self.called = False
        self.is_answered = False


class _Head:
    """What a recording has before the first `initialize`: the end of a connection, or a mistake.

    `calls` is true if there is a request of the client, and `greatest` is the greatest number that
    is an id of one. `starts_at_0` is true if the first message is one, with the id 0.
    """

    __slots__ = (
        "answers",
        "calls",
        "greatest",
        "has_others",
        "is_accepted",
        "is_refused",
        "pending",
        "starts_at_0",
    )

    def __init__(self) -> None:
        self.pending: set[int | str | None] = set()
        self.answers: set[int | str | None] = set()
        self.greatest = -1
        self.calls = self.starts_at_0 = False
        self.has_others = self.is_accepted = self.is_refused = False

    def asked(self, id_: int | str | None) -> None:
        if not self.calls:
            self.calls = True
            self.starts_at_0 = id_ == 0 and not self.has_others
            self.answers.clear()
        if isinstance(id_, int):
            self.greatest = max(self.greatest, id_)
        if len(self.pending) < _IDS:
            self.pending.add(id_)

    def answered(self, id_: int | str | None, code: int | None) -> None:
        if id_ in self.pending:
            self.pending.discard(id_)
            self.is_accepted |= code is None
            self.is_refused |= code is not None
            return
        self.has_others = True
        if not self.calls and len(self.answers) < _IDS:
            self.answers.add(id_)

    def goes_on(self, id_: int | str | None) -> bool:
        """True if an `initialize` is too late on the same connection, and does not begin another.

        That is shown by the id 0 of the first request, or by an agent that did nothing but refuse.
        Without a request, the answer may be recorded before its `initialize`.
        """
        if not self.calls:
            return id_ in self.answers
        if id_ in self.pending or (isinstance(id_, int) and id_ <= self.greatest):
            return False
        only_refused = self.is_refused and not (self.is_accepted or self.has_others)
        return self.starts_at_0 or only_refused


class _Stream:
    """What was seen under one name.

    `called` is true if the client sent another request since the connection began, and `waits` is
    true as long as its latest `initialize`, which has the id `latest`, was not answered. `repeats`
    is true if that came right after another one, and `several` if a second connection began.
    """

    __slots__ = ("called", "head", "latest", "open", "repeats", "several", "waits")

    def __init__(self) -> None:
        self.called = self.waits = self.repeats = self.several = False
        self.head: _Head | None = None
        self.latest: int | str | None = None
        self.open: FirstCall | None = None


class Beginnings:
    """Finds out which `initialize` begins a connection, of messages in their order.

    An `initialize` after other requests of the client begins one, unless the agent refuses it: with
    the error -32600, or with another one after which the client goes on as before. So does one
    after an `initialize` that was never answered.

    If it `names_connections`, as a transcript does, a name is that of one connection, and only
    messages without a name are of several. Otherwise each name may be that of several, say of a
    program that connects again.
    """

    __slots__ = ("_streams", "names_connections")

    def __init__(self, *, names_connections: bool = True) -> None:
        self.names_connections = names_connections
        self._streams: dict[Connection, _Stream] = {}

    def may_hold(self, name: Connection) -> bool:
        """True if messages under a name may be of several connections."""
        return name == "" or not self.names_connections

    def is_head(self, name: Connection) -> bool:
        """True if nothing under a name came with or after an `initialize` so far."""
        stream = self._streams.get(name)
        return stream is not None and stream.head is not None

    def may_be_several(self, name: Connection) -> bool:
        """True if messages under a name may be of several connections, as far as it was seen."""
        stream = self._streams.get(name)
        if stream is None:
            return False
        repeats = stream.repeats and not self.names_connections
        return stream.several or stream.open is not None or repeats

    def clear(self) -> None:
        """Forget everything, before another recording."""
        self._streams.clear()

    def asked(self, name: Connection, method: str, id_: int | str | None) -> FirstCall | None:
        """Note a request of the client. Returns what an `initialize` may begin.

        That is nothing new for the first connection under a name. `begins` of what is returned is
        set by this call, or by a later one.
        """
        stream = self._streams.get(name)
        if method != BEGINS:
            stream = stream or self._made(name, head=True)
            if stream is not None:
                _called(stream, id_)
            return None
        if stream is None:
            stream = self._made(name, head=False)
            return None if stream is None else _asked(stream, id_)
        return _begun(stream, id_)

    def answered(self, name: Connection, id_: int | str | None, code: int | None) -> None:
        """Note a response to a request of the client: the code of its error, or None.

        Those to `initialize` and those before the first one are enough.
        """
        stream = self._streams.get(name) or self._made(name, head=True)
        if stream is None:
            return
        if stream.head is not None:
            stream.head.answered(id_, code)
        if (beginning := stream.open) is not None:
            if beginning.former is not None:
                if id_ in (beginning.former, beginning.id):
                    refused = beginning.former == id_ and code == ErrorCode.INVALID_REQUEST
                    _decide(stream, begins=id_ == beginning.id and not refused)
            elif id_ == beginning.id and not beginning.is_answered:
                beginning.is_answered = True
                if code is None or code == ErrorCode.INVALID_REQUEST:
                    _decide(stream, begins=code is None)
        if stream.waits and stream.latest == id_:
            stream.waits = False
            stream.repeats &= code is None

    def saw(self, name: Connection) -> None:
        """Note another message, of either side."""
        stream = self._streams.get(name) or self._made(name, head=True)
        if stream is not None and stream.head is not None:
            stream.head.has_others = True

    def decide(self, name: Connection) -> None:
        """Take the latest `initialize` under a name to begin a connection if nothing shows it."""
        stream = self._streams.get(name)
        if stream is not None and stream.open is not None:
            _decide(stream, begins=True)

    def _made(self, name: Connection, *, head: bool) -> _Stream | None:
        if len(self._streams) >= _NAMES:
            return None
        stream = self._streams[name] = _Stream()
        stream.head = _Head() if head else None
        return stream


def _called(stream: _Stream, id_: int | str | None) -> None:
    """Note a request of the client that is not `initialize`."""
    if stream.head is not None:
        stream.head.asked(id_)
    beginning = stream.open
    if beginning is None:
        stream.called = True
    elif beginning.is_answered:
        _decide(stream, begins=False)
    else:
        beginning.called = True


def _begun(stream: _Stream, id_: int | str | None) -> FirstCall | None:
    """Note an `initialize` that is not the first message under its name."""
    if stream.head is not None:
        head, stream.head = stream.head, None
        if head.goes_on(id_):
            stream.called = head.calls
            return _asked(stream, id_)
        return _asked(stream, id_, FirstCall(id_), begins=True)
    if stream.open is not None:
        _decide(stream, begins=True)
    if stream.called:
        return _asked(stream, id_, FirstCall(id_))
    if not stream.waits:
        stream.repeats = True
        return _asked(stream, id_)
    return _asked(stream, id_, FirstCall(id_, stream.latest))


def _asked(
    stream: _Stream,
    id_: int | str | None,
    beginning: FirstCall | None = None,
    *,
    begins: bool | None = None,
) -> FirstCall | None:
    stream.latest, stream.waits = id_, True
    stream.open = beginning
    if begins:
        _decide(stream, begins=True)
    return beginning


def _decide(stream: _Stream, *, begins: bool) -> None:
    """Decide about the latest `initialize` that may begin a connection."""
    beginning, stream.open = stream.open, None
    if beginning is not None:
        beginning.begins = begins
        stream.several |= begins
        stream.called = beginning.called if begins else stream.called or beginning.called
        if not begins and beginning.former is None:
            stream.called = True
