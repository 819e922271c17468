"""The client's end of a connection: requests, their answers, and the updates of sessions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final

from acp_conformance.launchers import Launcher
from acp_conformance.message_stream import AgentStream, JsonLine
from acp_conformance.play_options import Permission
from acp_wire.envelope import MessageKind, kind_of
from acp_wire.pairing import retyped
from acp_wire.transcript_line import transcript_line

__all__ = ["AgentConnection", "TranscriptLog"]

INFO: Final = {"name": "acp-conformance", "version": "1"}
WORK: Final = frozenset(
    {
        "agent_message",
        "agent_message_chunk",
        "agent_thought",
        "agent_thought_chunk",
        "tool_call_update",
        "plan_update",
    }
)
"""The updates that only work causes, beside the state `running`."""


class TranscriptLog:
    """All messages of a trace, in the format that `acpgen trace` reads."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._turn = threading.Lock()

    def add(self, connection: str, sender: str, line: bytes) -> None:
        """Add a message that is valid JSON."""
        written = transcript_line(sender, line, connection=connection)
        with self._turn:
            self._lines.append(written)

    def text(self) -> bytes:
        """Return the transcript, one message a line."""
        with self._turn:
            return b"".join(self._lines)

    def write(self, path: Path) -> None:
        """Write the transcript to a file."""
        path.write_bytes(self.text())


