"""A guard: keeps the keys of session/prompt for an agent on stdio that knows none.

    python guard.py FILE AGENT [ARGUMENT...]

What it can't keep, since key and message are two steps here, in two programs:

- If FILE is lost, or the session is used on another machine, a retry is inserted again.
- If guard or agent ends after a prompt was forwarded and before its messageId is in FILE, the next
  guard has the agent replay the session, and looks for a message of the same text that is no other
  prompt's. A client without a guard that sends the same text meanwhile, a prompt of that text
  without a key that was lost, too, or an agent that replays other texts than it got, make that
  answer wrong. If the replay shows nothing that FILE knows, the retry is refused, with the reason.
  Prompts without text are always refused then.
- While it looks, updates of that session are not passed on, and its other prompts wait.
- One guard at a time uses FILE. A second one waits until the first and its agent have ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import sys
import uuid
from typing import Any, Final

from acp_retry import (
    Call,
    ForwardedPrompt,
    ForwardingStore,
    JsonObject,
    KeyLedger,
    OutcomeUnknownError,
    Peer,
    RequestFailedError,
    Submission,
    UnusableStoreError,
    prompt_handlers,
    serve_stdio,
    spawn,
)

OPENS: Final = {"session/new", "session/fork", "session/resume"}
ENDS: Final = {"session/close", "session/delete"}


class Guard:
    """Answers prompts by a ledger, and passes everything else on, byte for byte."""

    def __init__(self, path: str) -> None:
        store = ForwardingStore(path, self._send, withdraw=self._withdraw, settle=self._find)
        self._ledger = KeyLedger(store, store.handle)
        self._prompts = prompt_handlers(self._ledger, lambda _, name: name in self._opened)
        self._version = 0
        self._asked: dict[object, tuple[str, JsonObject]] = {}  # what the client waits for
        self._opened: dict[str, JsonObject] = {}  # sessions, with the params to resume them
        self._sent: dict[str, object] = {}  # prompts at the agent, with the ids of their requests
        self._replays: dict[str, dict[str, str]] = {}  # texts by messageId
        self._looking = asyncio.Lock()
        self._client: Peer | None = None
        self._agent: Peer

    async def run(self, command: list[str], lock: int) -> None:
        """Serve until client or agent has ended. Pending prompts are not answered then."""
        ids = f"guard-{uuid.uuid4().hex}-"
        agent = spawn(*command, fallback=self._from_agent, id_prefix=ids, pass_fds=[lock])
        handlers: dict[str, Any] = {"$/cancel_request": self._cancel_request}
        handlers |= {"session/prompt": self._prompt, "session/cancel": self._cancel}
        async with agent as self._agent:
            client = serve_stdio(handlers, self._ledger.lost, fallback=self._from_client)
            ends = [asyncio.create_task(each) for each in (client, self._agent.wait_ended())]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            ends[0].cancel()

    async def _prompt(self, call: Call) -> object:
        if self._version >= 2:
            return await self._prompts["session/prompt"](call)
        with contextlib.suppress(ConnectionError):  # v1 knows no keys
            return await self._agent.request("session/prompt", call.params)
        return await asyncio.Event().wait()  # an error would mean that nothing was inserted

    async def _cancel(self, call: Call) -> None:
        await self._prompts["session/cancel"](call)
        await self._agent.notify("session/cancel", call.params)

    async def _cancel_request(self, call: Call) -> None:
        request_id: Any = call.params.get("requestId")
        if self._ledger.waits(call.peer, request_id):
            await self._prompts["$/cancel_request"](call)
        else:
            await self._agent.notify("$/cancel_request", call.params)

    async def _from_client(self, client: Peer, message: JsonObject) -> None:
        self._client = client
        method, params = message.get("method"), message.get("params")
        params = params if isinstance(params, dict) else {}
        if isinstance(method, str) and isinstance(message.get("id"), str | int):
            self._asked[message["id"]] = method, params
        if method in ENDS and isinstance(params.get("sessionId"), str):
            self._ledger.close(params["sessionId"])
        with contextlib.suppress(ConnectionError):  # the agent has ended, and so does the guard
            await self._agent.forward(message)

    async def _from_agent(self, _: Peer, message: JsonObject) -> None:
        if message.get("method") == "session/update" and self._is_replayed(message.get("params")):
            return
        if "method" not in message and isinstance(message.get("id"), str | int):
            method, params = self._asked.pop(message["id"], ("", {}))
            if isinstance(message.get("result"), dict):
                await self._answered(method, params, message["result"])
        if self._client is not None:
            with contextlib.suppress(ConnectionError):  # the client has left
                await self._client.forward(message)

    async def _answered(self, method: str, params: JsonObject, result: JsonObject) -> None:
        session_id = str(result.get("sessionId", params.get("sessionId")))
        if method == "initialize":
            self._version = result.get("protocolVersion", 0)
        elif method in OPENS:
            self._opened[session_id] = {k: v for k, v in params.items() if k != "replayFrom"}
            self._ledger.opened(self._client, session_id)
        elif method in ENDS:
            self._opened.pop(session_id, None)
            if method == "session/delete":
                await self._ledger.delete(session_id)

    async def _send(self, submission: Submission) -> str:
        name = submission.message_id
        try:
            answer = await self._agent.request(
                "session/prompt", submission.params, lambda each: self._sent.update({name: each})
            )
        finally:
            self._sent.pop(name, None)
        if not isinstance(answer.get("messageId"), str):
            raise ConnectionError("the agent has answered without a messageId")
        return str(answer["messageId"])

    async def _withdraw(self, submission: Submission) -> None:
        if (request_id := self._sent.get(submission.message_id)) is not None:
            await self._agent.notify("$/cancel_request", {"requestId": request_id})

    async def _find(self, prompt: ForwardedPrompt) -> str | None:
        """Look for a prompt in a replay of its session."""
        name, text = prompt.session_id, text_of(prompt.prompt)
        params = {**self._opened.get(name, {}), "sessionId": name, "replayFrom": {"type": "start"}}
        async with self._looking:
            shown = self._replays[name] = {}
            try:
                await self._agent.request("session/resume", params)
            except (RequestFailedError, ConnectionError):
                raise OutcomeUnknownError("the session could not be replayed") from None
            finally:
                del self._replays[name]
        same = [each for each, said in shown.items() if said == text and each not in prompt.known]
        if text and (same or not prompt.known or prompt.known & shown.keys()):
            return next(iter(same), None)
        raise OutcomeUnknownError("a replay of the session does not show it")

    def _is_replayed(self, params: object) -> bool:
        """Whether an update belongs to a replay for the guard. Its text is noted then."""
        values: JsonObject = params if isinstance(params, dict) else {}
        session, update = values.get("sessionId"), values.get("update")
        shown = self._replays.get(session) if isinstance(session, str) else None
        if shown is not None and isinstance(update, dict):
            name, kind = update.get("messageId"), update.get("sessionUpdate")
            if isinstance(name, str) and kind == "user_message":
                shown[name] = text_of(update.get("content"))
            elif isinstance(name, str) and kind == "user_message_chunk":
                shown[name] = shown.get(name, "") + text_of([update.get("content")])
        return shown is not None


def text_of(blocks: object) -> str:
    """Return the text of content blocks."""
    found = blocks if isinstance(blocks, list) else []
    return "".join(str(each.get("text", "")) for each in found if isinstance(each, dict))


def main() -> None:
    """Start the agent, once no other guard and no agent of one uses the file."""
    if len(sys.argv) < 3:
        sys.exit("usage: guard.py FILE AGENT [ARGUMENT...]")
    path, *command = sys.argv[1:]
    try:
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)  # the agent inherits it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"guard: waiting until nothing else uses {path}", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        asyncio.run(Guard(path).run(command, lock))
    except (OSError, UnusableStoreError) as error:
        print(f"guard: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
