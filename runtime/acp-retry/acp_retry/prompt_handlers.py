"""Handlers of a `Peer` for the three messages of an agent that concern keys."""

from __future__ import annotations

from collections.abc import Callable

from acp_retry.ledger import KeyLedger
from acp_retry.outcome import RESOURCE_NOT_FOUND, RequestFailedError
from acp_retry.peer import Call, Handlers, Peer
from acp_retry.prompt_params import check_params
from acp_wire.envelope import is_id

__all__ = ["not_found", "prompt_handlers"]


def not_found(session_id: str) -> RequestFailedError:
    """The error for a session that is unknown or not active: -32002, with its ID in `data`."""
    data = {"sessionId": session_id}
    return RequestFailedError.of(RESOURCE_NOT_FOUND, "Resource not found", data)


IsActive = Callable[[Peer, str], bool]
"""Returns whether a session is active on a connection."""


def prompt_handlers(ledger: KeyLedger, is_active: IsActive | None = None) -> Handlers:
    """Return handlers for `session/prompt`, `session/cancel` and `$/cancel_request`.

    The agent adds handlers for the other methods. They call `ledger.opened` after a session became
    active, `ledger.close` and `ledger.delete`. Pass `ledger.lost` to `Peer`.

    Args:
        ledger: inserts the prompts.
        is_active: whether a prompt's session is active on its connection; otherwise the prompt gets
            -32002. Use `ledger.is_active` if every session is passed to `ledger.opened`. By default
            every session counts as active.
    """

    async def prompt(call: Call) -> object:
        if is_active is not None:
            session_id, _ = check_params(call.params)
            if not is_active(call.peer, session_id):
                raise not_found(session_id)
        return await ledger.prompt(call.peer, call.id, call.params)

    async def cancel(call: Call) -> None:
        session_id = call.params.get("sessionId")
        if isinstance(session_id, str):
            ledger.cancel(session_id)

    async def cancel_request(call: Call) -> None:
        request_id = call.params.get("requestId")
        if request_id is None or is_id(request_id):
            ledger.cancel_request(call.peer, request_id)

    return {"session/prompt": prompt, "session/cancel": cancel, "$/cancel_request": cancel_request}
