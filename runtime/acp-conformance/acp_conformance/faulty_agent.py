"""An agent that loses answers and dies. `acpgen conform --client` gives it to a client.

`python faulty_agent.py FOLDER RUN` is one connection in a run of the client. The failures of
`FOLDER/plan.json` happen one after the other. Each is triggered by the next request of its method,
on any connection. `FOLDER/connection-N.ndjson` records all messages in the order in which the
agent read and wrote them. The agent keeps keys, so that a correct client gets each prompt inserted
once. Its session IDs are the same in every folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

__all__ = [
    "KILL",
    "AgentFailure",
    "FailurePoint",
    "FaultyAgent",
    "main",
    "met",
    "read_plan",
    "write_plan",
]

Message = dict[str, Any]

KILL: Final = "kill"
"""The file that appears in the folder when the client has to be killed."""

DEEP: Final = 200
"""A message may be nested less deeply than JSON can be read, by so many levels."""

_MET: Final = "met-"
"""The prefix of the files that show which failures have happened."""


class FailurePoint(StrEnum):
    """What happens when the agent receives a request."""

    READ = "read"
    """It dies without any effect."""

    DONE = "done"
    """It takes effect, and the agent dies before it answers."""

    HALF = "half"
    """The agent dies in the middle of writing its answer."""

    ANSWERED = "answered"
    """The agent answers, then dies."""

    HELD = "held"
    """It takes effect. The answer comes after a delay, or when the client sends another request."""

    LATE = "late"
    """It takes effect. The answer comes after a delay, whatever else the client sends."""

    REFUSED = "refused"
    """The agent answers once with an error, without any effect."""

    KILLED = "killed"
    """It takes effect; then the client is killed without an answer."""

    KILLED_ANSWERED = "killed-answered"
    """The agent answers, and the client is killed."""


@dataclass(frozen=True, slots=True)
class AgentFailure:
    """A method, and what happens to a request of it."""

    method: str
    moment: FailurePoint


class _RefusedError(Exception):
    def __init__(self, code: int, message: str) -> None:
        self.error: Message = {"code": code, "message": message}
        super().__init__(message)


class FaultyAgent:
    """One process of the agent."""

    def __init__(
        self,
        folder: Path,
        run: int,
        write: Callable[[bytes], object],
        die: Callable[[], NoReturn],
    ) -> None:
        self._folder, self._run, self._write_out, self._die = folder, run, write, die
        self._faults, self._hold = read_plan(folder)
        self._log = _log(folder)
        self._kill = folder / KILL
        self._file = folder / "sessions.json"
        self._sessions: dict[str, dict[str, Message]] = {}
        self._held: list[Message] = []
        self._late: list[Message] = []
        self._turn = threading.RLock()
        self._handlers: Mapping[str, Callable[[Message], Message]] = {
            "initialize": self._initialize,
            "session/new": self._new,
            "session/list": self._list,
            "session/resume": self._resume,
            "session/prompt": self._prompt,
            "session/close": self._nothing,
            "session/delete": self._nothing,
        }

    def take(self, line: bytes) -> None:
        """Handle one line from the client."""
        try:
            text = line.decode()  # given bytes, `loads` would guess the encoding
            message = json.loads(text)
            json.loads(DEEP * "[" + text + DEEP * "]")  # the log's reader may already be nested
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            return
        with self._turn:
            self._note("client", line.strip())
            if "method" not in message:
                return
            if message["method"] == "$/cancel_request":
                self._withdraw(_params(message).get("requestId"))
            elif "id" in message and self._held:
                self._held.append(message)
                self.release()
            elif "id" in message:
                self._serve(message)

    def release(self) -> None:
        """Send the held answers."""
        with self._turn:
            held, self._held, self._late = [*self._late, *self._held], [], []
            for message in held:
                self._send(message, self._outcome(message))

    def _serve(self, message: Message) -> None:
        moment = self._meet(message["method"])
        match moment:
            case FailurePoint.READ:
                self._die()
            case FailurePoint.HELD:
                self._hold_back(message, self._held)
                return
            case FailurePoint.LATE:
                self._hold_back(message, self._late)
                return
            case FailurePoint.REFUSED:
                self._send(message, {"error": {"code": -32603, "message": "Internal error"}})
                return
        result = self._outcome(message)
        match moment:
            case FailurePoint.DONE:
                self._die()
            case FailurePoint.HALF:
                self._write_out(b'{"jsonrpc":"2.0","id":')
                self._die()
            case FailurePoint.KILLED:
                self._kill.touch()
                return
        self._send(message, result)
        match moment:
            case FailurePoint.ANSWERED:
                self._die()
            case FailurePoint.KILLED_ANSWERED:
                self._kill.touch()

    def _meet(self, method: object) -> FailurePoint | None:
        """Return what happens to the next request, if its method is that of the next failure."""
        number = met(self._folder)
        if number == len(self._faults) or self._faults[number].method != method:
            return None
        (self._folder / f"{_MET}{number}").touch()
        return self._faults[number].moment

    def _outcome(self, message: Message) -> Message:
        if self._file.exists():  # another connection may have changed it
            self._sessions = json.loads(self._file.read_text("utf-8"))
        handler = self._handlers.get(str(message["method"]))
        if handler is None:
            return {"error": {"code": -32601, "message": "Method not found"}}
        try:
            return {"result": handler(_params(message))}
        except _RefusedError as refused:
            return {"error": refused.error}

    def _hold_back(self, message: Message, held: list[Message]) -> None:
        held.append(message)
        if self._hold is not None:
            timer = threading.Timer(self._hold, self.release)
            timer.daemon = True  # answers that are still held when the client leaves are dropped
            timer.start()

    def _withdraw(self, request_id: object) -> None:
        for held in (self._held, self._late):
            for message in [each for each in held if each["id"] == request_id]:
                held.remove(message)
                self._send(message, {"error": {"code": -32800, "message": "Request cancelled"}})

    def _initialize(self, _: Message) -> Message:
        info = {"name": "acp-conformance-faults", "version": "1"}
        return {"protocolVersion": 2, "info": info, "capabilities": {"session": {"delete": {}}}}

    def _new(self, _: Message) -> Message:
        session = f"session-{len(self._sessions) + 1}"
        self._sessions[session] = {}
        self._store()
        return {"sessionId": session}

    def _list(self, _: Message) -> Message:
        return {"sessions": [{"sessionId": each, "cwd": "/"} for each in self._sessions]}

    def _resume(self, params: Message) -> Message:
        session = self._session(params)
        if params.get("replayFrom") is not None:
            for inserted in session.values():
                self._show(params["sessionId"], inserted)
        return {}

    def _nothing(self, _: Message) -> Message:
        return {}

    def _session(self, params: Message) -> dict[str, Message]:
        """Return the messages of a session."""
        session = self._sessions.get(str(params.get("sessionId")))
        if session is None:
            raise _RefusedError(-32002, "Resource not found")
        return session

    def _prompt(self, params: Message) -> Message:
        inserted, key = self._session(params), params.get("idempotencyKey")
        if key is not None and not (isinstance(key, str) and 1 <= len(key) <= 255):
            raise _RefusedError(-32602, "Invalid params")
        name = json.dumps(key or uuid.uuid4().hex)
        if name not in inserted:
            content = {"messageId": uuid.uuid4().hex, "content": params.get("prompt")}
            inserted[name] = content
            self._store()
            self._show(params["sessionId"], content)
        return {"messageId": inserted[name]["messageId"]}

    def _show(self, session: str, content: Message) -> None:
        update = {"sessionUpdate": "user_message", **content}
        self._write(
            {"method": "session/update", "params": {"sessionId": session, "update": update}}
        )

    def _send(self, request: Message, result: Message) -> None:
        self._write({"id": request["id"], **result})

    def _write(self, message: Message) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._note("agent", line)
        self._write_out(line + b"\n")

    def _note(self, sender: str, line: bytes) -> None:
        head = b'{"from":"%s","run":%d,"time":%.6f,"message":' % (
            sender.encode(),
            self._run,
            time.time(),
        )
        with self._log.open("ab", buffering=0) as log:
            log.write(head + line + b"}\n")

    def _store(self) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self._sessions), "utf-8")
        new.replace(self._file)


def write_plan(folder: Path, faults: Sequence[AgentFailure], hold: float | None) -> None:
    """Write the plan of a folder's agents. `hold` is in seconds; None holds until `release`."""
    listed = [[fault.method, fault.moment] for fault in faults]
    (folder / "plan.json").write_text(json.dumps({"faults": listed, "hold": hold}), "utf-8")


def read_plan(folder: Path) -> tuple[list[AgentFailure], float | None]:
    """Read what `write_plan` wrote."""
    plan = json.loads((folder / "plan.json").read_text("utf-8"))
    return [AgentFailure(method, FailurePoint(moment)) for method, moment in plan["faults"]], plan[
        "hold"
    ]


def met(folder: Path) -> int:
    """How many failures have happened so far."""
    return len(list(folder.glob(f"{_MET}*")))


def _log(folder: Path) -> Path:
    """Create the log of a connection: the first file that no other agent has."""
    number = len(list(folder.glob("connection-*.ndjson")))
    while True:
        path = folder / f"connection-{number:06}.ndjson"
        with contextlib.suppress(FileExistsError):
            path.touch(exist_ok=False)
            return path
        number += 1


def _params(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _die() -> NoReturn:
    os._exit(9)


def main() -> None:
    """Serve standard input until it ends or the agent dies."""
    agent = FaultyAgent(Path(sys.argv[1]), int(sys.argv[2]), partial(os.write, 1), _die)
    for line in iter(sys.stdin.buffer.readline, b""):
        agent.take(line)


if __name__ == "__main__":
    main()
