"""Agents that forget a key, or what was withdrawn, at one moment of a session."""

from __future__ import annotations

import asyncio
import uuid
from collections import defaultdict
from typing import Any

from acp_conformance.directives import Directive, read_directive
from acp_retry import Call, Peer, RequestFailedError
from acp_wire.keys import KEY
from variation import Variation, fails, hashed, name, text


class Renewing(Variation):
    """Takes the keys of a session for others, as often as it forgets them."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.ages: dict[Any, int] = defaultdict(int, self.notes.get("ages", {}))

    def key(self, key: str, call: Call) -> str | None:
        age = self.ages[call.params["sessionId"]]
        return hashed(age, key) if age else key

    def forget(self, session: object) -> None:
        """Forget the keys of a session."""
        self.ages[session] += 1


class Unsaving(Renewing):
    """Knows its keys until it is killed, and then not those that it was to forget."""

    def forget(self, session: object) -> None:
        ages = self.notes.setdefault("ages", {})
        ages[session] = ages.get(session, 0) + 1


class AtClose(Renewing):
    async def close(self, call: Call) -> Any:
        self.forget(call.params["sessionId"])
        return await super().close(call)


class AtCancel(Renewing):
    async def cancel(self, call: Call) -> None:
        if call.method == "session/cancel":
            self.forget(call.params["sessionId"])
        await super().cancel(call)


class AtCompaction(Renewing):
    async def turn(self, session: str, asked: Directive) -> None:
        if asked.verb == "compact":
            self.forget(session)
        await super().turn(session, asked)


@fails("known-while-kept", "known-on-any-connection", "insert-once")
class ForgetsWhenClosed(AtClose):
    pass


@fails("known-while-kept", "known-live-only")
class ForgetsWhenCancelled(AtCancel):
    pass


@fails("known-while-kept")
class ForgetsWhenCompacted(AtCompaction):
    pass


@fails("known-while-kept")
class ForgetsWhenForked(Renewing):
    async def fork(self, call: Call) -> Any:
        self.forget(call.params["sessionId"])
        return await super().fork(call)


@fails("known-while-kept")
class ForgetsWhenAnotherIsDeleted(Renewing):
    async def delete(self, call: Call) -> Any:
        for session in self.sessions:
            self.forget(session)
        return await super().delete(call)


@fails("known-after-restart")
class DropsStoredKeysWhenClosed(Unsaving, AtClose):
    pass


@fails("known-after-restart")
class DropsStoredKeysWhenCancelled(Unsaving, AtCancel):
    pass


@fails("known-after-restart")
class DropsStoredKeysWhenCompacted(Unsaving, AtCompaction):
    pass


@fails("known-after-restart")
class DropsStoredKeysWhenForked(Unsaving):
    async def fork(self, call: Call) -> Any:
        self.forget(call.params["sessionId"])
        return await super().fork(call)


@fails("known-while-kept")
class ForgetsWhenAnOptionIsSet(Renewing):
    """As an adapter that opens its runtime's session anew for another model."""

    async def set_option(self, call: Call) -> Any:
        self.forget(call.params["sessionId"])
        return await super().set_option(call)


@fails("known-while-kept")
class ForgetsWhenArchived(Renewing):
    async def change(self, call: Call) -> Any:
        self.forget(call.params["sessionId"])
        return await super().change(call)


@fails("known-on-any-connection", "insert-once")
class ForgetsWhenClosedElsewhere(Renewing):
    """When another connection than that of the first prompt closes the session."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.askers: dict[Any, Peer] = {}

    async def prompt(self, call: Call) -> Any:
        self.askers.setdefault(call.params.get("sessionId"), call.peer)
        return await super().prompt(call)

    async def close(self, call: Call) -> Any:
        if self.askers.get(call.params["sessionId"]) is not call.peer:
            self.forget(call.params["sessionId"])
        return await super().close(call)


@fails("known-on-any-connection", "known-live-only", "insert-once")
class ForgetsWhenAConnectionLeaves(Renewing):
    """Knows the keys of a session until one of its connections ends."""

    def lost(self, peer: Peer) -> None:
        for session, peers in self.sessions.items():
            if peer in peers and len(peers) > 1:
                self.forget(session)
        super().lost(peer)


class Busy(Variation):
    """Knows which sessions are at the work that a prompt asked for."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.working: set[object] = set()

    async def turn(self, session: str, asked: Directive) -> None:
        if asked.verb == "work":
            self.working.add(session)
        await super().turn(session, asked)
        self.working.discard(session)

    def at_work(self, call: Call) -> bool:
        """True if the session is, and the key was answered for."""
        return call.params["sessionId"] in self.working and name(call) in self.before


@fails("insert-once", "known-while-kept")
class RecordsKeysWhenWorkEnds(Busy):
    def key(self, key: str, call: Call) -> str | None:
        return hashed(key, call.id) if self.at_work(call) else key


@fails("known-while-kept")
class KnowsTheSteeredWhileItWorks(Busy):
    def key(self, key: str, call: Call) -> str | None:
        late = name(call) in self.before and not self.at_work(call)
        return hashed(key, call.id) if "steer" in text(call) and late else key


