"""Sends the answers to the requests of one connection."""

from __future__ import annotations

import logging

from acp_retry.error_objects import error_object
from acp_retry.link import JsonObject
from acp_retry.outcome import INTERNAL_ERROR, Refused
from acp_retry.outgoing import Outgoing
from acp_wire.envelope import is_id

__all__ = ["Answering"]

_log = logging.getLogger(__name__)


class Answering:
    """Sends answers in the order of the calls. An answer that can't be sent raises nothing.

    Args:
        outgoing: sends the messages.
    """

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing

    async def refuse(self, refused: Refused, request_id: object = None) -> None:
        """Answer with an error. Input that is not a request gets a null id."""
        name = request_id if is_id(request_id) else None
        await self.answer({"jsonrpc": "2.0", "id": name, "error": error_object(refused)})

    async def answer(self, message: JsonObject) -> None:
        """Send an answer. One that is not JSON is replaced by an error."""
        try:
            try:
                await self._outgoing.send(message)
            except (TypeError, ValueError):  # the result is not JSON, and nothing has left
                _log.exception("A result could not be written")
                error = error_object(Refused(INTERNAL_ERROR, "Internal error"))
                await self._outgoing.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
        except ConnectionError:
            _log.info("The connection was lost before an answer left")
        except Exception:
            _log.exception("An answer could not be sent")
