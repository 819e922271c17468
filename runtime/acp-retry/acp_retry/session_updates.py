"""The updates of a session, for all its connections."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

from acp_retry.peer import Peer

__all__ = ["post_to_all"]


async def post_to_all(peers: Collection[Peer], params: Mapping[str, object]) -> None:
    """Queue an update on every connection. Wait only while none of them keeps up.

    A client that has stopped reading does not stop the others. What waits for it is limited in time
    and in bytes. Beyond either, its connection is closed.

    Raises:
        TypeError: the params are not JSON.
        ValueError: a peer could not read the params.
    """
    every = list(peers)
    full = [peer for peer in every if not _posted(peer, params)]
    while full and len(full) == len(every):
        await _wait_first_room(full)
        full = [peer for peer in every if not _posted(peer, params)]
    for peer in full:
        if not _posted(peer, params, late=True):
            peer.give_up()


async def _wait_first_room(peers: Collection[Peer]) -> None:
    waiting = [asyncio.create_task(peer.wait_room()) for peer in peers]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()


def _posted(peer: Peer, params: Mapping[str, object], *, late: bool = False) -> bool:
    """Queue an update. Return False if there is no room for it."""
    try:
        return peer.post("session/update", params, late=late)
    except ConnectionError:
        return True  # the client replays the session on its next connection
