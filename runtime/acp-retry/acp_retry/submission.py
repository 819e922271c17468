"""One prompt as a handler of the agent sees it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Hashable, Mapping

from acp_retry.core import Claim
from acp_retry.store import Insertion

__all__ = ["Submission", "WithdrawnError"]


class WithdrawnError(Exception):
    """The prompt was withdrawn or refused; nobody may insert it any more."""


class Submission:
    """One prompt for the agent to insert: now, or once its work allows.

    It knows no key, so it can't tell one.
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
        """The content blocks, as they came."""
        return self.params.get("prompt")

    @property
    def message_id(self) -> str:
        """The `messageId` to insert the message under, made from session and key."""
        return str(self._claim.record)

    @property
    def connection(self) -> Hashable:
        """The connection of the oldest attempt that still waits, or None.

        When a connection is lost, the next attempt's takes its place, until the message is
        inserted.
        """
        owner = self._claim.owner
        return None if owner is None else owner.connection

    async def insert(self, body: bytes | None = None) -> Insertion:
        """Insert the message, with its key in the same step, and answer every attempt.

        Args:
            body: what the store keeps and the agent replays; the prompt as JSON by default.

        Returns:
            The `messageId`, and whether the message is new. When it is not, another process was
            first: start no work.

        Raises:
            WithdrawnError: the prompt was cancelled or refused.
            RuntimeError: it was inserted by this submission already. `Sessions.turn` inserts, too.
            Exception: what the store raised. The message is not there, or nobody can tell whether
                by this call: the store can't be read, or keeps no `Found.writer`.
        """
        body = json.dumps(self.prompt).encode() if body is None else body
        return await self._insert(self._claim, body)

    def insert_live(self) -> Insertion:
        """Count a message that no history keeps as inserted, and answer every attempt.

        For commands that the agent handles by itself. Its key is known while the session is active.

        Raises:
            WithdrawnError: the prompt was cancelled or refused.
            RuntimeError: it was inserted by this submission already.
        """
        return self._insert_live(self._claim)
