"""An agent with the official Python SDK: each prompt gets an update, whose text is the prompt's."""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp.schema import AgentCapabilities, InitializeResponse, NewSessionResponse, PromptResponse


class EchoingAgent:
    """Answers what a client asks first, and prompts."""

    def on_connect(self, connection: Any) -> None:
        self.connection = connection

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        return InitializeResponse(
            protocol_version=protocol_version, agent_capabilities=AgentCapabilities()
        )

    async def new_session(self, **_: Any) -> NewSessionResponse:
        return NewSessionResponse(session_id="s")

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        await self.connection.session_update(
            session_id, acp.update_agent_message_text(prompt[0].text)
        )
        return PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    agent: Any = EchoingAgent()
    asyncio.run(acp.run_agent(agent))
