"""A client on `Outbox`, for the kit to judge: `python client.py OUTBOX CLOCK TEXT MORE AGENT...`.

It resends pending prompts, submits TEXT and MORE at once unless they are empty, and ends. Its clock
is CLOCK seconds ahead.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time

from acp_retry import Outbox, SqliteOutbox, spawn
from acp_retry.outcome import AnswerLostError, NeverSentError, RequestFailedError

HERE = {"cwd": os.getcwd(), "mcpServers": []}  # noqa: PTH109 - JSON
MINE = {"protocolVersion": 2, "info": {"name": "client", "version": "1"}}


async def main(file: str, clock: str, text: str, more: str, *agent: str) -> None:
    outbox = Outbox(SqliteOutbox(file), now=lambda: time.time() + float(clock))
    async with spawn(*agent) as peer:
        version = (await peer.request("initialize", MINE))["protocolVersion"]
        waiting = await outbox.pending()
        shown = set[str]()
        for session in {pending.session_id for pending in waiting}:
            await peer.request("session/resume", {"sessionId": session, **HERE})
            shown |= {pending.key for pending in await outbox.resumed(session, peer, version)}
        for pending in waiting:
            if pending.key not in shown:
                await pending.result()
        if text:
            session = (await peer.request("session/new", HERE))["sessionId"]
            await outbox.resumed(session, peer, version)
            prompts = [
                await outbox.submit(session, [{"type": "text", "text": each}])
                for each in (text, more)
                if each
            ]
            for prompt in prompts:
                await prompt.result()


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except (AnswerLostError, NeverSentError, RequestFailedError) as error:
        sys.exit(str(error))
