"""An agent that loses answers and dies: what `acpgen conform --client` gives to a client.

`python -m acp_conformance.faults FOLDER` is one connection. `FOLDER/plan.json` lists a fault for
each start; then there are none. Everything that was said is in `FOLDER/connection-N.ndjson`. It
keeps keys, so that a client which is right inserts each prompt once.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["Fault", "main"]

Message = dict[str, Any]


class Fault(StrEnum):
    """What becomes of a prompt."""

    NONE = "none"
    READ = "read"
    """The agent dies when it has read it, and inserts nothing."""

    INSERTED = "inserted"
    """It inserts the message and dies before it answers."""

    HALF = "half"
    """It dies in the midst of the answer."""

    SILENT = "silent"
    """It inserts the message and never answers."""


class FaultyAgent:
    """One process of it."""

    def __init__(self, folder: Path) -> None:
        number = len(list(folder.glob("connection-*.ndjson")))
        plan = json.loads((folder / "plan.json").read_text("utf-8"))
        self.fault = Fault(plan[number]) if number < len(plan) else Fault.NONE
        self._log = (folder / f"connection-{number:02}.ndjson").open("ab", buffering=0)
        self._file = folder / "sessions.json"
        self._sessions: dict[str, dict[str, Message]] = (
            json.loads(self._file.read_text("utf-8")) if self._file.exists() else {}
        )

        self._handlers: Mapping[str, Callable[[Message, Message], None]] = {
            "initialize": self._initialize,
            "session/new": self._new,
            "session/list": self._list,
            "session/resume": self._resume,
            "session/prompt": self._prompt,
            "session/close": self._close,
            "session/delete": self._close,
        }

    def take(self, line: bytes) -> None:
        """Handle one line from the client."""
        message = json.loads(line)
        self._note("client", line.strip())
        if "method" not in message or "id" not in message:
            return
        handler = self._handlers.get(message["method"])
        if handler is None:
            self._answer(message, error={"code": -32601, "message": "Method not found"})
        else:
            handler(message, message.get("params") or {})

    def _initialize(self, message: Message, _: Message) -> None:
        info = {"name": "acp-conformance-faults", "version": "1"}
        capabilities: Message = {"session": {"delete": {}}}
        result = {"protocolVersion": 2, "info": info, "capabilities": capabilities}
        self._answer(message, result=result)

    def _new(self, message: Message, _: Message) -> None:
        session = uuid.uuid4().hex
        self._sessions[session] = {}
        self._store()
        self._answer(message, result={"sessionId": session})

    def _list(self, message: Message, _: Message) -> None:
        known = [{"sessionId": each, "cwd": "/"} for each in self._sessions]
        self._answer(message, result={"sessions": known})

    def _resume(self, message: Message, params: Message) -> None:
        session = self._session(message, params)
        if session is None:
            return
        if params.get("replayFrom") is not None:
            for inserted in session.values():
                self._show(params["sessionId"], inserted)
        self._answer(message, result={})

    def _close(self, message: Message, _: Message) -> None:
        self._answer(message, result={})

    def _session(self, message: Message, params: Message) -> dict[str, Message] | None:
        """The messages of a session; where there is none, the request is answered."""
        session = self._sessions.get(str(params.get("sessionId")))
        if session is None:
            self._answer(message, error={"code": -32002, "message": "Resource not found"})
        return session

    def _prompt(self, message: Message, params: Message) -> None:
        if self.fault is Fault.READ:
            _die()
        inserted = self._session(message, params)
        if inserted is None:
            return
        name = json.dumps(params.get("idempotencyKey") or uuid.uuid4().hex)
        if name not in inserted:
            content = {"messageId": uuid.uuid4().hex, "content": params.get("prompt")}
            inserted[name] = content
            self._store()
            self._show(params["sessionId"], content)
        match self.fault:
            case Fault.INSERTED:
                _die()
            case Fault.HALF:
                os.write(1, b'{"jsonrpc":"2.0","id":')
                _die()
            case Fault.NONE:
                self._answer(message, result={"messageId": inserted[name]["messageId"]})
            case _:
                return

    def _show(self, session: str, content: Message) -> None:
        update = {"sessionUpdate": "user_message", **content}
        params = {"sessionId": session, "update": update}
        self._send({"jsonrpc": "2.0", "method": "session/update", "params": params})

    def _answer(self, request: Message, **outcome: Message) -> None:
        self._send({"jsonrpc": "2.0", "id": request["id"], **outcome})

    def _send(self, message: Message) -> None:
        line = json.dumps(message).encode()
        self._note("agent", line)
        os.write(1, line + b"\n")

    def _note(self, sender: str, line: bytes) -> None:
        self._log.write(b'{"from":"%s","message":%s}\n' % (sender.encode(), line))

    def _store(self) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self._sessions), "utf-8")
        new.replace(self._file)


def _die() -> NoReturn:
    os._exit(9)


def main() -> None:
    """Serve standard input until it ends, or until the fault."""
    agent = FaultyAgent(Path(sys.argv[1]))
    for line in iter(sys.stdin.buffer.readline, b""):
        agent.take(line)


if __name__ == "__main__":
    main()
