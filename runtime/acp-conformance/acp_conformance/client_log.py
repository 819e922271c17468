"""The log of what a client and its agents sent, as the agents recorded it."""

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
    """One message, its sender (`client` or `agent`), and the run of the client it belongs to.

    `time` is when the agent saw it, in seconds since the epoch.
    """

    sender: str
    message: Message
    run: int = 0
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class LoggedPrompt:
    """A prompt that a client sent, with its connection, its line in the log, and its run."""

    connection: int
    place: int
    id: object
    session: str
    text: str
    content: str
    key: object
    run: int = 0
    written: str = ""
    """The content as compact JSON, which some clients write."""


@dataclass(frozen=True, slots=True)
class ClientLog:
    """The log of one plan: a list of messages for each connection, and the prompts among them."""

    plan: ClientPlan
    connections: Sequence[Sequence[LoggedMessage]]
    prompts: Sequence[LoggedPrompt]
    late: frozenset[int] = frozenset()
    """The runs that took too long and were killed."""

    met: int = 0
    """How many of the plan's failures happened."""

    @property
    def keys(self) -> list[str]:
        """Every key once, in the order of its first use."""
        return list(dict.fromkeys(p.key for p in self.prompts if isinstance(p.key, str)))

    @property
    def submissions(self) -> list[list[LoggedPrompt]]:
        """The attempts of each submission: prompts with the same content in the same session."""
        found: dict[tuple[str, str], list[LoggedPrompt]] = {}
        for prompt in self.prompts:
            found.setdefault((prompt.session, prompt.content), []).append(prompt)
        return list(found.values())

    @property
    def retries(self) -> list[tuple[LoggedPrompt, LoggedPrompt]]:
        """Each later attempt of a submission, paired with its first attempt."""
        return [(first, each) for first, *others in self.submissions for each in others]

    @property
    def transcript(self) -> bytes:
        """All messages in the order of their times, one a line, as `acpgen trace` reads them."""
        messages = [
            (each.time, number, each)
            for number, lines in enumerate(self.connections, 1)
            for each in lines
        ]
        messages.sort(key=lambda message: message[0])
        return b"".join(
            json.dumps(
                {"from": each.sender, "connection": number, "time": time, "message": each.message}
            ).encode()
            + b"\n"
            for time, number, each in messages
        )

    def requests(self, connection: int) -> list[tuple[int, Message]]:
        """Return the client's requests on a connection, each with its position."""
        lines = [
            (place, line.message)
            for place, line in enumerate(self.connections[connection])
            if line.sender == "client"
        ]
        return [(place, sent) for place, sent in lines if "method" in sent and "id" in sent]

    def answer(self, connection: int, place: int, before: int | None = None) -> Message | None:
        """Return the answer to the request at a position, if it came before another position."""
        lines = self.connections[connection]
        request_id = lines[place].message["id"]
        for line in lines[place:before]:
            mine = "method" not in line.message and line.message.get("id") == request_id
            if line.sender == "agent" and mine:
                return line.message
        return None


def read(folder: Path, plan: ClientPlan, *, late: frozenset[int] = frozenset()) -> ClientLog:
    """Read the logs that the agents of a folder wrote."""
    connections: list[list[LoggedMessage]] = []
    prompts: list[LoggedPrompt] = []
    for number, lines in enumerate(read_lines(folder)):
        connections.append(lines)
        prompts += _prompts(lines, number)
    return ClientLog(plan, connections, prompts, late, met(folder))


def read_lines(folder: Path) -> list[list[LoggedMessage]]:
    """Return the messages that the agents of a folder recorded, one list a connection."""
    return [
        [_line(text) for text in path.read_bytes().split(b"\n")[:-1]]
        for path in sorted(folder.glob("connection-*.ndjson"))
    ]


def params_of(message: Message) -> Message:
    """The params of a message. Empty if they are missing or not an object."""
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def result_of(message: Message | None) -> Message:
    """The result in an answer. Empty if it is missing or not an object."""
    result = None if message is None else message.get("result")
    return result if isinstance(result, dict) else {}


def _line(text: bytes) -> LoggedMessage:
    entry = json.loads(text)
    return LoggedMessage(entry["from"], entry["message"], entry["run"], entry.get("time", 0.0))


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
