"""Requests other than prompts, resent after a lost connection if their retry class allows it."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from acp_retry.link import JsonObject, Link, is_callers_mistake
from acp_retry.outcome import AnswerLostError, NeverSentError, RequestFailedError
from acp_retry.prompt_keys import KEYED_VERSION
from acp_retry.tasks import is_stopped
from acp_v2.retry import Answer, Method, RetryClass, find, resend

__all__ = ["Calls", "Reply", "SupersededError"]

UNBOUND: Final = frozenset(
    {
        "session/archive",
        "session/delete",
        "session/fork",
        "session/resume",
        "session/unarchive",
    }
)
"""Methods that name a session which need not be active on the connection."""

_RESUME: Final = "session/resume"

HERE: Final = frozenset({_RESUME, "session/close"})
"""Methods that are about one connection: its sessions become active on it, and inactive with it.

On the next connection, a copy could only undo what the application does there.
"""


_log = logging.getLogger(__name__)


class SupersededError(AnswerLostError):
    """A request is not resent, because a copy would undo a newer request."""


Change = tuple[str, tuple[object, ...]]
"""A method, and the members of its params that name what it changes."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. `lost` counts the earlier attempts whose effect is unknown.

    A method that creates something may have created one unused thing for each of those attempts.
    """

    result: JsonObject
    lost: int = 0


class Calls:
    """Requests that outlive connections.

    An idempotent method is resent on the next connection, and so is a method that creates something
    unless the application objects, as `acp_v2.retry.resend` answers. Notifications, unlisted
    methods and methods that are not retried are never resent, and neither are `session/resume` and
    `session/close`, which belong to their connection: once it is lost, the session is not active
    there, and it is open again only if the application has resumed it. Retry classes belong to v2:
    nothing is resent after an attempt on v1, or on v1. Prompts belong in an `Outbox`.

    A resent call waits for the next connection. So the task that opens connections must not wait
    for such a call. Before the connection is ready, that task calls `Link.request`, or sends
    `session/resume`, which is never resent, through this class.
    """

    def __init__(self) -> None:
        self._link: Link | None = None
        self._version = 0
        self._resumed: set[str] = set()
        self._change = asyncio.Event()
        self._numbers = itertools.count(1)
        self._changes: dict[Change, int] = {}

    def connected(self, link: Link, version: int) -> None:
        """Use a connection after `initialize` has succeeded on it.

        Args:
            link: the connection.
            version: the protocol version that `initialize` negotiated.
        """
        self._link = link
        self._version = version
        self._resumed.clear()
        self._change.set()

    def resumed(self, session_id: str) -> None:
        """Resume the requests about a session, which is active on the connection again.

        It counts as a new `session/resume`, by whatever way that was sent: a lost request that
        would undo it is not resent.
        """
        row = find(_RESUME, "request")
        if row is not None:
            self._changes[_change(row, {"sessionId": session_id})] = next(self._numbers)
        self._resumed.add(session_id)
        self._change.set()

    async def call(self, method: str, params: Mapping[str, object], *, again: bool = True) -> Reply:
        """Send a request, and resend it after a lost connection if that does no harm.

        The first attempt needs a connection. Later attempts wait for a connection and for the
        session to be resumed.

        Args:
            method: the method.
            params: its params by wire names.
            again: whether to resend a method that creates something, such as `session/new`. What a
                lost attempt created is left unused: see `Reply.lost`.

        Raises:
            RequestFailedError: the answer is an error.
            NeverSentError: there was no connection.
            AnswerLostError: the outcome is unknown, and the request must not be resent.
            SupersededError: the same, because a copy would undo a newer request.
            ValueError: the request is a prompt with a key, which belongs in an `Outbox`, or the
                params are not JSON.
            TypeError: the params are not JSON.
        """
        if self._link is None:
            raise NeverSentError(f"there is no connection, {method} was not sent")
        allowed = _may_be_sent_again(method, params, again=again) and method not in HERE
        sent_again = allowed and self._version >= KEYED_VERSION
        number = self._count(method, params)
        link, lost = self._link, 0
        while True:
            try:
                return Reply(await _ask(link, method, params), lost)
            except NeverSentError:
                if lost == 0:
                    raise
            except AnswerLostError:
                lost += 1
                if not sent_again:
                    raise
            link = await self._next(link, method, params)
            if self._version < KEYED_VERSION:
                raise AnswerLostError(f"the connection is of v1, {method} is not sent again")
            if newer := self._newer(method, params, number):
                raise SupersededError(f"a newer {newer} followed, {method} is not sent again")

    def _count(self, method: str, params: Mapping[str, object]) -> int:
        """Note a request as the newest of its method about its thing, and return its number."""
        number = next(self._numbers)
        row = find(method, "request")
        if row is not None and row.undoes:
            self._changes[_change(row, params)] = number
        return number

    def _newer(self, method: str, params: Mapping[str, object], number: int) -> str | None:
        """Return the method of a newer request that a copy of this one would undo."""
        row = find(method, "request")
        undone = () if row is None else row.undoes
        others = filter(None, (find(name, "request") for name in undone))
        found = (r.name for r in others if self._changes.get(_change(r, params), 0) > number)
        return next(found, None)

    async def _next(self, lost: Link, method: str, params: Mapping[str, object]) -> Link:
        session_id = None if method in UNBOUND else params.get("sessionId")
        while (
            self._link is None
            or self._link is lost
            or self._link.closed
            or not (session_id is None or session_id in self._resumed)
        ):
            self._change.clear()
            await self._change.wait()
        return self._link


async def _ask(link: Link, method: str, params: Mapping[str, object]) -> JsonObject:
    """Send a request. After any other error of the link, the request may have left."""
    try:
        return await link.request(method, params)
    except (RequestFailedError, NeverSentError, AnswerLostError):
        raise
    except asyncio.CancelledError as error:
        if is_stopped():
            raise
        raise AnswerLostError(f"the link gave {method} up") from error
    except Exception as error:
        if is_callers_mistake(error, params):
            raise
        _log.exception("A link failed")
        raise AnswerLostError(f"the link failed after {method}") from error


def _may_be_sent_again(method: str, params: Mapping[str, object], *, again: bool) -> bool:
    verdict = resend(method, params, "request")
    row = verdict.method
    if verdict.answer is Answer.SAME_KEY:
        raise ValueError("a prompt with a key belongs in an Outbox")
    if row is not None and row.retry_class is RetryClass.DUPLICATING:
        return again
    return verdict.answer is Answer.AS_IS


def _change(row: Method, params: Mapping[str, object]) -> Change:
    return row.name, tuple(map(params.get, row.about))
