"""A client that does everything right, with nothing but the standard library."""

from __future__ import annotations

import json
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

Pending = dict[str, Any]


class Agent(Protocol):
    """A connection to an agent."""

    def write(self, line: bytes) -> None: ...

    def readline(self) -> bytes: ...


class Program:
    """An agent that is a program."""

    def __init__(self, command: list[str]) -> None:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        self.sink, self.source = process.stdin, process.stdout

    def write(self, line: bytes) -> None:
        self.sink.write(line)
        self.sink.flush()

    def readline(self) -> bytes:
        return self.source.readline()


class RefusedError(Exception):
    """The agent answered with an error."""


class Client:
    """Resends pending prompts, submits texts that are not empty at once, and ends."""

    oldest = 24.0 * 60 * 60

    def __init__(self, file: Path, clock: float, start: Callable[[], Agent]) -> None:
        self.file, self.clock, self.start = file, clock, start
        self.now = time.time() + clock
        stored: dict[str, Any] = (
            json.loads(self.file.read_text("utf-8")) if self.file.exists() else {}
        )
        self.pending: list[Pending] = stored.get("pending", [])
        self.notes: dict[str, Any] = stored.get("notes", {})
        self.agent = start()
        self.last_id = 0
        self.answers: dict[int, Any] = {}
        self.text = ""

    def run(self, *texts: str) -> None:
        self.initialize()
        self.resend()
        if new := [text for text in texts if text]:
            self.submit(*new)

    def initialize(self) -> None:
        self.request("initialize", protocolVersion=2, info={"name": "client", "version": "1"})

    def resend(self) -> None:
        for each in [each for each in self.pending if self.now - each["at"] < self.oldest]:
            self.resume(each["session"])
            self.deliver(each)

    def resume(self, session: str) -> None:
        self.request("session/resume", sessionId=session, cwd="/", mcpServers=[])

    def submit(self, *texts: str) -> None:
        session = self.new()
        self.deliver(*[self.enter(session, text) for text in texts])

    def enter(self, session: str, text: str) -> Pending:
        """Have a prompt pending."""
        self.text = text
        entry = {"session": session, "text": text, "key": self.key(), "at": self.now}
        self.pending.append(entry)
        self.store()
        return entry

    def new(self) -> str:
        """The ID of the session to submit in."""
        return str(self.request("session/new", cwd="/", mcpServers=[])["sessionId"])

    def key(self) -> str:
        return str(uuid.uuid4())

    def deliver(self, *entries: Pending) -> None:
        """Send prompts, and leave refused ones pending."""
        sent = [(self.send("session/prompt", **self.params(each)), each) for each in entries]
        for request_id, entry in sent:
            try:
                self.result(request_id)
            except RefusedError:
                continue
            self.answered(entry)

    def answered(self, entry: Pending) -> None:
        self.pending.remove(entry)
        self.store()

    def params(self, entry: Pending) -> dict[str, Any]:
        prompt = [{"type": "text", "text": entry["text"]}]
        return {"sessionId": entry["session"], "prompt": prompt, "idempotencyKey": entry["key"]}

    def request(self, method: str, **params: object) -> Any:
        return self.result(self.send(method, **params))

    def send(self, method: str, **params: object) -> int:
        self.last_id = self.next_id()
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.agent.write(json.dumps(message).encode() + b"\n")
        return self.last_id

    def next_id(self) -> int:
        return self.last_id + 1

    def result(self, request_id: int) -> Any:
        while request_id not in self.answers:
            line = self.agent.readline()
            if not line.endswith(b"\n"):
                raise SystemExit("the agent is gone")
            message = json.loads(line)
            if "method" not in message:
                self.answers[message["id"]] = message
        message = self.answers.pop(request_id)
        if "error" in message:
            raise RefusedError
        return message["result"]

    def store(self) -> None:
        self.file.write_text(json.dumps({"pending": self.pending, "notes": self.notes}), "utf-8")
