"""What a client said to its agents, as they wrote it down."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_conformance.client_plans import ClientPlan
from acp_conformance.faulty_agent import met

__all__ = [
    "ClientLog",
    "LoggedMessage",
    "LoggedPrompt",
    "params_of",
    "read",
    "read_lines",
    "result_of",
]

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """One message, who sent it, `client` or `agent`, and in which run of the client."""

    sender: str
    message: Message
    run: int = 0


@dataclass(frozen=True, slots=True)
class LoggedPrompt:
    """A prompt that a client sent: on which connection, in which line of it, and in which run."""

    connection: int
    place: int
    id: object
    session: str
    text: str
    content: str
    key: object
    run: int = 0
    written: str = ""
    """The content as a client that writes compact JSON has it."""


@dataclass(frozen=True, slots=True)
class ClientLog:
    """All that was said in a plan, one list a connection, and the prompts in it."""

    plan: ClientPlan
    connections: Sequence[Sequence[LoggedMessage]]
    prompts: Sequence[LoggedPrompt]
    late: frozenset[int] = frozenset()
    """The runs that took too long, and were ended."""

    met: int = 0
    """How many faults of the plan were met."""

    @property
    def keys(self) -> list[str]:
        """Every key, once."""
        return list(dict.fromkeys(p.key for p in self.prompts if isinstance(p.key, str)))

    @property
    def submissions(self) -> list[list[LoggedPrompt]]:
        """The attempts of each prompt: what has the same content in the same session."""
        found: dict[tuple[str, str], list[LoggedPrompt]] = {}
        for prompt in self.prompts:
            found.setdefault((prompt.session, prompt.content), []).append(prompt)
        return list(found.values())

    @property
    def retries(self) -> list[tuple[LoggedPrompt, LoggedPrompt]]:
        """Each later attempt of a prompt, after the first one of it."""
        return [(first, each) for first, *others in self.submissions for each in others]

    def requests(self, connection: int) -> list[tuple[int, Message]]:
        """The requests of the client on a connection, each with its place."""
        lines = [
            (place, line.message)
            for place, line in enumerate(self.connections[connection])
            if line.sender == "client"
        ]
        return [(place, sent) for place, sent in lines if "method" in sent and "id" in sent]

    def answer(self, connection: int, place: int, before: int | None = None) -> Message | None:
        """The answer to the request at a place, if the agent gave it before another place."""
        lines = self.connections[connection]
        request_id = lines[place].message["id"]
        for line in lines[place:before]:
            mine = "method" not in line.message and line.message.get("id") == request_id
            if line.sender == "agent" and mine:
                return line.message
        return None


def read(folder: Path, plan: ClientPlan, *, late: frozenset[int] = frozenset()) -> ClientLog:
    """Read what the agents of a folder wrote down."""
    connections: list[list[LoggedMessage]] = []
    prompts: list[LoggedPrompt] = []
    for number, lines in enumerate(read_lines(folder)):
        connections.append(lines)
        prompts += _prompts(lines, number)
    return ClientLog(plan, connections, prompts, late, met(folder))


def read_lines(folder: Path) -> list[list[LoggedMessage]]:
    """What the agents of a folder wrote down, one list a connection."""
    return [
        [_line(text) for text in path.read_bytes().split(b"\n")[:-1]]
        for path in sorted(folder.glob("connection-*.ndjson"))
    ]


def params_of(message: Message) -> Message:
    """The params of a message; empty ones where it has none that are an object."""
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def result_of(message: Message | None) -> Message:
    """The result in an answer; an empty one where there is none that is an object."""
    result = None if message is None else message.get("result")
    return result if isinstance(result, dict) else {}


def _line(text: bytes) -> LoggedMessage:
    entry = json.loads(text)
    return LoggedMessage(entry["from"], entry["message"], entry["run"])


def _prompts(lines: Sequence[LoggedMessage], number: int) -> Iterator[LoggedPrompt]:
    for place, line in enumerate(lines):
        message = line.message
        asks = message.get("method") == "session/prompt" and "id" in message
        if line.sender == "client" and asks:
            params = params_of(message)
            content = params.get("prompt")
            blocks = content if isinstance(content, list) else []
            text = "".join(str(b.get("text", "")) for b in blocks if isinstance(b, dict))
            session, key = str(params.get("sessionId")), params.get("idempotencyKey")
            same = json.dumps(content, sort_keys=True)
            written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
            yield LoggedPrompt(
                number, place, message["id"], session, text, same, key, line.run, written
            )
