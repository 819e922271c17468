"""Which response answers which request."""

from __future__ import annotations

from acp_wire.envelope import SENDERS

LIMIT = 100_000
"""How many requests may be pending before the oldest is forgotten."""

_DIGITS = 20
"""More characters than an integer id of 64 bits has."""

Connection = int | str
"""The name of a connection: ids are unique on one connection only."""


def retyped(id_: float | str) -> int | str | None:
    """Return an id as the other JSON type: `1` for `"1"`, and the other way round. `1` for `1.0`.

    A response with it answers nothing, but it shows which request was meant. None for a string that
    is not the decimal form of a number.
    """
    if isinstance(id_, int):
        return str(id_)
    if isinstance(id_, float):
        return int(id_) if id_.is_integer() else None
    is_number = len(id_) < _DIGITS and id_.removeprefix("-").isdecimal() and id_.isascii()
    return int(id_) if is_number and str(int(id_)) == id_ else None


class Pairing:
    """The requests that wait for a response.

    A response answers the pending request that has its id, on the same connection, from another
    side. Where the sender is not known, it counts as an answer if it can answer one request only.
    An answered request is forgotten. So is the oldest one once more than `limit` are pending: its
    response then counts as one to an unknown request. `forgotten` is the number of these requests,
    and `answers` that of the requests that were answered.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.answers = 0
        self.forgotten = 0
        self.limit = limit
        self._pending: dict[tuple[Connection, int | str, str | None], tuple[str, str | None]] = {}

    def asked(
        self,
        method: str,
        id_: int | str,
        connection: Connection,
        sender: str | None,
        caller: str | None = None,
    ) -> bool:
        """Note a request and return whether another one with its id is pending.

        `caller` is the side that calls the method, where the method alone shows it. An invalid
        request is noted too, because its receiver answers it.
        """
        key = (connection, id_, sender or caller)
        waits = self._pending.pop(key, None) is not None
        if len(self._pending) >= self.limit:
            del self._pending[next(iter(self._pending))]
            self.forgotten += 1
        self._pending[key] = (method, sender)
        return waits

    def clear(self) -> None:
        """Forget all requests, before another recording."""
        self._pending.clear()
        self.answers = 0

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a response."""
        return len(self._pending)

    def newest(
        self, id_: int | str, connection: Connection, sender: str | None
    ) -> list[tuple[str, str | None, str | None]]:
        """Return the requests that a response may answer, the newest first.

        Each has its method, its sender as it is known, and the side that `asked` took it from.
        """
        keys = [
            key for side in (None, *SENDERS) if (key := (connection, id_, side)) in self._pending
        ]
        keys = [key for key in keys if sender is None or key[2] != sender]
        if len(keys) > 1:
            order = [key for key in self._pending if key in keys]
            keys = order[::-1]
        return [(*self._pending[key], key[2]) for key in keys]

    def answer(self, id_: int | str, connection: Connection, asker: str | None) -> None:
        """Forget a request, given the side that `asked` took it from."""
        if self._pending.pop((connection, id_, asker), None) is not None:
            self.answers += 1

    def waits(self, id_: int | str, connection: Connection, sender: str | None) -> bool:
        """True if a request of a sender is pending."""
        return (connection, id_, sender) in self._pending

    def find(
        self, id_: int | str, connection: Connection, sender: str | None
    ) -> tuple[str, str | None] | None:
        """Return the method of the request that a response answers, and its sender if known."""
        key = self._key(id_, connection, sender)
        return None if key is None else self._pending[key]

    def answered(self, id_: int | str, connection: Connection, sender: str | None) -> None:
        """Forget the request that a response answers, if there is one."""
        key = self._key(id_, connection, sender)
        if key is not None:
            del self._pending[key]
            self.answers += 1

    def _key(
        self, id_: int | str, connection: Connection, sender: str | None
    ) -> tuple[Connection, int | str, str | None] | None:
        keys = [
            key
            for side in (None, *SENDERS)
            if sender is None or side != sender
            for key in [(connection, id_, side)]
            if key in self._pending
        ]
        return keys[0] if len(keys) == 1 else None
