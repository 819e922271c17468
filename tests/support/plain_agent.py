"""An agent by itself, without any of our packages: `python plain_agent.py STORE [WORD ...]`.

STORE is one JSON file with everything, as small agents keep it: an agent that runs beside another
one with the same store overwrites what that has stored. The words are in `plain_faults`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
import uuid
from pathlib import Path
from typing import Any

from plain_faults import FAULTS, RIGHT, WORDS, compared, is_taken

STORE = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
TEST = re.compile(r"acp-conformance: (\w+)(?: (\d+)ms)?")

Json = dict[str, Any]


class RefusalError(Exception):
    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error: Json = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


NOT_FOUND = RefusalError(-32002, "Resource not found")
INVALID = RefusalError(-32602, "Invalid params")


class Held:
    """A prompt that is not inserted yet, with the ids of all requests for it."""

    def __init__(self, session: str, key: object) -> None:
        self.session, self.key = session, key
        self.ids: list[object] = []
        self.task: asyncio.Task[None] | None = None


class PlainAgent:
    def __init__(self) -> None:
        self.sessions: dict[str, list[Json]] = {}
        if STORE.exists():
            self.sessions = json.loads(STORE.read_text("utf-8"))
        self.active: set[str] = set()
        self.memory: dict[tuple[str, object], str] = {}
        self.held: list[Held] = []
        self.refused: set[str] = set()
        self.works: dict[str, asyncio.Event] = {}
        self.turns: dict[str, asyncio.Lock] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.others = False
        self.answered = False
        self.waiting: list[str] = []
        self.start = 0
        if "clashes" in WORDS:
            with STORE.with_suffix(".starts").open("ab") as starts:
                starts.write(b".")
            self.start = STORE.with_suffix(".starts").stat().st_size

    def put(self, message: Json) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        if "bursts" in WORDS:
            self.waiting.append(line)
        else:
            sys.stdout.write(line)
            sys.stdout.flush()

    async def burst(self) -> None:
        while True:
            await asyncio.sleep(0.15)
            lines, self.waiting = self.waiting, []
            sys.stdout.write("".join(lines))
            sys.stdout.flush()

    def tell(self, session: str, update: Json) -> None:
        if session in self.active:
            params = {"sessionId": session, "update": update}
            self.put({"method": "session/update", "params": params})

    def state(self, session: str, state: str) -> None:
        end = {"stopReason": "end_turn"} if state == "idle" else {}
        self.tell(session, {"sessionUpdate": "state_update", "state": state, **end})

    def show(self, session: str, message: Json, *, replay: bool = False) -> None:
        id_ = message["id"] + "-again" * (replay and "renames" in WORDS)
        update = {"sessionUpdate": "user_message", "messageId": id_, "content": message["prompt"]}
        if "shows" in WORDS and message["key"]:
            update["_meta"] = {"key": message["key"]}
        self.tell(session, update)

    async def answer(self, id_: object, answer: Json) -> None:
        if "late" in WORDS:
            await asyncio.sleep(0.4)
        if "first-late" in WORDS and not self.answered:
            await asyncio.sleep(1.5)
        self.answered = True
        self.put({"id": id_, **answer})

    def save(self) -> None:
        if self.start in (2, 3):
            return
        made = STORE.with_suffix(".new")
        made.write_text(json.dumps(self.sessions), "utf-8")
        made.replace(STORE)

    def initialize(self, params: Json) -> Json:
        if self.others and "begins-again" not in WORDS:
            raise RefusalError(-32600, "Invalid request")
        version = params.get("protocolVersion")
        if type(version) is not int:
            raise INVALID
        if version < 2 and "any-version" not in WORDS:
            raise RefusalError(-32022, "Unsupported protocol version", {"supported": [2]})
        extra: Json = {} if "required" in WORDS else {"delete": {}, "fork": {}}
        info = {"name": "plain", "version": "1"}
        return {"protocolVersion": 2, "info": info, "capabilities": {"session": extra}}

    def new(self, params: Json) -> Json:
        del params
        session = str(uuid.uuid4())
        self.sessions[session] = []
        self.save()
        self.active.add(session)
        return {"sessionId": session}

    def list(self, params: Json) -> Json:
        del params
        return {"sessions": [{"sessionId": id_, "cwd": "/"} for id_ in self.sessions]}

    def resume(self, params: Json) -> Json:
        session, cursor = params.get("sessionId"), params.get("replayFrom")
        if session not in self.sessions:
            raise NOT_FOUND
        if cursor is not None and cursor.get("type") != "start" and "any-cursor" not in WORDS:
            raise INVALID
        self.active.add(session)
        if cursor is not None or "replays" in WORDS:
            for message in self.sessions[session]:
                self.show(session, message, replay=True)
        if "no-state" not in WORDS:
            busy = session in self.turns and self.turns[session].locked()
            self.state(session, "running" if busy else "idle")
        return {}

    def close(self, params: Json) -> Json:
        session = params.get("sessionId")
        if session not in self.active and "closes-once" in WORDS:
            raise RefusalError(-32603, "Internal error")
        self.cancel(params)
        self.active.discard(str(session))
        if "forgets-closed" in WORDS:
            self.forget(str(session))
        return {}

    def forget(self, session: str) -> None:
        for message in self.sessions.get(session, []):
            message["key"] = None
        self.save()

    def delete(self, params: Json) -> Json:
        self.close(params)
        self.sessions.pop(str(params.get("sessionId")), None)
        self.save()
        return {}

    def fork(self, params: Json) -> Json:
        source = params.get("sessionId")
        if source not in self.sessions:
            raise NOT_FOUND
        session = str(uuid.uuid4())
        kept = {} if "forked" in WORDS else {"key": None}
        self.sessions[session] = [{**each, **kept} for each in self.sessions[str(source)]]
        self.save()
        self.active.add(session)
        return {"sessionId": session}

    def cancel(self, params: Json) -> None:
        session = str(params.get("sessionId"))
        for held in [each for each in self.held if each.session == session]:
            self.withdraw(held)
        if session in self.works:
            self.works[session].set()
        if "forgets-cancelled" in WORDS and session in self.sessions:
            self.forget(session)

    def withdraw(self, held: Held) -> None:
        self.held.remove(held)
        if held.task is not None:
            held.task.cancel()
        self.settle(held, {"error": {"code": -32800, "message": "Request cancelled"}})

    def settle(self, held: Held, answer: Json) -> None:
        for id_ in held.ids:
            self.run(self.answer(id_, answer))

    def run(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def check(self, params: Json) -> object:
        """The key, or what an agent with a fault takes for it. None without one."""
        if "idempotencyKey" in params and "strict" in WORDS:
            raise INVALID
        key = params.get("idempotencyKey")
        if key is None:
            if "null-refused" in WORDS and "idempotencyKey" in params:
                raise INVALID
            is_key = "null-key" in WORDS and "idempotencyKey" in params
            return "null" if is_key else None
        if not is_taken(key):
            if WORDS & {"lenient", "never-sees-keys"}:
                return None
            if "inserts-malformed" in WORDS:
                self.insert(params["sessionId"], params["prompt"], None)
            raise RefusalError(-32603, "Internal error") if "code" in WORDS else INVALID
        if WORDS & {"ignores-keys", "never-sees-keys"}:
            return None
        return compared(key)

    def known(self, session: str, key: object) -> str | None:
        if "memory" in WORDS or "at-end" in WORDS:
            if (session, key) in self.memory:
                return self.memory[session, key]
            if "memory" in WORDS:
                return None
        messages = self.sessions[session]
        if "few" in WORDS:
            messages = messages[-5:]
        if "everywhere" in WORDS:
            messages = [each for kept in self.sessions.values() for each in kept]
        return next((each["id"] for each in messages if each["key"] == key), None)

    def insert(self, session: str, prompt: object, key: object) -> Json:
        id_ = str(uuid.uuid4())
        if key is not None and "embeds" in WORDS:
            id_ = str(key)
        elif key is not None and "derives" in WORDS:  # the same in each session
            id_ = str(uuid.uuid5(uuid.NAMESPACE_URL, str(key)))
        message: Json = {"id": id_, "prompt": prompt, "key": key}
        if WORDS & {"memory", "at-end"} and key is not None:
            self.memory[session, key] = id_
            message["key"] = None
        self.sessions[session].append(message)
        if "late-key" in WORDS:
            message["key"] = None
            self.save()
            message["key"] = key
        else:
            self.save()
        self.show(session, message)
        return message

    async def prompt(self, id_: object, params: Json) -> None:
        session, prompt = params.get("sessionId"), params.get("prompt")
        if session not in self.active:
            raise NOT_FOUND
        if not isinstance(prompt, list) or not all(isinstance(each, dict) for each in prompt):
            raise INVALID
        key = self.check(params)
        if key is not None:
            if (first := self.known(session, key)) is not None:
                await self.retry(id_, session, first)
                return
            for held in self.held:
                if (held.session, held.key) == (session, key):
                    held.ids.append(id_)
                    return
        if "claims-late" in WORDS:
            await asyncio.sleep(0.05)
        text = next((each["text"] for each in prompt if isinstance(each.get("text"), str)), "")
        found = None if "required" in WORDS else TEST.match(text)
        verb, seconds = (found[1], int(found[2] or 0) / 1000) if found else ("", 0.0)
        if verb == "fail" and text not in self.refused:
            self.refused.add(text)
            raise RefusalError(-32603, "Internal error")
        held = Held(session, key)
        held.ids.append(id_)
        self.held.append(held)
        held.task = self.run(self.take(held, prompt, verb, seconds))

    async def retry(self, id_: object, session: str, first: str) -> None:
        if "refuses-retry" in WORDS:
            raise INVALID
        if "answers-anew" in WORDS:
            first = str(uuid.uuid4())
        if "answers-last" in WORDS:
            first = self.sessions[session][-1]["id"]
        await self.answer(id_, {"result": {"messageId": first}})
        if "works-again" in WORDS:
            await self.turn(session, "", 0.0)

    async def take(self, held: Held, prompt: object, verb: str, seconds: float) -> None:
        session = held.session
        if verb == "hold":
            await asyncio.sleep(seconds)
        if verb == "steer":
            self.accept(held, prompt)
            return
        lock = self.turns.setdefault(session, asyncio.Lock())
        async with lock:
            held.task = None
            self.accept(held, prompt)
            await self.turn(session, verb, seconds)

    def accept(self, held: Held, prompt: object) -> None:
        message = self.insert(held.session, prompt, held.key)
        if held in self.held:
            self.held.remove(held)
        self.settle(held, {"result": {"messageId": message["id"]}})
        if "late-key" in WORDS:
            self.run(self.save_late())

    async def save_late(self) -> None:
        await asyncio.sleep(0.02)
        self.save()

    async def turn(self, session: str, verb: str, seconds: float) -> None:
        self.state(session, "running")
        if verb == "work":
            self.works[session] = asyncio.Event()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.works[session].wait(), seconds)
        content = {"type": "text", "text": "Done."}
        update = {"sessionUpdate": "agent_message_chunk", "messageId": str(uuid.uuid4())}
        self.tell(session, {**update, "content": content})
        await asyncio.sleep(0.01)
        self.state(session, "idle")

    async def serve(self) -> None:
        if "bursts" in WORDS:
            self.run(self.burst())
        reader = asyncio.StreamReader(limit=2**24)
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            await self.read(json.loads(line))
        for (session, key), id_ in self.memory.items() if "at-end" in WORDS else ():
            for message in self.sessions.get(session, []):
                if message["id"] == id_:
                    message["key"] = key
        if "at-end" in WORDS:
            self.save()

    async def read(self, message: Json) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "session/cancel":
            self.cancel(params)
        elif method == "$/cancel_request":
            for held in [each for each in self.held if params.get("requestId") in each.ids]:
                self.withdraw(held)
        elif "method" in message and "id" in message:
            if method == "session/prompt" and "claims-late" in WORDS:
                self.run(self.handle(message["id"], str(method), params))
            else:
                await self.handle(message["id"], str(method), params)

    async def handle(self, id_: object, method: str, params: Json) -> None:
        try:
            result = await self.call(id_, method, params)
        except RefusalError as refusal:
            await self.answer(id_, {"error": refusal.error})
            return
        if result is not None:
            await self.answer(id_, {"result": result})

    async def call(self, id_: object, method: str, params: Json) -> Json | None:
        if method == "initialize":
            return self.initialize(params)
        self.others = True
        if method == "session/prompt":
            await self.prompt(id_, params)
            return None
        methods = {
            "session/new": self.new,
            "session/list": self.list,
            "session/resume": self.resume,
            "session/close": self.close,
        }
        if "required" not in WORDS:
            methods |= {"session/delete": self.delete, "session/fork": self.fork}
        if method not in methods:
            raise RefusalError(-32603 if "unknown-method" in WORDS else -32601, "Method not found")
        return methods[method](params)


if __name__ == "__main__":
    assert FAULTS.keys() | RIGHT.keys() >= WORDS, WORDS
    asyncio.run(PlainAgent().serve())
