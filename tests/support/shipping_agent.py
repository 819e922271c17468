"""A program like an agent that ships: it may ask for a login or permission, or speak otherwise.

`python shipping_agent.py FOLDER HABIT...` keeps sessions and a log of what it saw in the folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from acp_conformance import reference
from acp_conformance.reference_agent import ReferenceAgent
from acp_retry import Call, RequestFailedError

FOLDER, HABITS = Path(sys.argv[1]), frozenset(sys.argv[2:])
METHODS = [{"type": "agent", "methodId": "key", "name": "A key"}]
OPTIONS = [
    {"optionId": "y", "kind": "allow_once", "name": "Yes"},
    {"optionId": "n", "kind": "reject_once", "name": "No"},
]


def note(what: str, value: object) -> None:
    """Append to the log, in one write."""
    line = json.dumps({what: value}) + "\n"
    descriptor = os.open(FOLDER / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, line.encode())
    os.close(descriptor)


class ShippingAgent(ReferenceAgent):
    """The reference agent with habits."""

    def handlers(self) -> Any:
        return {**super().handlers(), "auth/login": self.login}

    async def initialize(self, call: Call) -> Any:
        answer: Any = await super().initialize(call)
        self.logged_in = "login" not in HABITS
        note("env", os.environ.get("SHIPPING", ""))
        if "v1" in HABITS:
            return {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "old"}}
        if "v1-shape" in HABITS:
            return {"protocolVersion": 2, "agentCapabilities": {}, "agentInfo": {"name": "old"}}
        return {**answer, "authMethods": METHODS if "login" in HABITS else []}

    async def login(self, call: Call) -> object:
        if call.params["methodId"] != "key":
            raise RequestFailedError.of(-32602, "No such method", data={"given": "?"})
        self.logged_in = True
        return {}

    async def new(self, call: Call) -> object:
        note("cwd", call.params["cwd"])
        note("files", len([*Path(str(call.params["cwd"])).iterdir()]))
        if not self.logged_in:
            raise RequestFailedError.of(-32000, "Authentication required")
        if "broken" in HABITS:
            raise RequestFailedError.of(-32603, "No model", data={"reason": "disk"})
        return await super().new(call)

    async def prompt(self, call: Call) -> object:
        prompt: Any = call.params["prompt"]
        note("prompt", prompt[0]["text"])
        if "refuses" in HABITS:
            raise RequestFailedError.of(-32603, "Missing provider")
        if "asks" in HABITS:
            asked = {"sessionId": call.params["sessionId"], "title": "May I?", "options": OPTIONS}
            asyncio.get_running_loop().create_task(self.ask(call, asked))
        return await super().prompt(call)

    async def ask(self, call: Call, asked: dict[str, object]) -> None:
        answer: Any = await call.peer.request("session/request_permission", asked)
        note("outcome", answer["outcome"])


if __name__ == "__main__":
    sys.argv[1:] = ["--store", str(FOLDER / "store")]
    setattr(reference, "ReferenceAgent", ShippingAgent)  # noqa: B010 - not an export of it
    reference.main()
