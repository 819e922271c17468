"""An agent on the official Python SDK, for the kit to judge: `python python_peer.py FILE`.

FILE keeps its sessions. The SDK's typed handlers don't hand the key of a prompt over. Packages are
taken from the folder `packages` beside this file first, if there is one.
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).with_name("packages")))

from acp import RequestError
from acp.experimental.negotiation import AgentProtocolRouter
from acp.experimental.v2 import schema


class PythonPeer:
    """Stores messages, and answers each prompt with one of its own."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.sessions: dict[str, list[Any]] = json.loads(file.read_text()) if file.exists() else {}
        self.works: set[asyncio.Task[None]] = set()

    def on_connect(self, connection: Any) -> None:
        self.connection = connection

    async def initialize(self, **_: Any) -> Any:
        return schema.InitializeResponse.model_validate(
            {
                "protocolVersion": 2,
                "info": {"name": "python-peer", "version": "1.0.0"},
                "capabilities": {"session": {"delete": {}}},
            }
        )

    async def new_session(self, **_: Any) -> Any:
        session = uuid.uuid4().hex
        self.sessions[session] = []
        self.store()
        return schema.NewSessionResponse.model_validate({"sessionId": session})

    async def list_sessions(self, **_: Any) -> Any:
        listed = [{"sessionId": each, "cwd": "/"} for each in self.sessions]
        return schema.ListSessionsResponse.model_validate({"sessions": listed})

    async def resume_session(self, session_id: str, replay_from: Any = None, **_: Any) -> Any:
        messages = self.find(session_id)
        if replay_from is not None and replay_from.type != "start":
            raise RequestError.invalid_params({"path": "replayFrom"})
        for message in messages if replay_from is not None else ():
            await self.tell(session_id, {"sessionUpdate": "user_message", **message})
        await self.tell(session_id, {"sessionUpdate": "state_update", "state": "idle"})
        return schema.ResumeSessionResponse.model_validate({})

    async def close_session(self, session_id: str, **_: Any) -> Any:
        self.find(session_id)
        return schema.CloseSessionResponse.model_validate({})

    async def delete_session(self, session_id: str, **_: Any) -> Any:
        self.sessions.pop(session_id, None)
        self.store()
        return schema.DeleteSessionResponse.model_validate({})

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Any:
        content = [b.model_dump(mode="json", by_alias=True, exclude_unset=True) for b in prompt]
        message = {"messageId": uuid.uuid4().hex, "content": content}
        self.find(session_id).append(message)
        self.store()
        await self.tell(session_id, {"sessionUpdate": "user_message", **message})
        work = asyncio.create_task(self.work(session_id))
        self.works.add(work)
        work.add_done_callback(self.works.discard)
        return schema.PromptResponse.model_validate({"messageId": message["messageId"]})

    async def cancel(self, **_: Any) -> None:
        """There is nothing to stop."""

    async def work(self, session: str) -> None:
        await self.tell(session, {"sessionUpdate": "state_update", "state": "running"})
        content = [{"type": "text", "text": "Done."}]
        done = {"messageId": uuid.uuid4().hex, "content": content}
        await self.tell(session, {"sessionUpdate": "agent_message", **done})
        idle = {"state": "idle", "stopReason": "end_turn"}
        await self.tell(session, {"sessionUpdate": "state_update", **idle})

    async def tell(self, session: str, update: dict[str, Any]) -> None:
        params = {"sessionId": session, "update": update}
        shown = schema.UpdateSessionNotification.model_validate(params)
        await self.connection.session_update(session, shown.update)

    def find(self, session: str) -> list[Any]:
        if session not in self.sessions:
            raise RequestError(-32002, "Resource not found")
        return self.sessions[session]

    def store(self) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.sessions))
        new.rename(self.file)


if __name__ == "__main__":
    peer = PythonPeer(Path(sys.argv[1]))
    asyncio.run(AgentProtocolRouter(v2=lambda _: peer).run())
