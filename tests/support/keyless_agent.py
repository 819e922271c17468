"""An agent that knows no keys: `python keyless_agent.py FILE [QUIRK]`.

FILE holds a message a line. The quirks: `dies-before` and `dies-after` it has stored a prompt of
the text "die", once; `replays-nothing`; `malformed` it shows updates of no known form before each
message; `v1` it speaks version 1.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

from acp_retry import Call, RequestFailedError, serve_stdio

FILE = Path(sys.argv[1])
QUIRKS = sys.argv[2:]
DIE = [{"type": "text", "text": "die"}]


def stored() -> list[dict[str, Any]]:
    return list(map(json.loads, FILE.read_text().splitlines())) if FILE.exists() else []


def store(entry: dict[str, Any]) -> None:
    with FILE.open("a") as file:
        file.write(json.dumps(entry) + "\n")


def die(quirk: str, prompt: object) -> None:
    marker = FILE.with_suffix(".died")
    if quirk in QUIRKS and prompt == DIE and not marker.exists():
        marker.touch()
        os._exit(1)


ODD: list[Any] = [{}, {"sessionId": []}, {"sessionId": "s", "update": 1}]


async def show(call: Call, entry: dict[str, Any]) -> None:
    for params in ODD if "malformed" in QUIRKS else []:
        await call.peer.notify("session/update", params)
    update = {"sessionUpdate": "user_message", "messageId": entry["id"], "content": entry["prompt"]}
    await call.peer.notify("session/update", {"sessionId": entry["session"], "update": update})


async def initialize(call: Call) -> object:
    del call
    info = {"name": "keyless", "version": "1"}
    return {
        "protocolVersion": 1 if "v1" in QUIRKS else 2,
        "info": info,
        "capabilities": {"session": {}},
    }


async def new(call: Call) -> object:
    del call
    return {"sessionId": uuid.uuid4().hex}


async def resume(call: Call) -> object:
    if call.params.get("replayFrom") and "replays-nothing" not in QUIRKS:
        for entry in stored():
            if entry["session"] == call.params["sessionId"]:
                await show(call, entry)
    return {}


async def prompt(call: Call) -> object:
    if "idempotencyKey" in call.params:
        raise RequestFailedError.of(-32602, "Invalid params", {"reason": "what is a key?"})
    session, content = call.params["sessionId"], call.params["prompt"]
    entry = {"session": session, "id": uuid.uuid4().hex, "prompt": content}
    die("dies-before", content)
    store(entry)
    die("dies-after", content)
    await show(call, entry)
    return {"messageId": entry["id"]}


HANDLERS = {
    "initialize": initialize,
    "session/new": new,
    "session/resume": resume,
    "session/prompt": prompt,
}

if __name__ == "__main__":
    asyncio.run(serve_stdio(HANDLERS))
