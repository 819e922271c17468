"""Recorded sessions as NDJSON, invented from a seed, with some messages broken on purpose.

    python benchmarks/corpus.py --lines 100000 --faults 0.01 --seed 1 OUT

writes OUT, and OUT.faults with one line for each broken message: its line number, the rule that it
breaks and the pointer to the place. The same arguments give the same bytes. With --transcript every
line also says who sends and on which connection. About 97 of 100 messages are session/update.
"""

from __future__ import annotations

import argparse
import base64
import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from random import Random

Json = dict[str, object]
TEXT = (
    "the parser fails on an empty list because its guard compares lengths before it reads "
    "configuration so every request after that returns stale rows from cache until restart we "
    "could split this function move validation to one place and add tests which cover both paths"
)
WORDS = TEXT.split()
CODE = (
    "def total(items: list[Item]) -> Decimal:",
    '    return sum((item.price for item in items), Decimal("0"))',
    "    if not items:\n        raise ValueError('nothing to add up')",
    "@pytest.mark.parametrize('rows', [[], [1], [1, 2]])",
    "export const limit = (n: number) => Math.min(n, 255);",
    '\tlogger.warning("retrying %s after %d ms", name, delay)',
)
FOREIGN = ("größer als 0 €", "naïve café", "更新済み", "готово ✓", "🙂 done")
FILES = ("src/cart.py", "src/money.py", "tests/test_cart.py", "README.md", "web/app.ts")


@dataclass(frozen=True, slots=True)
class Fault:
    """The rule that a message breaks, and where, as an RFC 6901 pointer."""

    rule: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Line:
    """One message: its text, who sends it, the method it answers, and what is wrong with it."""

    text: bytes
    sender: str
    connection: int
    answers: str | None = None
    fault: Fault | None = None

    @property
    def transcribed(self) -> bytes:
        """The line of a transcript that holds the message."""
        head = f'{{"from":"{self.sender}","connection":{self.connection},"message":'
        return head.encode() + self.text + b"}"


def lines(number: int, share: float, seed: int) -> Iterator[Line]:
    """Return whole sessions with a number of messages, about a given share of them broken."""
    rng = Random(seed)
    for connection, sender, message, answers in islice(_sessions(rng), number):
        text, fault = _damage(message, rng) if rng.random() < share else (_compact(message), None)
        yield Line(text, sender, connection, answers, fault)


