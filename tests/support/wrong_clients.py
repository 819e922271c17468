"""Clients that do one thing wrong: `python wrong_clients.py CLASS FILE CLOCK TEXT MORE AGENT...`.

`Client` does everything right, and so do those of `right_clients`. Every other class names the
requirements that it breaks, and the plans that show it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

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


Class = TypeVar("Class", bound=type[Client])
WRONG: Final[dict[str, tuple[frozenset[str], tuple[str, ...]]]] = {}
"""By class, the requirements that it breaks, and the plans that show it."""


def breaks(requirements: str, *plans: str) -> Callable[[Class], Class]:
    """Note what a client breaks: several requirements, where one fault is one of each."""

    def note(client: Class) -> Class:
        WRONG[client.__name__] = frozenset(requirements.split()), plans
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
class HashesItsSession(Client):
    """With the number of the prompt, so that no two have one key."""

    def enter(self, session: str, text: str) -> Pending:
        entry = super().enter(session, text)
        entry["number"] = self.notes["count"] = self.notes.get("count", 0) + 1
        self.store()
        return entry

    def params(self, entry: Pending) -> dict[str, Any]:
        digest = hashlib.sha256(f"{entry['session']} {entry['number']}".encode()).digest()
        key = uuid.UUID(bytes=digest[:16], version=4)
        return {**super().params(entry), "idempotencyKey": str(key)}


@breaks(
    "client-random-key client-key-without-content client-new-key",
    "same-text-again",
    "lost-before-insertion",
    "same-text-at-once",
)
class HashesWhatItKnows(Client):
    """A hash of the prompt is not random, is made of content, and is the same for the same text."""

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


@breaks("client-key-without-content", "lost-before-insertion", "same-text-again")
class EncodesTheText(Client):
    def key(self) -> str:
        return base64.b64encode(f"{uuid.uuid4().hex} {self.text}".encode()).decode()


@breaks("client-key-without-content", "lost-before-insertion", "same-text-again")
class NamesItsUser(Client):
    def key(self) -> str:
        return f"alice@example.com/{uuid.uuid4()}"


@breaks("client-one-key-one-prompt", "held-for-long")
class TakesANewKeyOnlyForTheSameText(Client):
    def key(self) -> str:
        if self.text in self.notes.get("texts", [self.text]):
            self.notes.update(key=str(uuid.uuid4()), texts=[])
        self.notes["texts"].append(self.text)
        return str(self.notes["key"])


@breaks("client-one-key-one-prompt client-new-key", "held-for-long", "same-text-again")
class HasOneKey(Client):
    """Whatever it submits, the same text too, has the key of what was before."""

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
    def deliver(self, *entries: Pending) -> None:
        super().deliver(*entries)
        for entry in [each for each in entries if each in self.pending]:
            entry["key"] = str(uuid.uuid4())
            super().deliver(entry)


@breaks("client-same-key", "retry-refused")
class TakesAnErrorOfARetryForProof(Client):
    """Submits a prompt anew if its retry is refused, though the first attempt may be inserted."""

    resending = False

    def resend(self) -> None:
        self.resending = True
        super().resend()
        self.resending = False

    def deliver(self, *entries: Pending) -> None:
        super().deliver(*entries)
        for entry in [each for each in entries if each in self.pending and self.resending]:
            entry["key"] = str(uuid.uuid4())
            super().deliver(entry)


@breaks("client-own-ids", "same-text-again", "lost-before-insertion")
class HasOneId(Client):
    def next_id(self) -> int:
        return 1


@breaks("client-waits", "answer-held")
class SendsTwice(Client):
    def deliver(self, *entries: Pending) -> None:
        for entry in entries:
            self.send("session/prompt", **{**self.params(entry), "idempotencyKey": None})
        super().deliver(*entries)


@breaks(
    "client-resends client-resends-all",
    "lost-before-insertion",
    "half-an-answer",
    "client-killed",
    "two-pending",
)
class ForgetsWhatItSent(Client):
    def store(self) -> None:
        self.pending.clear()
        super().store()

    def answered(self, entry: Pending) -> None:
        pass


@breaks(
    "client-resends client-resends-all",
    "lost-twice",
    "client-killed-at-retry",
    "lost-at-resume",
    "client-killed-at-resume",
    "two-lost-twice",
)
class SendsAgainOnce(Client):
    def resend(self) -> None:
        waiting, self.pending = self.pending, []
        self.store()
        self.pending = waiting
        super().resend()


@breaks(
    "client-resends client-resends-all",
    "lost-at-initialize",
    "lost-after-initialize",
    "client-killed-at-initialize",
    "two-lost-twice",
)
class ForgetsAtTheNextStart(Client):
    def run(self, *texts: str) -> None:
        waiting, self.pending = self.pending, []
        self.store()
        self.pending = waiting
        super().run(*texts)


@breaks("client-resends client-resends-all", "lost-after-resume", "lost-twice", "two-lost-twice")
class ForgetsAtTheNextSession(Client):
    def request(self, method: str, **params: object) -> Any:
        result = super().request(method, **params)
        if method == "session/resume":
            waiting, self.pending = self.pending, []
            self.store()
            self.pending = waiting
        return result


@breaks("client-resends client-resends-all", "lost-after-insertion", "two-pending")
class SendsItToAnotherSession(Client):
    def deliver(self, *entries: Pending) -> None:
        for entry in entries:
            if "sent" in entry:
                entry["session"] = self.new()
            entry["sent"] = True
        self.store()
        super().deliver(*entries)


@breaks("client-resends", "another-while-pending", "client-killed-at-initialize")
class ForgetsForSomethingNew(Client):
    def run(self, *texts: str) -> None:
        if any(texts):
            self.pending.clear()
            self.store()
        super().run(*texts)


@breaks("client-resends-all", "two-pending", "two-pending-killed", "two-lost-twice")
class HasRoomForOne(Client):
    def enter(self, session: str, text: str) -> Pending:
        self.pending.clear()
        return super().enter(session, text)

    def answered(self, entry: Pending) -> None:
        if entry in self.pending:
            super().answered(entry)


@breaks("client-resends-all", "two-pending", "two-pending-killed", "two-lost-twice")
class SendsTheFirstAgainOnly(Client):
    def resend(self) -> None:
        del self.pending[1:]
        super().resend()


@breaks("client-resends-all", "two-lost-twice")
class ForgetsTheOthersWhenItSendsOneAgain(Client):
    def resend(self) -> None:
        waiting, self.pending = self.pending, self.pending[:1]
        self.store()
        self.pending = waiting
        super().resend()


@breaks("client-same-key client-one-key-one-prompt", "two-pending", "two-pending-killed")
class MixesKeysUp(Client):
    def resend(self) -> None:
        keys = [each["key"] for each in self.pending]
        for each, key in zip(self.pending, keys[1:] + keys[:1], strict=True):
            each["key"] = key
        super().resend()


@breaks("client-one-key-one-prompt client-new-key", "two-pending", "same-text-at-once")
class HasOneKeyPerRun(Client):
    def key(self) -> str:
        self.made = getattr(self, "made", None) or super().key()
        return self.made


@breaks("client-resumes-first", "lost-before-insertion", "lost-twice")
class ResumesNothing(Client):
    def resume(self, session: str) -> None:
        pass


@breaks("client-resumes-first", "resume-held", "resume-refused")
class AwaitsNoAnswerToResume(Client):
    def resume(self, session: str) -> None:
        self.send("session/resume", sessionId=session, cwd="/", mcpServers=[])


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
    name, file, clock, text, more, *agent = sys.argv[1:]
    globals()[name](Path(file), float(clock), partial(Program, agent)).run(text, more)