class Attempts(Variation):
    """Has a task for each attempt, by connection and id, and knows which of them wait."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.attempts: dict[tuple[Peer, Any], tuple[Call, asyncio.Task[Any]]] = {}

    async def prompt(self, call: Call) -> Any:
        task = asyncio.ensure_future(super().prompt(call))
        self.attempts[call.peer, call.id] = call, task
        await asyncio.wait([task])
        del self.attempts[call.peer, call.id]
        if task.cancelled():
            raise RequestFailedError.of(-32800, "Request cancelled")
        return task.result()

    def joined(self, call: Call) -> list[Call]:
        """The attempts that wait for the same as the one that a `$/cancel_request` names."""
        asked, _ = self.attempts.get((call.peer, call.params.get("requestId")), (None, None))
        if asked is None:
            return []
        return [other for other, _ in self.attempts.values() if name(other) == name(asked)]

    def give_up(self, peer: Peer, request_id: Any) -> None:
        """Answer one attempt, and go on with the prompt."""
        self.attempts[peer, request_id][1].cancel()


@fails("cancel-answers-all")
class AnswersTheCancelledOnly(Attempts):
    async def cancel_request(self, call: Call) -> None:
        if len(self.joined(call)) > 1:
            self.give_up(call.peer, call.params["requestId"])
        else:
            await super().cancel_request(call)


@fails("cancel-answers-all")
class CancelsTheFirstOnly(Attempts):
    async def cancel_request(self, call: Call) -> None:
        first, *others = self.joined(call) or [call]
        if others and first.id == call.params["requestId"]:
            self.give_up(first.peer, first.id)
        else:
            await super().cancel_request(call)


@fails("cancel-answers-all")
class CancelsOnOneConnection(Attempts):
    async def cancel_request(self, call: Call) -> None:
        joined = self.joined(call)
        if all(each.peer is call.peer for each in joined):
            await super().cancel_request(call)
            return
        for each in joined:
            if each.peer is call.peer:
                self.give_up(each.peer, each.id)


@fails("session-cancel-answers-all")
class CancelsSessionsOnOneConnection(Attempts):
    async def cancel(self, call: Call) -> None:
        waiting = [each for each, _ in self.attempts.values()]
        if call.method != "session/cancel" or all(each.peer is call.peer for each in waiting):
            await super().cancel(call)
            return
        for each in waiting:
            if each.peer is call.peer:
                self.give_up(each.peer, each.id)


@fails("known-while-kept")
class ForgetsWhenARequestIsCancelled(Attempts, Renewing):
    async def cancel_request(self, call: Call) -> None:
        for asked in self.joined(call):
            self.forget(asked.params["sessionId"])
        await super().cancel_request(call)


@fails("cancel-withdraws")
class CancelsEveryKey(Attempts):
    async def cancel_request(self, call: Call) -> None:
        for asked in self.joined(call):
            self.ledger.cancel(str(asked.params["sessionId"]))


class Inserting(Attempts):
    """Answers a withdrawn prompt, and inserts it anyway."""

    async def insert_held(self, call: Call) -> None:
        """Insert the held prompts of a session."""
        held = [each for each, _ in self.attempts.values()]
        for each in held:
            if each.params["sessionId"] == call.params["sessionId"]:
                await self.insert_once_more(each)


@fails("errors-leave-key-unused")
class InsertsWhatTheSessionCancelled(Inserting):
    async def cancel(self, call: Call) -> None:
        if call.method == "session/cancel":
            await self.insert_held(call)
        await super().cancel(call)


@fails("errors-leave-key-unused")
class InsertsWhatWasClosed(Inserting):
    async def close(self, call: Call) -> Any:
        await self.insert_held(call)
        return await super().close(call)


@fails("insert-once")
class InsertsItsQueueAfterARestart(Variation):
    """Stores what it holds, without its key."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.queue: list[Call] = self.notes.pop("held", [])

    async def prompt(self, call: Call) -> Any:
        if read_directive(text(call)).verb == "hold":
            self.notes.setdefault("held", []).append(call)
        return await super().prompt(call)

    async def resume(self, call: Call) -> Any:
        while self.queue:
            await self.insert_once_more(self.queue.pop())
        return await super().resume(call)


@fails("errors-leave-key-unused")
class RefusesTheWithdrawnForEver(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.withdrawn: set[Any] = set()

    async def prompt(self, call: Call) -> Any:
        if name(call) in self.withdrawn:
            raise RequestFailedError.of(-32800, "Request cancelled")
        return await super().prompt(call)

    async def cancel(self, call: Call) -> None:
        self.withdrawn |= {*self.waiting}
        await super().cancel(call)


@fails("no-second-round")
class RunsCommandsUnderTheSameId(Variation):
    async def prompt(self, call: Call) -> Any:
        if "local" in text(call) and name(call) in self.before:
            content = [{"type": "text", "text": "Ran."}]
            message = {"messageId": uuid.uuid4().hex, "content": content}
            update = {"sessionUpdate": "agent_message", **message}
            await self.tell(str(call.params["sessionId"]), update)
        return await super().prompt(call)


class ForgettingCommands(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.commands: dict[Any, Peer] = {}
        self.forgotten: set[Any] = set()

    def key(self, key: str, call: Call) -> str | None:
        if "local" in text(call):
            self.commands.setdefault(name(call), call.peer)
        return hashed(key) if name(call) in self.forgotten else key


@fails("known-live-only")
class ForgetsCommandsWhenCancelled(ForgettingCommands):
    async def cancel(self, call: Call) -> None:
        self.forgotten |= {*self.commands}
        await super().cancel(call)


@fails("known-live-only")
class ForgetsCommandsWithTheirConnection(ForgettingCommands):
    def lost(self, peer: Peer) -> None:
        self.forgotten |= {name for name, first in self.commands.items() if first is peer}
        super().lost(peer)


@fails("known-on-any-connection")
class LeavesTheOthersWaiting(Variation):
    """Forgets, when a connection ends, who waits for its prompts on others."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.orphans: set[Any] = set()

    def lost(self, peer: Peer) -> None:
        self.orphans |= {name for name, (first, _) in self.waiting.items() if first is peer}
        super().lost(peer)

    async def prompt(self, call: Call) -> Any:
        result = await super().prompt(call)
        if name(call) in self.orphans and call.params.get(KEY) is not None:
            await asyncio.Event().wait()
        return result
