"""Agents that handle a key or a prompt wrongly."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import defaultdict
from typing import Any

from acp_conformance.directives import Directive
from acp_retry import (
    Call,
    Found,
    Message,
    RequestFailedError,
    Submission,
)
from acp_wire.keys import KEY
from variation import SHORT, Variation, fails, hashed, malformed, name, text


@fails(
    "support-keys",
    "reject-malformed-key",
    "malformed-is-not-omitted",
    "insert-once",
    "no-second-round",
    "reused-key",
    "join-held",
    "concurrent-attempts",
    "cancel-answers-all",
    "cancel-too-late",
    "known-across-connections",
    "known-after-restart",
    "known-mid-turn",
    "known-live-only",
    "known-after-others",
    "known-while-kept",
    "known-on-any-connection",
    "stored-with-message",
)
class IgnoresKeys(Variation):
    async def prompt(self, call: Call) -> Any:
        params = {member: value for member, value in call.params.items() if member != KEY}
        return await self.ledger.prompt(call.peer, call.id, params)


@fails("support-keys", "accept-any-valid-key")
class RefusesKeys(Variation):
    async def prompt(self, call: Call) -> Any:
        if call.params.get(KEY) is not None:
            raise RequestFailedError.of(-32602, "Invalid params")
        return await super().prompt(call)


@fails("support-keys", "accept-any-valid-key", "null-is-omitted")
class RefusesTheMember(Variation):
    async def prompt(self, call: Call) -> Any:
        if KEY in call.params:
            raise RequestFailedError.of(-32602, "Invalid params")
        return await super().prompt(call)


@fails("support-keys", "reject-malformed-key", "accept-any-valid-key")
class AnswersNoKeys(Variation):
    async def prompt(self, call: Call) -> Any:
        if call.params.get(KEY) is not None:
            await asyncio.Event().wait()
        return await super().prompt(call)


@fails("support-keys", "reject-malformed-key", "accept-any-valid-key")
class HangsUpAtKeys(Variation):
    async def prompt(self, call: Call) -> Any:
        if call.params.get(KEY) is not None:
            await call.peer.close()
        return await super().prompt(call)


class TakesAnIdTwice:
    """A store that never looks an ID up, and stores a message as often as it comes."""

    def __init__(self, mount: Any) -> None:
        self.disk = mount.disk
        self.mount = mount
        self.all: list[Message] = mount.disk.notes.setdefault("all", [])

    async def find(self, session_id: str, record: uuid.UUID) -> None:
        await self.mount.find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        await self.mount.insert(message)
        self.all.append(message)
        return Found(str(message.record)), True

    async def forget(self, session_id: str) -> None:
        await self.mount.forget(session_id)
        self.all[:] = [each for each in self.all if each.session_id != session_id]

    async def messages(self, session_id: str) -> list[tuple[str, bytes]]:
        await self.mount.messages(session_id)
        return [(str(m.record), m.body) for m in self.all if m.session_id == session_id]


@fails(
    "insert-once",
    "no-second-round",
    "reused-key",
    "concurrent-attempts",
    "known-across-connections",
    "known-after-restart",
    "known-mid-turn",
    "known-after-others",
    "known-while-kept",
    "known-on-any-connection",
    "stored-with-message",
)
class InsertsAgainUnderTheSameId(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(TakesAnIdTwice(store))
        self.turns: dict[Any, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def prompt(self, call: Call) -> Any:
        if "hold" in text(call):  # what waits is joined
            return await super().prompt(call)
        async with self.turns[name(call)]:
            return await super().prompt(call)


@fails("reject-malformed-key")
class RefusesWithAnotherCode(Variation):
    async def prompt(self, call: Call) -> Any:
        if malformed(call):
            raise RequestFailedError.of(-32600, "Invalid request")
        return await super().prompt(call)


@fails("reject-malformed-key", "malformed-is-not-omitted")
class TakesMalformedForOmitted(Variation):
    async def prompt(self, call: Call) -> Any:
        if malformed(call):
            return await self.ledger.prompt(call.peer, call.id, {**call.params, KEY: None})
        return await super().prompt(call)


@fails("malformed-is-not-omitted")
class RefusesAndInserts(Variation):
    async def prompt(self, call: Call) -> Any:
        if malformed(call):
            await self.insert_once_more(call)
        return await super().prompt(call)


@fails("accept-any-valid-key")
class CountsBytes(Variation):
    def key(self, key: str, call: Call) -> str | None:
        if len(key.encode()) > 255:
            raise RequestFailedError.of(-32602, "Invalid params")
        return super().key(key, call)


@fails("null-is-omitted")
class TakesNullForAKey(Variation):
    async def prompt(self, call: Call) -> Any:
        if call.params.get(KEY, "") is None:
            return await self.ledger.prompt(call.peer, call.id, {**call.params, KEY: "null"})
        return await super().prompt(call)


@fails("keyless-prompts-are-new")
class KnowsByText(Variation):
    async def prompt(self, call: Call) -> Any:
        if KEY not in call.params:
            key = hashed(text(call))
            return await self.ledger.prompt(call.peer, call.id, {**call.params, KEY: key})
        return await super().prompt(call)


@fails(
    "insert-once",
    "known-after-others",
    "known-while-kept",
    "known-on-any-connection",
)
class InsertsAgain(Variation):
    async def prompt(self, call: Call) -> Any:
        known = self.known(call)
        result = await super().prompt(call)
        if known:
            await self.insert_once_more(call)
        return result


@fails("reused-key")
class TakesAnotherPromptForNew(Variation):
    def key(self, key: str, call: Call) -> str | None:
        return hashed(key, text(call))


@fails("answer-with-first-id")
class NamesMessagesAnew(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.own: set[str] = set()

    async def insert(self, submission: Submission) -> bool:
        self.own.add(submission.message_id)
        return await super().insert(submission)

    async def prompt(self, call: Call) -> Any:
        result = await super().prompt(call)
        return result if self.names(result, call) else {"messageId": uuid.uuid4().hex}

    def names(self, result: Any, call: Call) -> bool:
        """True if this process inserted the message."""
        return result["messageId"] in self.own or "local" in text(call)


@fails("answer-with-first-id")
class LeavesTheIdOut(NamesMessagesAnew):
    async def prompt(self, call: Call) -> Any:
        result = await Variation.prompt(self, call)
        return result if self.names(result, call) else {}


@fails("no-second-round")
class WorksAgain(Variation):
    async def prompt(self, call: Call) -> Any:
        known = self.known(call)
        result = await super().prompt(call)
        if known:
            self.tasks.add(
                asyncio.create_task(self.turn(str(call.params["sessionId"]), Directive()))
            )
        return result


@fails("join-held", "cancel-answers-all", "insert-once")
class HoldsTwice(Variation):
    def key(self, key: str, call: Call) -> str | None:
        peer, _ = self.waiting.get(name(call), (None, 0.0))
        return hashed(key) if peer is call.peer and "hold" in text(call) else key


TOGETHER = ("plain", "one", "two")
"""The prompts of which some come together."""


@fails("concurrent-attempts", "insert-once")
class LooksBeforeItClaims(Variation):
    """Looks for as long as it takes until another attempt comes, or is sure to come no more."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.looking: dict[Any, asyncio.Event] = {}
        self.apart: set[Call] = set()

    def key(self, key: str, call: Call) -> str | None:
        return hashed(key) if call in self.apart else key

    async def prompt(self, call: Call) -> Any:
        if name(call) in self.looking:
            self.apart.add(call)
            self.looking[name(call)].set()
        elif call.params.get(KEY) is not None and text(call).split()[0] in TOGETHER:
            other = self.looking[name(call)] = asyncio.Event()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(other.wait(), 5 * SHORT)
            del self.looking[name(call)]
        return await super().prompt(call)


