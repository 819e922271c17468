"""What `Sessions` needs of the storage of an agent."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Protocol

from acp_retry.store import Store

__all__ = ["SessionStore"]


class SessionStore(Store, Protocol):
    """A store that keeps a list of sessions. Those of this package do."""

    async def add_session(self, session_id: str, cwd: str) -> None:
        """Store a new session durably before returning. `forget` removes it."""
        ...

    async def sessions(self) -> dict[str, str]:
        """Return the working directory of every session by its ID, oldest first."""
        ...

    async def find_session(self, session_id: str) -> str | None:
        """Return the working directory of a session, or None if the list has no such session."""
        ...

    async def use_session(self, session_id: str) -> str | None:
        """Note that a session is used now, and return the same as `find_session`.

        `prune` that runs at the same time, in any process, keeps the session, or this returns None.
        """
        ...

    async def messages(self, session_id: str) -> list[tuple[str, bytes]]:
        """Return the session's messages, oldest first, each with its `messageId`."""
        ...

    async def prune(self, older_than: timedelta, *, keep: Collection[str] = ()) -> int:
        """Remove sessions in which nothing has been stored for some time. Return their number.

        A session goes as a whole: its entry in the list, its messages and their keys in one step.
        So a message that stays keeps its key (RFD, How long a key lasts).

        Args:
            older_than: how long ago the session was created or last used, and its latest message
                inserted.
            keep: sessions that stay, such as those whose messages the agent has elsewhere, too.

        Raises:
            ValueError: `older_than` is negative.
        """
        ...
