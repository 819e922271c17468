"""What a client said to its agents, as they wrote it down."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_conformance.plans import Plan

__all__ = ["Line", "Prompt", "Said", "params_of", "read", "read_lines"]

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One message, and who sent it: `client` or `agent`."""

    sender: str
    message: Message


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that a client sent: on which connection, and in which line of it."""

    connection: int
    place: int
    id: object
    session: str
    text: str
    content: str
    key: object


@dataclass(frozen=True, slots=True)
class Said:
    """All that was said in a plan, one list a connection, and the prompts in it."""

    plan: Plan
    connections: Sequence[Sequence[Line]]
    prompts: Sequence[Prompt]
    late: bool = False
    """Whether a run took too long, and was ended."""

    @property
    def keys(self) -> list[str]:
        """Every key, once."""
        return list(dict.fromkeys(p.key for p in self.prompts if isinstance(p.key, str)))

    @property
    def submissions(self) -> list[list[Prompt]]:
        """The attempts of each prompt: what has the same content in the same session."""
        found: dict[tuple[str, str], list[Prompt]] = {}
        for prompt in self.prompts:
            found.setdefault((prompt.session, prompt.content), []).append(prompt)
        return list(found.values())

    @property
    def retries(self) -> list[tuple[Prompt, Prompt]]:
        """Each later attempt of a prompt, after the first one of it."""
        return [(first, each) for first, *others in self.submissions for each in others]

    def requests(self, connection: int) -> list[Message]:
        """The requests of the client on a connection."""
        lines = self.connections[connection]
        sent = [line.message for line in lines if line.sender == "client"]
        return [message for message in sent if "method" in message and "id" in message]

    def answer(self, connection: int, request_id: object, before: int) -> Message | None:
        """The answer to a request, if the agent gave it before a line."""
        for line in self.connections[connection][:before]:
            mine = "method" not in line.message and line.message.get("id") == request_id
            if line.sender == "agent" and mine:
                return line.message
        return None


def read(folder: Path, plan: Plan, *, late: bool = False) -> Said:
    """Read what the agents of a folder wrote down."""
    connections: list[list[Line]] = []
    prompts: list[Prompt] = []
    for number, lines in enumerate(read_lines(folder)):
        connections.append(lines)
        prompts += _prompts(lines, number)
    return Said(plan, connections, prompts, late)


def read_lines(folder: Path) -> list[list[Line]]:
    """What the agents of a folder wrote down, one list a connection."""
    return [
        [_line(text) for text in path.read_bytes().split(b"\n")[:-1]]
        for path in sorted(folder.glob("connection-*.ndjson"))
    ]


def params_of(message: Message) -> Message:
    """The params of a message; empty ones where it has none that are an object."""
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _line(text: bytes) -> Line:
    entry = json.loads(text)
    return Line(entry["from"], entry["message"])


def _prompts(lines: Sequence[Line], number: int) -> Iterator[Prompt]:
    for place, line in enumerate(lines):
        message = line.message
        asks = message.get("method") == "session/prompt" and "id" in message
        if line.sender == "client" and asks:
            params = params_of(message)
            content = params.get("prompt")
            blocks = content if isinstance(content, list) else []
            text = "".join(str(b.get("text", "")) for b in blocks if isinstance(b, dict))
            session, key = str(params.get("sessionId")), params.get("idempotencyKey")
            written = json.dumps(content, sort_keys=True)
            yield Prompt(number, place, message["id"], session, text, written, key)
