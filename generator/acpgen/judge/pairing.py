"""Which response answers which request."""

from __future__ import annotations

LIMIT = 100_000
"""How many requests may wait for their responses before the oldest is forgotten."""

Connection = int | str
"""What tells connections apart: ids are unique on one connection only."""

SENDERS = ("agent", "client", "proxy")


class Pairing:
    """The requests that wait for a response.

    A response answers the pending request that has its id, on the same connection, from somebody
    else. Where nobody says who sends, it counts as an answer when it can answer one request only.
    An answered request is forgotten. So is the oldest, once more than `limit` wait: its response is
    then judged as one to an unknown request, and `forgotten` says how many requests went that way.
    """

    def __init__(self, limit: int = LIMIT) -> None:
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
        """Note a request, and say whether another one with its id waits.

        `caller` is who calls that method, as far as one knows without `sender`. Whatever else is
        wrong with the request: its receiver answers in any case.
        """
        key = (connection, id_, sender or caller)
        waits = self._pending.pop(key, None) is not None
        if len(self._pending) >= self.limit:
            del self._pending[next(iter(self._pending))]
            self.forgotten += 1
        self._pending[key] = (method, sender)
        return waits

    def clear(self) -> None:
        """Forget all requests, for what comes next is another recording."""
        self._pending.clear()

    def waits(self, id_: int | str, connection: Connection, sender: str | None) -> bool:
        """Whether a request of a sender waits."""
        return (connection, id_, sender) in self._pending

    def find(
        self, id_: int | str, connection: Connection, sender: str | None
    ) -> tuple[str, str | None] | None:
        """The method of the request that a response answers, and who is known to have sent it."""
        key = self._key(id_, connection, sender)
        return None if key is None else self._pending[key]

    def answered(self, id_: int | str, connection: Connection, sender: str | None) -> None:
        """Forget the request that a response answers, if there is one."""
        key = self._key(id_, connection, sender)
        if key is not None:
            del self._pending[key]

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
