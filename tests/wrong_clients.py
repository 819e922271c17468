"""Clients that do one thing wrong: `python wrong_clients.py CLASS FILE CLOCK TEXT AGENT...`.

`Client` does everything right, and so does `Reconnects`. Every other class names the requirement
that it breaks, and the plans that show it.
"""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

Pending = dict[str, Any]


class RefusedError(Exception):
    """The agent answered with an error."""


class Client:
    """Sends again what is pending, submits a text if there is one, and ends."""

    oldest = 24.0 * 60 * 60

    def __init__(self, file: str, clock: str, agent: list[str]) -> None:
        self.file, self.now = Path(file), time.time() + float(clock)
        stored: dict[str, Any] = (
            json.loads(self.file.read_text("utf-8")) if self.file.exists() else {}
        )
        self.pending: list[Pending] = stored.get("pending", [])
        self.notes: dict[str, Any] = stored.get("notes", {})
        self.agent = subprocess.Popen(agent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0
        self.text = ""

    def run(self, text: str) -> None:
        self.text = text
        self.request("initialize", protocolVersion=2, info={"name": "client", "version": "1"})
        self.resend()
        if text:
            self.submit()

    def resend(self) -> None:
        waiting = [each for each in self.pending if self.now - each["at"] < self.oldest]
        for session in {each["session"] for each in waiting}:
            self.request("session/resume", sessionId=session, cwd="/", mcpServers=[])
        for each in waiting:
            self.deliver(each)

    def submit(self) -> None:
        session = self.request("session/new", cwd="/", mcpServers=[])["sessionId"]
        entry = {"session": session, "text": self.text, "key": self.key(), "at": self.now}
        self.pending.append(entry)
        self.store()
        self.deliver(entry)

    def key(self) -> str:
        return str(uuid.uuid4())

    def deliver(self, entry: Pending) -> None:
        """Send a prompt, and leave it pending if it is refused."""
        try:
            self.request("session/prompt", **self.params(entry))
        except RefusedError:
            return
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
        assert self.agent.stdin is not None
        self.agent.stdin.write(json.dumps(message).encode() + b"\n")
        self.agent.stdin.flush()
        return self.last_id

    def next_id(self) -> int:
        return self.last_id + 1

    def result(self, request_id: int) -> Any:
        assert self.agent.stdout is not None
        for line in self.agent.stdout:
            if not line.endswith(b"\n"):
                break
            message = json.loads(line)
            if "method" not in message and message["id"] == request_id:
                if "error" in message:
                    raise RefusedError
                return message["result"]
        raise SystemExit("the agent is gone")

    def store(self) -> None:
        self.file.write_text(json.dumps({"pending": self.pending, "notes": self.notes}), "utf-8")


class Reconnects(Client):
    """Right, too: it starts the agent again by itself when that is gone."""

    def __init__(self, file: str, clock: str, agent: list[str]) -> None:
        super().__init__(file, clock, agent)
        self.command = agent

    def run(self, text: str) -> None:
        try:
            super().run(text)
        except (SystemExit, BrokenPipeError):
            again = Reconnects(str(self.file), str(self.now - time.time()), self.command)
            again.run("" if again.pending else text)


Class = TypeVar("Class", bound=type[Client])
WRONG: Final[dict[str, tuple[str, tuple[str, ...]]]] = {}
"""By class, the requirement that it breaks, and the plans that show it."""


def breaks(requirement: str, *plans: str) -> Callable[[Class], Class]:
    def note(client: Class) -> Class:
        WRONG[client.__name__] = requirement, plans
        return client

    return note


@breaks("client-random-key", "same-text-again", "lost-before-insertion")
class Counts(Client):
    def key(self) -> str:
        self.notes["count"] = self.notes.get("count", 0) + 1
        return f"prompt-{self.notes['count']}"


@breaks("client-random-key", "same-text-again")
class CountsAfterRandomPrefix(Client):
    def key(self) -> str:
        first = self.notes.setdefault("first", uuid.uuid4().int)
        self.notes["count"] = self.notes.get("count", 0) + 1
        return f"{first + self.notes['count']:032x}"


@breaks("client-random-key", "same-text-again")
class TellsTheTime(Client):
    def key(self) -> str:
        return str(time.time_ns())


@breaks("client-random-key", "same-text-again", "lost-before-insertion")
class HashesWhatItKnows(Client):
    def params(self, entry: Pending) -> dict[str, Any]:
        known = f"{entry['session']} {entry['text']}".encode()
        key = uuid.UUID(bytes=hashlib.sha256(known).digest()[:16], version=4)
        return {**super().params(entry), "idempotencyKey": str(key)}


@breaks("client-random-key", "lost-before-insertion")
class HasNumbersForKeys(Client):
    def params(self, entry: Pending) -> dict[str, Any]:
        return {**super().params(entry), "idempotencyKey": uuid.UUID(entry["key"]).int}


@breaks("client-key-without-content", "lost-before-insertion")
class AddsTheText(Client):
    def key(self) -> str:
        return f"{uuid.uuid4()} {self.text}"


@breaks("client-one-key-one-prompt", "held-for-long")
class HasOneKey(Client):
    def key(self) -> str:
        return str(self.notes.setdefault("key", str(uuid.uuid4())))


@breaks("client-new-key", "same-text-again")
class HasOneKeyPerText(Client):
    def key(self) -> str:
        return str(self.notes.setdefault(self.text, str(uuid.uuid4())))


@breaks("client-same-key", "lost-before-insertion", "lost-twice", "client-killed-at-resume")
class StoresNoKey(Client):
    def params(self, entry: Pending) -> dict[str, Any]:
        return {**super().params(entry), "idempotencyKey": str(uuid.uuid4())}


@breaks("client-same-key", "refused")
class TakesANewKeyAfterAnError(Client):
    def deliver(self, entry: Pending) -> None:
        super().deliver(entry)
        if entry in self.pending:
            entry["key"] = str(uuid.uuid4())
            super().deliver(entry)


@breaks("client-own-ids", "same-text-again", "lost-before-insertion")
class HasOneId(Client):
    def next_id(self) -> int:
        return 1


@breaks("client-waits", "answer-held")
class SendsTwice(Client):
    def deliver(self, entry: Pending) -> None:
        self.send("session/prompt", **self.params(entry))
        super().deliver(entry)


@breaks("client-resends", "lost-before-insertion", "half-an-answer", "client-killed")
class ForgetsWhatItSent(Client):
    def store(self) -> None:
        self.pending.clear()
        super().store()

    def deliver(self, entry: Pending) -> None:
        self.request("session/prompt", **self.params(entry))


@breaks(
    "client-resends",
    "lost-twice",
    "client-killed-at-retry",
    "lost-at-resume",
    "client-killed-at-resume",
)
class SendsAgainOnce(Client):
    def resend(self) -> None:
        waiting, self.pending = self.pending, []
        self.store()
        self.pending = waiting
        super().resend()


@breaks(
    "client-resends", "lost-at-initialize", "lost-after-initialize", "client-killed-at-initialize"
)
class ForgetsAtTheNextStart(Client):
    def run(self, text: str) -> None:
        waiting, self.pending = self.pending, []
        self.store()
        self.pending = waiting
        super().run(text)


@breaks("client-resends", "lost-after-resume", "lost-twice")
class ForgetsAtTheNextSession(Client):
    def request(self, method: str, **params: object) -> Any:
        result = super().request(method, **params)
        if method == "session/resume":
            waiting, self.pending = self.pending, []
            self.store()
            self.pending = waiting
        return result


@breaks("client-resends", "lost-after-insertion")
class SendsItToAnotherSession(Client):
    def resend(self) -> None:
        for each in list(self.pending):
            each["session"] = self.request("session/new", cwd="/", mcpServers=[])["sessionId"]
            self.deliver(each)


@breaks("client-resumes-first", "lost-before-insertion", "lost-twice")
class ResumesNothing(Client):
    def resend(self) -> None:
        for each in list(self.pending):
            self.deliver(each)


@breaks("client-resumes-first", "resume-held", "resume-refused")
class AwaitsNoAnswerToResume(Client):
    def resend(self) -> None:
        for each in list(self.pending):
            self.send("session/resume", sessionId=each["session"], cwd="/", mcpServers=[])
            self.deliver(each)


@breaks("client-resumes-first", "resume-refused")
class SendsThoughNothingWasResumed(Client):
    def request(self, method: str, **params: object) -> Any:
        try:
            return super().request(method, **params)
        except RefusedError:
            return {}


@breaks("client-shows-old-prompts", "held-for-long")
class SendsWhateverItsAge(Client):
    oldest = math.inf


if __name__ == "__main__":
    name, file, clock, text, *agent = sys.argv[1:]
    globals()[name](file, clock, agent).run(text)