class AgentConnection:
    """A message stream that gives requests their ids and answers the agent's own requests."""

    def __init__(self, stream: AgentStream) -> None:
        self.stream = stream
        self.sent = 0
        """The number of requests and notifications that were sent."""
        self.flushes = True
        """True if sending waits until the agent has read the message."""
        self.permission = Permission.CANCELLED
        """The answer to requests for permission."""
        self.permissions = 0
        """The number of requests for permission that were answered."""
        self.came: dict[float, float] = {}
        """When each answer was seen, by the id of its request, in seconds of a monotonic clock."""
        self._sent_at: dict[float, float] = {}
        self._last_id = 0
        self._looked_at = 0
        self._answers: dict[float, JsonLine] = {}
        self._retyped: dict[object, str] = {}
        self._odd: dict[object, str] = {}

    @classmethod
    def open(
        cls, how: str, launcher: Launcher, name: str, transcript: TranscriptLog
    ) -> AgentConnection | None:
        """Open a connection with `start`, `restart` or `second` of a launcher."""
        record = partial(transcript.add, name)
        opening = {"start": launcher.start, "restart": launcher.restart, "second": launcher.second}
        stream = opening[how](record)
        return None if stream is None else cls(stream)

    def request(self, method: str, params: Mapping[str, object]) -> int:
        """Send a request and return its id. An agent that reads has it when this returns."""
        self._last_id += 1
        self.sent += 1
        self._sent_at[self._last_id] = monotonic()
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self.stream.send(message)
        if self.flushes:
            self.stream.flush()
        return self._last_id

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification."""
        self.sent += 1
        self.stream.send({"jsonrpc": "2.0", "method": method, "params": params})
        if self.flushes:
            self.stream.flush()

    def initialize(self) -> int:
        """Send `initialize` for version 2."""
        return self.request("initialize", {"protocolVersion": 2, "info": INFO})

    def answer(self, request_id: int, seconds: float) -> JsonLine | None:
        """Wait for the answer to a request. Return None if it does not come in time."""
        self.wait(lambda: self.peek(request_id) is not None or request_id in self._retyped, seconds)
        return self.peek(request_id)

    @property
    def latencies(self) -> list[float]:
        """The seconds until each answer came."""
        return [at - self._sent_at[id_] for id_, at in self.came.items() if id_ in self._sent_at]

    def fault(self, request_id: int) -> str:
        """The fault of the only answer to a request; empty if there is no fault."""
        if request_id in self._retyped:
            shown = json.dumps(self._retyped[request_id])
            return f"was answered with the id {shown}, a string, not {request_id}"
        return self._odd.get(request_id, "")

    def wait(self, met: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition is met, and answer the agent's requests meanwhile."""

        def looked() -> bool:
            self._look()
            return met()

        return self.stream.wait(looked, seconds)

    def peek(self, request_id: int) -> JsonLine | None:
        """Return the answer to a request if it has come."""
        self._look()
        return self._answers.get(request_id)

    def updates(self, session: str, since: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the updates of a session, starting at a position in the stream."""
        for line in self.stream.lines[since:]:
            params = line.get("params")
            if line.get("method") == "session/update" and isinstance(params, dict):
                update = params.get("update")
                if params.get("sessionId") == session and isinstance(update, dict):
                    yield update

    def user_messages(self, session: str, since: int = 0) -> dict[str, str]:
        """Return the user messages of a session that were shown: the text by `messageId`."""
        found: dict[str, str] = {}
        for update in self.updates(session, since):
            id_ = str(update.get("messageId"))
            match update.get("sessionUpdate"):
                case "user_message":
                    kept = "content" not in update
                    found[id_] = found.get(id_, "") if kept else _text(update["content"])
                case "user_message_chunk":
                    found[id_] = found.get(id_, "") + _text([update.get("content")])
        return found

    def user_chunks(self, session: str, since: int = 0) -> dict[str, str]:
        """Return the text of all chunks of each user message, by `messageId`."""
        found: dict[str, str] = {}
        for update in self.updates(session, since):
            if update.get("sessionUpdate") == "user_message_chunk":
                id_ = str(update.get("messageId"))
                found[id_] = found.get(id_, "") + _text([update.get("content")])
        return found

    def working(self, session: str, since: int = 0) -> bool | None:
        """True if the session's last reported state is not idle. None if no state was reported."""
        states = [
            u.get("state")
            for u in self.updates(session, since)
            if u.get("sessionUpdate") == "state_update"
        ]
        return states[-1] != "idle" if states else None

    def worked(self, session: str, since: int) -> bool:
        """True if work began or continued after a position in the stream."""
        return any(
            str(update.get("sessionUpdate")) in WORK or update.get("state") == "running"
            for update in self.updates(session, since)
        )

    def compacted(self, session: str) -> bool:
        """True if the agent has reported a compaction of the session's context as completed."""
        return any(
            (update.get("sessionUpdate"), update.get("status"))
            == ("compaction_update", "completed")
            for update in self.updates(session)
        )

    def _look(self) -> None:
        """Store the answers that have come, and answer the agent's requests."""
        while self._looked_at < len(self.stream.lines):
            line = self.stream.lines[self._looked_at]
            self._looked_at += 1
            if "method" in line and "id" in line:
                self._serve(line)
            elif "method" not in line and "id" in line:
                self._take_answer(line["id"], line)

    def _take_answer(self, id_: object, line: JsonLine) -> None:
        if isinstance(id_, bool) or not isinstance(id_, int | float | str):
            return
        if kind_of(line) is not MessageKind.RESPONSE:
            return  # such as a log line
        meant = retyped(id_) if isinstance(id_, str) else id_
        if line.get("jsonrpc") != "2.0":
            self._odd.setdefault(meant, 'got only an answer without "jsonrpc": "2.0"')
        elif isinstance(id_, str):
            self._retyped.setdefault(meant, id_)
        elif id_ not in self._answers:
            self._answers[id_] = line
            self.came[id_] = monotonic()

    def _serve(self, asked: JsonLine) -> None:
        """Answer a request of the agent. Only permission can be given."""
        answer: dict[str, object] = {"error": {"code": -32601, "message": "Method not found"}}
        if asked["method"] == "session/request_permission":
            self.permissions += 1
            params = asked.get("params")
            options = params.get("options") if isinstance(params, dict) else None
            answer = {"result": {"outcome": self.permission.outcome(options)}}
        self.stream.send({"jsonrpc": "2.0", "id": asked["id"], **answer})


def _text(content: object) -> str:
    if not isinstance(content, list):
        return ""
    return "".join(
        block["text"]
        for block in content
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    )
