"""Agents that show keys where others see them."""

from __future__ import annotations

import base64
from typing import Any

from acp_conformance.directives import Directive
from acp_retry import Call, Peer, Submission
from acp_wire.keys import KEY
from variation import Variation, fails, malformed, text


@fails("keys-stay-private")
class ListsKeys(Variation):
    async def list(self, call: Call) -> Any:
        listed: Any = await super().list(call)
        return {**listed, "_meta": {"keys": [key for _, key in self.before]}}


@fails("keys-stay-private")
class ShowsKeysToOthers(Variation):
    async def insert(self, submission: Submission) -> bool:
        new = await super().insert(submission)
        session = submission.session_id
        for key, (asker, _) in self.waiting.items():
            for peer in self.sessions[session] - {asker}:
                await self._update(peer, session, titled(key))
        return new


@fails("keys-stay-private")
class ShowsKeys(Variation):
    async def turn(self, session: str, asked: Directive) -> None:
        await self.tell(session, titled([*self.waiting]))
        await super().turn(session, asked)


class Disclosing(Variation):
    """Shows the key of a prompt with its message, in a form of its own."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.shown: dict[str, str] = self.notes.setdefault("shown", {})

    async def prompt(self, call: Call) -> Any:
        if isinstance(key := call.params.get(KEY), str) and not malformed(call):
            self.shown[text(call)] = key
        return await super().prompt(call)

    async def show(self, peer: Peer, session: str, message_id: str, content: Any) -> None:
        key = self.shown.get(content[0]["text"], "")
        update = {"sessionUpdate": "user_message", "messageId": message_id, "content": content}
        await self._update(peer, session, {**update, "_meta": {"from": self.form(key)}})

    def form(self, key: str) -> str:
        """What is shown of a key."""
        raise NotImplementedError


@fails("keys-stay-private")
class ShowsKeysWithoutHyphens(Disclosing):
    def form(self, key: str) -> str:
        return f"msg_{key.replace('-', '').upper()}"


@fails("keys-stay-private")
class ShowsKeysInBase64(Disclosing):
    def form(self, key: str) -> str:
        return base64.urlsafe_b64encode(f"key:{key}".encode()).decode()


def titled(title: object) -> dict[str, Any]:
    return {"sessionUpdate": "session_info_update", "title": str(title)}
