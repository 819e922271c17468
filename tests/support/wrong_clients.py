"""Clients that do one thing wrong: `python wrong_clients.py CLASS FILE CLOCK TEXT MORE AGENT...`.

Every class names the requirements that it breaks, and the plans that show it.
"""

from __future__ import annotations

import base64
import hashlib
import math
import sys
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from plain_client import Client, Pending, Program, RefusedError

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
