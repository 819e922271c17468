"""The attempts that wait for their answers in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from acp_retry.core import REPEATED_ID, AttemptId
from acp_retry.outcome import CANCELLED, Inserted, Refused, RequestFailedError
from acp_retry.prompt_events import PromptChange

__all__ = ["WaitingAttempt", "WaitingAttempts"]

Report = Callable[[PromptChange, str, str, int], None]


def _future() -> asyncio.Future[Inserted | Refused]:
    return asyncio.get_running_loop().create_future()


@dataclass(eq=False, slots=True)
class WaitingAttempt:
    """One request, and the names of its session and message once they are known."""

    id: AttemptId
    session_id: str = ""
    message_id: str = ""
    answer: asyncio.Future[Inserted | Refused] = field(default_factory=_future)

    @property
    def lost(self) -> bool:
        """True if it ended without an answer."""
        return not self.answer.done() or self.answer.cancelled()


class WaitingAttempts(dict[AttemptId, WaitingAttempt]):
    """Answers attempts, and reports what each answer means.

    Args:
        report: called with the change, session, message and error code of an event.
    """

    def __init__(self, report: Report) -> None:
        super().__init__()
        self._report = report

    def add(
        self, connection: Hashable, request_id: str | int | None, params: object
    ) -> WaitingAttempt:
        """Add a request that arrived.

        Raises:
            RequestFailedError: -32600: a request with this id waits on the connection.
        """
        session_id = params.get("sessionId") if isinstance(params, Mapping) else None
        attempt = WaitingAttempt(AttemptId(connection, request_id))
        attempt.session_id = session_id if isinstance(session_id, str) else ""
        if self.setdefault(attempt.id, attempt) is not attempt:
            raise self.rejected(attempt, RequestFailedError(REPEATED_ID))
        return attempt

    def rejected(self, attempt: WaitingAttempt, error: RequestFailedError) -> RequestFailedError:
        """Report a request that has no effect, and return the error for it."""
        self.report(PromptChange.REFUSED, attempt, error.refused.code)
        return error

    def report(self, change: PromptChange, attempt: WaitingAttempt, code: int = 0) -> None:
        """Report a change of an attempt."""
        self._report(change, attempt.session_id, attempt.message_id, code)

    def settle(self, name: AttemptId, outcome: Inserted | Refused, *, known: bool) -> None:
        """Answer an attempt, unless its connection was lost.

        Args:
            name: the attempt.
            outcome: its answer.
            known: whether the message was there before.
        """
        attempt = self.get(name)
        if attempt is None or attempt.answer.done():
            return
        attempt.answer.set_result(outcome)
        if isinstance(outcome, Refused):
            if outcome != CANCELLED:  # `StopClaim` is reported once for all attempts
                self.report(PromptChange.REFUSED, attempt, outcome.code)
        elif known:
            attempt.message_id = outcome.message_id
            self.report(PromptChange.DEDUPLICATED, attempt)

    def lose(self, connection: Hashable) -> None:
        """Cancel the calls that wait for the answers of a connection."""
        for attempt in self.values():
            if attempt.id.connection == connection:
                attempt.answer.cancel()
