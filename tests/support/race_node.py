"""One node of an agent that races another for keys, in PostgreSQL.

    python race.py CONNINFO SESSION ROUNDS

Before each round it writes a byte to standard output and waits for one on standard input, so that
both nodes start a round together. In the end it prints what each round came to.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from acp_retry import KeyLedger, Submission
from acp_retry.stores.postgres import PostgresStore

PROMPT = [{"type": "text", "text": "x"}]


async def main(conninfo: str, session_id: str, rounds: int) -> None:
    """Run all rounds."""
    new: list[int] = []

    async def work(submission: Submission) -> None:
        new.append((await submission.insert()).new)

    store = PostgresStore(conninfo)
    ledger = KeyLedger(store, work)
    reported: list[str] = []
    for number in range(rounds):
        os.write(1, b".")
        os.read(0, 1)
        params = {"sessionId": session_id, "prompt": PROMPT, "idempotencyKey": f"key {number}"}
        reported.append((await ledger.prompt("connection", number, params))["messageId"])
    await ledger.stop()
    await store.close()
    print(json.dumps({"reported": reported, "new": sum(new), "handled": len(new)}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