@fails("errors-leave-key-unused")
class RemembersErrors(Variation):
    async def prompt(self, call: Call) -> Any:
        errors = self.notes.setdefault("errors", {})
        if name(call) in errors:
            raise errors[name(call)]
        try:
            return await super().prompt(call)
        except RequestFailedError as error:
            if error.refused.code != -32602:
                errors[name(call)] = error
            raise


class Forgetting(Variation):
    """Takes a key that it forgot for another one."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.forgotten: set[Any] = set()

    def key(self, key: str, call: Call) -> str | None:
        return hashed(key) if name(call) in self.forgotten else key


@fails("reused-key-stays")
class ForgetsTheReused(Forgetting):
    async def prompt(self, call: Call) -> Any:
        try:
            return await super().prompt(call)
        except RequestFailedError as error:
            if error.refused.code == -32602:
                self.forgotten.add(name(call))
            raise


@fails("cancel-too-late")
class ForgetsTheCancelled(Forgetting):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.answered: dict[object, Call] = {}

    async def prompt(self, call: Call) -> Any:
        result = await super().prompt(call)
        self.answered[call.id] = call
        return result

    async def cancel_request(self, call: Call) -> None:
        answered = self.answered.get(call.params.get("requestId"))
        if answered is not None:
            self.forgotten.add(name(answered))
        await super().cancel_request(call)


@fails("cancel-withdraws")
class InsertsWhatWasCancelled(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.calls: dict[object, Call] = {}

    async def prompt(self, call: Call) -> Any:
        self.calls[call.id] = call
        return await super().prompt(call)

    async def cancel_request(self, call: Call) -> None:
        cancelled = self.calls.get(call.params.get("requestId"))
        if cancelled is not None and name(cancelled) in self.waiting:
            await self.insert_once_more(cancelled)
        await super().cancel_request(call)


class Silent(Variation):
    """Answers of several attempts one only, once it is `muted`."""

    muted = False

    async def prompt(self, call: Call) -> Any:
        joined = name(call) in self.waiting
        try:
            return await super().prompt(call)
        except RequestFailedError:
            if self.muted and joined:
                await asyncio.Event().wait()
            raise


@fails("session-cancel-answers-all")
class AnswersOneWhenCancelled(Silent):
    async def cancel(self, call: Call) -> None:
        self.muted = call.method == "session/cancel"
        await super().cancel(call)


@fails("session-close-answers-all")
class AnswersOneWhenClosed(Silent):
    async def close(self, call: Call) -> Any:
        self.muted = True
        return await super().close(call)
