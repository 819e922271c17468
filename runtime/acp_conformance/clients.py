"""Plays an agent that loses answers against a client, and judges what the client sent."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from acp_conformance.faults import Fault
from acp_conformance.verdict import Outcome
from acp_conformance.wire import StartError

__all__ = [
    "AGENT",
    "PLANS",
    "RULES",
    "Plan",
    "Prompt",
    "Said",
    "filled",
    "judge",
    "play_client",
    "read",
]

AGENT: Final = "{agent}"
TEXT: Final = "{text}"
FOLDER: Final = "{folder}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to a client: the fault of each agent that it starts, and what it is run for.

    Each run submits a text; an empty one submits nothing and only sends again what is pending.
    With `kill` the first run is killed once the agent has its prompt.
    """

    name: str
    faults: tuple[Fault, ...]
    texts: tuple[str, ...]
    kill: bool = False


PLANS: Final = (
    Plan("lost-before-insertion", (Fault.READ,), ("one", "")),
    Plan("lost-after-insertion", (Fault.INSERTED,), ("one", "")),
    Plan("half-an-answer", (Fault.HALF,), ("one", "")),
    Plan("lost-twice", (Fault.INSERTED, Fault.INSERTED), ("one", "", "")),
    Plan("client-killed", (Fault.SILENT,), ("one", ""), kill=True),
    Plan("same-text-twice", (), ("same", "same")),
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that a client sent: on which connection, and what came before it there."""

    connection: int
    place: int
    session: str
    text: str
    content: str
    key: object


@dataclass(frozen=True, slots=True)
class Said:
    """What a client sent, one list a connection, and its prompts."""

    plan: Plan
    connections: Sequence[Sequence[Mapping[str, Any]]]
    prompts: Sequence[Prompt]

    @property
    def keys(self) -> list[str]:
        """Every key, once."""
        return list(dict.fromkeys(p.key for p in self.prompts if isinstance(p.key, str)))

    @property
    def lost(self) -> Prompt | None:
        """The first attempt of the prompt whose answer was lost."""
        return self.prompts[0] if self.plan.faults and self.prompts else None

    @property
    def retries(self) -> list[Prompt]:
        """The later attempts of it: the same content on another connection."""
        first = self.lost
        return [
            p
            for p in self.prompts
            if first and p.content == first.content and p.connection != first.connection
        ]


Judgement = bool | str | None
"""True: kept. A text: broken, and how. None: nothing to judge by."""


def _random(said: Said) -> Judgement:
    for key in said.keys:
        with contextlib.suppress(ValueError):
            if uuid.UUID(key).version in (3, 5):
                return "a key is a UUID made from a name"
            continue
        if len(key) < 22:
            return "a key is no UUID and shorter than 22 characters"
    return True if said.keys else None


def _without_content(said: Said) -> Judgement:
    for prompt in said.prompts:
        if not isinstance(prompt.key, str):
            continue
        named = {
            str(make(space, prompt.text))
            for make in (uuid.uuid3, uuid.uuid5)
            for space in (uuid.NAMESPACE_URL, uuid.NAMESPACE_DNS, uuid.NAMESPACE_OID)
        }
        hashed = {
            hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()
            for name in ("md5", "sha1", "sha256")
            for text in (prompt.text, prompt.content)
        }
        if prompt.text in prompt.key or prompt.key.lower() in named | hashed:
            return "a key is made from the prompt"
    return True if said.keys else None


def _one_prompt(said: Said) -> Judgement:
    for key in said.keys:
        if len({(p.session, p.content) for p in said.prompts if p.key == key}) > 1:
            return "a key came with two prompts"
    return True if said.keys else None


def _same_key(said: Said) -> Judgement:
    if said.lost is None or said.lost.key is None or not said.retries:
        return None
    if any(retry.key != said.lost.key for retry in said.retries):
        return "a retry had another key, or none"
    return True


def _new_key(said: Said) -> Judgement:
    if said.plan.faults or not said.keys:
        return None
    first, *others = said.prompts
    if any(each.key == first.key for each in others):
        return "two submissions of the same text had one key"
    return True if others else None


def _own_ids(said: Said) -> Judgement:
    for messages in said.connections:
        ids = [json.dumps(m["id"]) for m in messages if "method" in m and "id" in m]
        if len(set(ids)) < len(ids):
            return "two requests of a connection had one id"
    return True if said.prompts else None


def _resends(said: Said) -> Judgement:
    if said.lost is None or said.lost.key is None:
        return None
    times = len(said.plan.faults)
    if len(said.retries) < times:
        return f"the prompt was sent again {len(said.retries)} times, not {times}"
    return True


def _resumes_first(said: Said) -> Judgement:
    for retry in said.retries:
        before = said.connections[retry.connection][: retry.place]
        sent = [(m.get("method"), (m.get("params") or {}).get("sessionId")) for m in before]
        methods = [method for method, _ in sent]
        if methods[:1] != ["initialize"] or ("session/resume", retry.session) not in sent:
            return "a retry came before initialize and session/resume"
    return True if said.retries else None


RULES: Final[Mapping[str, Callable[[Said], Judgement]]] = {
    "client-random-key": _random,
    "client-key-without-content": _without_content,
    "client-one-key-one-prompt": _one_prompt,
    "client-same-key": _same_key,
    "client-new-key": _new_key,
    "client-own-ids": _own_ids,
    "client-resends": _resends,
    "client-resumes-first": _resumes_first,
}
"""How each requirement of clients is judged, by its id."""


def judge(said: Said) -> Outcome:
    """Hold what a client sent to every rule."""
    told = {id_: rule(said) for id_, rule in RULES.items()}
    reason = "the client sent no key" if said.prompts else "the client sent no prompt"
    return Outcome(
        said.plan.name,
        frozenset(id_ for id_, judgement in told.items() if judgement is True),
        tuple((id_, text) for id_, text in told.items() if isinstance(text, str)),
        frozenset(id_ for id_, judgement in told.items() if judgement is None),
        "nothing in it tells" if said.keys else reason,
    )


def play_client(command: Sequence[str], plan: Plan, seconds: float) -> Outcome:
    """Run a client through a plan.

    Args:
        command: the client; `{agent}` stands for the command of the agent, `{text}` for the prompt
            to submit, `{folder}` for a folder that the runs of a plan share.
        plan: what happens to it.
        seconds: how long each run may take.

    Raises:
        StartError: the client can't be started.
    """
    with tempfile.TemporaryDirectory(prefix="acp-conformance-") as name:
        folder = Path(name)
        (folder / "plan.json").write_text(json.dumps(plan.faults), "utf-8")
        (folder / "client").mkdir()
        mark = uuid.uuid4().hex[:8]
        for number, text in enumerate(plan.texts):
            words = list(filled(command, folder, f"{text} [{mark}]" if text else ""))
            _run(words, folder, seconds, kill=plan.kill and number == 0)
        return judge(read(folder, plan))


def read(folder: Path, plan: Plan) -> Said:
    """Read what the agent wrote down."""
    connections: list[list[dict[str, Any]]] = []
    prompts: list[Prompt] = []
    for number, path in enumerate(sorted(folder.glob("connection-*.ndjson"))):
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        messages = [line["message"] for line in lines if line["from"] == "client"]
        connections.append(messages)
        prompts += _prompts(messages, number)
    return Said(plan, connections, prompts)


def _prompts(messages: Sequence[Mapping[str, Any]], number: int) -> Iterator[Prompt]:
    for place, message in enumerate(messages):
        if message.get("method") == "session/prompt":
            params = message.get("params") or {}
            content = params.get("prompt")
            text = "".join(str(block.get("text", "")) for block in content or [])
            session, key = str(params.get("sessionId")), params.get("idempotencyKey")
            yield Prompt(number, place, session, text, json.dumps(content, sort_keys=True), key)


def filled(command: Sequence[str], folder: Path, text: str) -> Iterator[str]:
    """A command with the agent's command, a text and a folder in the places for them."""
    for word in command:
        if word == AGENT:
            yield from (sys.executable, "-m", "acp_conformance.faults", str(folder))
        else:
            yield word.replace(TEXT, text).replace(FOLDER, str(folder / "client"))


def _run(command: Sequence[str], folder: Path, seconds: float, *, kill: bool) -> None:
    try:
        client = subprocess.Popen(  # noqa: S603 - whoever runs the kit chose the command
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise StartError(f"{command[0]} can't be started: {error}") from error
    end = time.monotonic() + seconds
    try:
        while client.poll() is None and time.monotonic() < end:
            if kill and b"session/prompt" in _heard(folder):
                break
            time.sleep(0.01)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(client.pid, signal.SIGKILL)
        client.wait()


def _heard(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("connection-*.ndjson"))