def _compact(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _sessions(rng: Random) -> Iterator[tuple[int, str, Json, str | None]]:
    ids = count()
    for connection in count(1):
        for sender, message, answers in Session(rng, ids).messages():
            yield connection, sender, message, answers


Sent = tuple[str, Json, str | None]


class Session:
    """One session, from `initialize` to `session/close`. `ids` are for the client's requests."""

    def __init__(self, rng: Random, ids: Iterator[int]) -> None:
        self._rng = rng
        self._ids = ids
        self._id = self._name("sess")
        self._home = f"/home/{rng.choice(('ada', 'grace', 'alan'))}/{rng.choice(WORDS)}"
        self._used = 4000

    def messages(self) -> Iterator[Sent]:
        """All that both sides send."""
        me = {"name": "acme-editor", "title": "Acme Editor", "version": "2.1.0"}
        agent = {"name": "acme-agent", "version": "0.9.3"}
        yield from self._ask(
            "initialize",
            {"protocolVersion": 2, "info": me, "capabilities": {"auth": {"terminal": {}}}},
            {
                "protocolVersion": 2,
                "info": agent,
                "capabilities": {"session": {"prompt": {"image": {}, "embeddedContext": {}}}},
            },
        )
        server = {"type": "stdio", "name": "files", "command": "/opt/acme/files", "args": ["--ro"]}
        yield from self._ask(
            "session/new", {"cwd": self._home, "mcpServers": [server]}, {"sessionId": self._id}
        )
        command = {"type": "command", "name": "review", "description": "Review the working tree"}
        yield self._update("available_commands_update", availableCommands=[command])
        for _ in range(self._rng.randint(3, 8)):
            yield from self._turn()
        yield self._update("session_info_update", title=self._text(4))
        yield from self._ask("session/close", {"sessionId": self._id}, {})

    def _turn(self) -> Iterator[Sent]:
        rng = self._rng
        prompt: list[Json] = [{"type": "text", "text": self._text(rng.randint(6, 30))}]
        if rng.random() < 0.3:
            path = self._path()
            link: Json = {
                "type": "resource_link",
                "name": path.rpartition("/")[2],
                "uri": f"file://{path}",
            }
            prompt.append(link)
        message, key = self._name("msg"), self._name("key")
        params = {"sessionId": self._id, "idempotencyKey": key, "prompt": prompt}
        yield from self._ask("session/prompt", params, {"messageId": message})
        for block in prompt:
            yield self._update("user_message_chunk", messageId=message, content=block)
        yield self._update("state_update", state="running")
        for _ in range(rng.randint(3, 9)):
            yield from self._stream("agent_thought_chunk", rng.randint(2, 9))
            yield from rng.choice((self._read, self._edit, self._run))()
            if rng.random() < 0.3:
                yield self._update("plan_update", plan=self._plan())
        yield from self._stream("agent_message_chunk", rng.randint(10, 60))
        usage = {"totalTokens": self._used, "inputTokens": self._used - 90, "outputTokens": 90}
        yield self._update("usage_update", used=self._used, size=200_000, cost=self._cost())
        yield self._update("state_update", state="idle", stopReason="end_turn", usage=usage)

    def _stream(self, kind: str, chunks: int) -> Iterator[Sent]:
        message = self._name("msg")
        for _ in range(chunks):
            self._used += 12
            content = {"type": "text", "text": self._text(self._rng.randint(1, 20))}
            yield self._update(kind, messageId=message, content=content)

    def _read(self) -> Iterator[Sent]:
        call, path = self._name("call"), self._path()
        yield self._update(
            "tool_call_update",
            toolCallId=call,
            title=f"Read {path.rpartition('/')[2]}",
            kind="read",
            status="in_progress",
            locations=[{"path": path, "line": self._rng.randint(1, 400)}],
            rawInput={"path": path, "range": [1, 80]},
        )
        for _ in range(self._rng.randint(1, 3)):
            block = {"type": "content", "content": {"type": "text", "text": self._code(26)}}
            yield self._update("tool_call_content_chunk", toolCallId=call, content=block)
        yield self._update("tool_call_update", toolCallId=call, status="completed")

    def _edit(self) -> Iterator[Sent]:
        call, path = self._name("call"), self._path()
        diff = {
            "type": "diff",
            "changes": [{"operation": "modify", "path": path, "fileType": "text"}],
            "patch": {
                "format": "git_patch",
                "text": f"--- a\n+++ b\n@@ -1 +1 @@\n-{self._code(26)}",
            },
        }
        edit = {"toolCallId": call, "title": f"Edit {path}", "kind": "edit", "status": "pending"}
        yield self._update("tool_call_update", **edit, content=[diff])
        if self._rng.random() < 0.1:
            yield self._update("state_update", state="requires_action")
            options = [
                {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
                {"optionId": "no", "name": "Reject", "kind": "reject_once"},
            ]
            params = {"sessionId": self._id, "title": f"Edit {path}?", "options": options}
            chosen = {"outcome": {"outcome": "selected", "optionId": "once"}}
            yield from self._ask("session/request_permission", params, chosen, asker="agent")
            yield self._update("state_update", state="running")
        yield self._update(
            "tool_call_update", toolCallId=call, status="completed", rawOutput={"applied": True}
        )

    def _run(self) -> Iterator[Sent]:
        terminal = self._name("term")
        yield self._update(
            "terminal_update", terminalId=terminal, command="pytest -q", cwd=self._home
        )
        for _ in range(self._rng.randint(1, 8)):
            output = base64.b64encode(self._code(8).encode()).decode()
            yield self._update("terminal_output_chunk", terminalId=terminal, data=output)
        status = {"exitCode": self._rng.choice((0, 0, 1)), "signal": None}
        yield self._update("terminal_update", terminalId=terminal, exitStatus=status)

    def _plan(self) -> Json:
        entries = [
            {"content": self._text(5), "priority": "medium", "status": status}
            for status in ("completed", "in_progress", "pending")
        ]
        return {"type": "items", "planId": "plan", "entries": entries}

    def _cost(self) -> Json:
        return {"amount": round(self._used / 1e5, 4), "currency": "USD"}

    def _update(self, variant: str, /, **members: object) -> Sent:
        if self._rng.random() < 0.02:
            members["_meta"] = {"acme.dev/step": self._used}
        params = {"sessionId": self._id, "update": {"sessionUpdate": variant, **members}}
        return "agent", {"jsonrpc": "2.0", "method": "session/update", "params": params}, None

    def _ask(
        self,
        method: str,
        params: Mapping[str, object],
        result: Mapping[str, object],
        asker: str = "client",
    ) -> Iterator[Sent]:
        """A request and its answer. The agent's ids are strings, which never meet the client's."""
        id_: int | str = next(self._ids) if asker == "client" else self._name("req")
        other = "agent" if asker == "client" else "client"
        yield asker, {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}, None
        yield other, {"jsonrpc": "2.0", "id": id_, "result": result}, method

    def _text(self, words: int) -> str:
        text = " ".join(self._rng.choices(WORDS, k=words))
        return f"{text} {self._rng.choice(FOREIGN)}" if self._rng.random() < 0.05 else f"{text} "

    def _code(self, most: int) -> str:
        return "\n".join(self._rng.choices(CODE, k=self._rng.randint(1, most)))

    def _path(self) -> str:
        return f"{self._home}/{self._rng.choice(FILES)}"

    def _name(self, kind: str) -> str:
        return f"{kind}_{self._rng.getrandbits(96):024x}"


_DROP = object()
_NOWHERE = object()
EDITS: tuple[tuple[str, object, str], ...] = (
    ("/jsonrpc", _DROP, "required"),
    ("/jsonrpc", "1.0", "const"),
    ("/params", _DROP, "required"),
    ("/params", [], "type"),
    ("/params/sessionId", _DROP, "required"),
    ("/params/sessionId", 5, "type"),
    ("/params/prompt", [], "min-items"),
    ("/params/prompt/0/text", _DROP, "required"),
    ("/params/idempotencyKey", "k" * 256, "max-length"),
    ("/params/idempotencyKey", "", "min-length"),
    ("/params/protocolVersion", 65536, "maximum"),
    ("/params/protocolVersion", 2.0, "type"),
    ("/params/options", [], "min-items"),
    ("/params/options/0/name", _DROP, "required"),
    ("/params/update/sessionUpdate", _DROP, "required"),
    ("/params/update/sessionUpdate", 1, "type"),
    ("/params/update/messageId", _DROP, "required"),
    ("/params/update/content/text", None, "type"),
    ("/params/update/content/type", _DROP, "required"),
    ("/params/update/toolCallId", 7, "type"),
    ("/params/update/title", ["Read"], "type"),
    ("/params/update/locations/0/line", 0, "minimum"),
    ("/params/update/locations/0/path", _DROP, "required"),
    ("/params/update/content/0/changes/0/path", True, "type"),
    ("/params/update/plan/entries/0/status", _DROP, "required"),
    ("/params/update/data", {}, "type"),
    ("/params/update/exitStatus/exitCode", 1.5, "type"),
    ("/params/update/used", 5300.0, "type"),
    ("/params/update/size", -1, "minimum"),
    ("/params/update/cost/amount", "0.05", "type"),
    ("/params/update/state", _DROP, "required"),
    ("/params/update/usage/totalTokens", None, "type"),
    ("/result/messageId", _DROP, "required"),
    ("/result/outcome/outcome", 1, "type"),
    ("/result/sessionId", None, "type"),
)
"""Where a message is changed, to what, and the rule that it breaks at that place."""

TEXTS: tuple[Callable[[bytes], bytes], ...] = (
    lambda text: text[: len(text) // 2],
    lambda text: text + b"}",
    lambda text: b"\xef\xbb\xbf" + text,
    lambda text: b'{"_x":NaN,' + text[1:],
    lambda text: b'{"_x":1e400,' + text[1:],
    lambda text: b'{"_x":"\xff",' + text[1:],
    lambda text: b'{"_x":"\\ud800",' + text[1:],
    lambda text: b'{"_x":' + b"[" * 200 + b"]" * 200 + b"," + text[1:],
)
"""Edits that make a text unreadable, or readable to lenient peers only."""


def _damage(message: Json, rng: Random) -> tuple[bytes, Fault]:
    """The text of a message with one thing wrong. A request keeps what its answer needs."""
    broken, asks = deepcopy(message), "id" in message and "method" in message
    draw = rng.random()
    if draw < 0.2 and not asks:
        return rng.choice(TEXTS)(_compact(message)), Fault("not-json", "")
    if draw < 0.25 and not asks:
        return b"[" + _compact(message) + b"]", Fault("not-a-message", "")
    if draw < 0.3 and "method" in message and not asks:
        broken["method"] = f"{message['method']}d"
        return _compact(broken), Fault("unknown-method", "/method")
    if draw < 0.33 and not asks:
        broken["id"] = 1.5
        return _compact(broken), Fault("type", "/id")
    if draw < 0.35 and "method" in message and not asks:
        broken["id"] = 7
        return _compact(broken), Fault("wrong-kind", "/method")
    if draw < 0.4:
        extra = "error" if "result" in message else "result"
        broken[extra] = {}
        return _compact(broken), Fault("exclusive-member", f"/{extra}")
    fitting = [edit for edit in EDITS if _reaches(broken, edit[0])]
    # The later of two, for what fits few messages is listed last.
    pointer, value, rule = fitting[max(rng.randrange(len(fitting)), rng.randrange(len(fitting)))]
    _change(broken, pointer, value)
    return _compact(broken), Fault(rule, pointer)


def _change(message: Json, pointer: str, value: object) -> None:
    """Put a value where a pointer leads to, or take away what is there."""
    holder, _, last = pointer.rpartition("/")
    members = _at(message, holder)
    if not isinstance(members, dict):
        raise AssertionError(pointer)
    if value is _DROP:
        del members[last]
    else:
        members[last] = value


def _reaches(message: Json, pointer: str) -> bool:
    return _at(message, pointer) is not _NOWHERE


def _at(value: object, pointer: str) -> object:
    """The value at a pointer, or `_NOWHERE`."""
    for token in pointer.split("/")[1:]:
        if isinstance(value, dict):
            value = value.get(token, _NOWHERE)
        elif isinstance(value, list) and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            return _NOWHERE
    return value


def main() -> None:
    """Write a corpus and the list of its faults."""
    parser = argparse.ArgumentParser(description="Invent recorded ACP v2 sessions.")
    parser.add_argument("out", type=Path, help="where the messages go")
    parser.add_argument("--lines", type=int, default=10_000, help="how many messages")
    parser.add_argument("--faults", type=float, default=0.01, help="the share that is broken")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other sessions")
    parser.add_argument("--transcript", action="store_true", help="say who sends each message")
    options = parser.parse_args()
    labels = options.out.with_name(f"{options.out.name}.faults")
    with options.out.open("wb") as out, labels.open("w", encoding="utf-8") as faults:
        for number, line in enumerate(lines(options.lines, options.faults, options.seed), 1):
            out.write((line.transcribed if options.transcript else line.text) + b"\n")
            if line.fault is not None:
                label = {"line": number, "rule": line.fault.rule, "pointer": line.fault.pointer}
                faults.write(json.dumps(label) + "\n")


if __name__ == "__main__":
    main()
