"""Which response answers which request."""

from __future__ import annotations

from acp_wire.beginnings import BEGINS, Beginnings, Connection
from acp_wire.envelope import SENDERS

__all__ = ["LIMIT", "Connection", "Pairing", "retyped"]

LIMIT = 100_000
"""How many requests may be pending before the oldest is forgotten."""

_BELOW = 8
"""How many requests with the id of a newer one are kept that may wait for a response as well."""

_DIGITS = 20
"""More characters than an integer id of 64 bits has."""

_CLIENTS = (None, "client")
"""The sides of a request that may come from a client."""


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


_Key = tuple[Connection, int | str, str | None]
"""A connection, an id there, and the side that sent the request, if it is known."""
_Asked = tuple[str, str | None]
"""The method of a request, and its sender if that is known."""
_Pending = tuple[int, _Asked]
"""The number of a request among all, and the request."""


class Pairing:
    """The requests that wait for a response.

    A response answers the pending request that has its id, on the same connection, from another
    side. Where the sender is not known, it counts as an answer if it can answer one request only.
    An answered request is forgotten. So is the oldest one once more than `limit` are pending: its
    response then counts as one to an unknown request. `forgotten` is the number of these requests,
    and `answers` that of the requests that were answered.

    `beginnings` knows under which name several connections may be. A request with the id of a
    pending one may be of another connection then, so both wait for a response. One connection that
    uses an id twice looks the same.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.answers = 0
        self.forgotten = 0
        self.limit = limit
        self.beginnings = Beginnings()
        self._count = 0
        self._pending: dict[_Key, _Pending] = {}
        self._below: dict[_Key, list[_Asked]] = {}

    def asked(
        self,
        method: str,
        id_: int | str,
        connection: Connection,
        sender: str | None,
        caller: str | None = None,
    ) -> bool:
        """Note a request and return whether another one with its id is pending there.

        `caller` is the side that calls the method, where the method alone shows it. An invalid
        request is noted too, because its receiver answers it.
        """
        key = (connection, id_, sender or caller)
        beginnings = self.beginnings
        if beginnings.may_hold(connection) and key[2] in _CLIENTS:
            beginnings.asked(connection, method, id_)
        old = self._pending.pop(key, None)
        waits = old is not None
        if old is not None and self._is_apart(key):
            waits = False
            self._keep_below(key, old[1])
        if len(self._pending) >= self.limit:
            self._forget(next(iter(self._pending)))
            self.forgotten += 1
        self._count += 1
        self._pending[key] = (self._count, (method, sender))
        return waits

    def clear(self) -> None:
        """Forget all requests, before another recording."""
        self._pending.clear()
        self._below.clear()
        self.beginnings = Beginnings()
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
        keys = self._keys(id_, connection, sender)
        if len(keys) > 1:
            keys.sort(key=lambda key: -self._pending[key][0])
        return [
            (*asked, key[2])
            for key in keys
            for asked in (self._pending[key][1], *self._others(key))
        ]

    def answer(
        self,
        id_: int | str,
        connection: Connection,
        asker: str | None,
        method: str | None = None,
        *,
        code: int | None = None,
    ) -> None:
        """Forget a request, given the side that `asked` took it from.

        `method` is its method; by default the newest request with that id is forgotten. `code` is
        that of the error if the response is one (`acp_wire.envelope.error_code`).
        """
        key = (connection, id_, asker)
        if key in self._pending:
            self._answer(key, method, code)

    def waits(self, id_: int | str, connection: Connection, sender: str | None) -> bool:
        """True if a request of a sender is pending on the same connection."""
        key = (connection, id_, sender)
        return key in self._pending and not self._is_apart(key)

    def find(
        self, id_: int | str, connection: Connection, sender: str | None
    ) -> tuple[str, str | None] | None:
        """Return the method of the request that a response answers, and its sender if known."""
        keys = self._keys(id_, connection, sender)
        return self._pending[keys[0]][1] if len(keys) == 1 else None

    def answered(
        self,
        id_: int | str,
        connection: Connection,
        sender: str | None,
        *,
        code: int | None = None,
    ) -> None:
        """Forget the request that a response answers, if there is one; see `answer`."""
        keys = self._keys(id_, connection, sender)
        if len(keys) == 1:
            self._answer(keys[0], None, code)

    def _keys(self, id_: int | str, connection: Connection, sender: str | None) -> list[_Key]:
        """The keys of the pending requests that a response may answer."""
        return [
            key
            for side in (None, *SENDERS)
            if sender is None or side != sender
            for key in [(connection, id_, side)]
            if key in self._pending
        ]

    def _settle(self, key: _Key, method: str, code: int | None) -> None:
        """Note the answer to a request that shows where a connection begins."""
        connection, id_, asker = key
        if not self.beginnings.may_hold(connection) or asker not in _CLIENTS:
            return
        if method == BEGINS or self.beginnings.is_head(connection):
            self.beginnings.answered(connection, id_, code)

    def _is_apart(self, key: _Key) -> bool:
        """True if a request may be of another connection than the next one with its id."""
        return self.beginnings.may_be_several(key[0])

    def _keep_below(self, key: _Key, asked: _Asked) -> None:
        """Keep a request that waits for a response, below the next one with its id."""
        if len(self._below) < self.limit:
            self._below[key] = [asked, *self._others(key)][:_BELOW]

    def _others(self, key: _Key) -> list[_Asked]:
        return self._below.get(key, [])

    def _answer(self, key: _Key, method: str | None, code: int | None) -> None:
        """Forget an answered request: the newest one with a key, or with that method."""
        self.answers += 1
        number, newest = self._pending[key]
        below = self._below.pop(key, None)
        if below is None:
            self._settle(key, newest[0], code)
            self._forget(key)
            return
        waiting = [newest, *below]
        place = next((n for n, (name, _) in enumerate(waiting) if name == method), 0)
        self._settle(key, waiting.pop(place)[0], code)
        self._pending[key] = (number, waiting[0])
        if waiting[1:]:
            self._below[key] = waiting[1:]

    def _forget(self, key: _Key) -> None:
        """Forget all requests with a key."""
        del self._pending[key]
        self._below.pop(key, None)
