"""One prompt as a handler of the agent sees it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Hashable, Mapping

from acp_retry.core import Claim
from acp_retry.store import Insertion

__all__ = ["Submission", "WithdrawnError"]


class WithdrawnError(Exception):
    """The prompt was withdrawn or refused, and must not be inserted any more."""


class Submission:
    """One prompt for the agent to insert, now or when its work allows.

    It does not contain the key.
    """

    __slots__ = ("_claim", "_insert", "_insert_live")

    def __init__(
        self,
        claim: Claim,
        insert: Callable[[Claim, bytes], Awaitable[Insertion]],
        insert_live: Callable[[Claim], Insertion],
    ) -> None:
        self._claim = claim
        self._insert = insert
        self._insert_live = insert_live

    @property
    def params(self) -> Mapping[str, object]:
        """The params of the request, without the key."""
        return self._claim.payload

    @property
    def session_id(self) -> str:
        """The session that the prompt is for."""
        return self._claim.session_id

    @property
    def prompt(self) -> object:
        """The content blocks as received."""
        return self.params.get("prompt")

    @property
    def message_id(self) -> str:
        """The `messageId` of the message, derived from session and key."""
        return str(self._claim.record)

    @property
    def connection(self) -> Hashable:
        """The connection of the oldest attempt that still waits, or None.

        If that connection is lost, the connection of the next attempt follows, until the insertion.
        """
        owner = self._claim.owner
        return None if owner is None else owner.connection

    async def insert(self, body: bytes | None = None) -> Insertion:
        """Insert the message with its key in one step, and answer every attempt.

        Args:
            body: what the store keeps and the agent replays; the prompt as JSON by default.

        Returns:
            The `messageId`, and whether the message is new. If not, another process inserted it:
            start no work.

        Raises:
            WithdrawnError: the prompt was cancelled or refused.
            RuntimeError: this submission was inserted before. `Sessions.turn` inserts, too.
            Exception: what the store raised. The message is missing, or the store can't tell whose
                it is, because it can't be read or keeps no `Found.writer`.
        """
        body = json.dumps(self.prompt).encode() if body is None else body
        return await self._insert(self._claim, body)

    def insert_live(self) -> Insertion:
        """Count a message that no history keeps as inserted, and answer every attempt.

        For commands that the agent handles itself. Their keys last while the session is active.

        Raises:
            WithdrawnError: the prompt was cancelled or refused.
            RuntimeError: this submission was inserted before.
        """
        return self._insert_live(self._claim)
