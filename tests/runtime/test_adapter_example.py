"""The examples of docs/adapters.md: keys in agents in TypeScript, and in an adapter in Python."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import unavailable
from acp_retry import Call, Peer, RequestFailedError, derive_message_id, spawn
from agents import sync

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
ADAPTER = ROOT / "examples" / "adapter"
TSC = TESTS / "languages" / "node_modules" / "typescript" / "lib" / "tsc.js"
PAGE = ROOT / "docs" / "adapters.md"
FOUND = re.findall(r"<!-- example: (\w+) -->\n```\w+\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
EXAMPLES: dict[str, str] = dict(FOUND)
HELLO = {"protocolVersion": 2, "info": {"name": "client", "version": "1"}}
OPTIONS = (
    *("--module", "nodenext", "--target", "es2024", "--lib", "es2024", "--types", "node"),
    *("--rewriteRelativeImportExtensions", "--erasableSyntaxOnly", "--skipLibCheck"),
    *("--strict", "--noUncheckedIndexedAccess"),
)
NO_NETWORK = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "NO_BROWSER": "1", "IS_SANDBOX": "1"}
"""A port that nothing answers at, no browser, and what lets root start Claude Code."""

BEFORE = """
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { RequestError, agent, ndJsonStream } from "SDK";
import { deriveMessageId, isKey } from "./keys.js";

const file = process.argv[2];
const lines = () => readFileSync(file, "utf8").trim().split("\\n");
const stored = () => (existsSync(file) ? lines().map((line) => JSON.parse(line)) : []);
const answers = new Map();
async function insert(messageId, { sessionId, prompt }, client) {
  if (prompt[0].text === "refuse") throw RequestError.internalError({ reason: "refused" });
  if (!stored().some((each) => each.messageId === messageId)) {
    appendFileSync(file, JSON.stringify({ sessionId, messageId, prompt }) + "\\n");
    const update = { sessionUpdate: "user_message", messageId, content: prompt };
    await client.notify("session/update", { sessionId, update });
  }
  return { messageId };
}
const info = { name: "snippet", version: "1" };
const app = agent({ name: "snippet" })
  .onRequest("initialize", () => ({ protocolVersion: 2, info, capabilities: { session: {} } }))
  .onRequest("session/new", () => ({ sessionId: "s" }));
"""
AFTER = """
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
"""


SCOPE = "@agentclientprotocol"
SDK = TESTS / "interop" / "node_modules" / SCOPE / "sdk"
NODE = TESTS / "languages" / "node_modules" / "@types" / "node"


def compiled(
    folder: Path, file: str, packages: Mapping[str, Path]
) -> subprocess.CompletedProcess[str]:
    """Check and compile a file of the example in a folder.

    Args:
        folder: where to compile it.
        file: its name.
        packages: where the folder finds what the file imports, besides Node.js.
    """
    if shutil.which("node") is None or not (TSC.is_file() and NODE.is_dir()):
        unavailable.skip("TypeScript is not installed: run `npm ci` in tests/languages")
    modules = folder / "node_modules"
    for name, place in {"@types/node": NODE, **packages}.items():
        (modules / name).parent.mkdir(parents=True, exist_ok=True)
        (modules / name).symlink_to(place)
    for each in ADAPTER.glob("*.ts"):
        shutil.copy(each, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    command = ("node", str(TSC), *OPTIONS, file)
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def sdk() -> Path:
    if not SDK.is_dir():
        unavailable.skip("the SDK is not installed: run `npm ci` in tests/interop")
    return SDK


def test_a_mistake_in_the_example_is_found_by_its_types(tmp_path: Path) -> None:
    (tmp_path / "wrong.ts").write_text(
        'import { withKeys } from "./keys.ts";\n'
        'import { ndJsonStream } from "@agentclientprotocol/sdk/experimental/v2";\n'
        "declare const stream: ReturnType<typeof ndJsonStream>;\n"
        "withKeys(stream, { isActive: () => true, read: async () => [] });\n"
    )
    done = compiled(tmp_path, "wrong.ts", {f"{SCOPE}/sdk": sdk()})
    assert done.returncode != 0
    (line,) = [each for each in done.stdout.splitlines() if "error" in each]
    assert line.startswith("wrong.ts(4,")
    assert "Set<string>" in done.stdout


def test_the_module_of_the_example_is_short() -> None:
    lines = (ADAPTER / "keys.ts").read_text("utf-8").splitlines()
    code = [each for each in map(str.strip, lines) if each and not each.startswith(("*", "/"))]
    assert len(code) <= 80


class Session:
    """Clients of one session, one connection after the other."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.command = command
        self.folder = folder
        self.shown: list[str] = []
        path = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        self.environment = {**path, **NO_NETWORK}

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Peer]:
        options: dict[str, Any] = {"env": self.environment, "cwd": self.folder}
        handlers = {"session/update": self.note}
        quiet = subprocess.DEVNULL
        async with spawn(*self.command, handlers=handlers, stderr=quiet, **options) as peer:
            assert (await peer.request("initialize", HELLO))["protocolVersion"] == 2
            yield peer

    async def note(self, call: Call) -> None:
        update: Any = call.params["update"]
        if update["sessionUpdate"] == "user_message":
            self.shown.append(update["messageId"])


async def ask(peer: Peer, session_id: str, key: object, text: str = "x") -> str:
    prompt = [{"type": "text", "text": text}]
    params = {"sessionId": session_id, "prompt": prompt, "idempotencyKey": key}
    return str((await peer.request("session/prompt", params))["messageId"])


async def code(peer: Peer, session_id: str, key: object, text: str = "x") -> int:
    """The code of the error that a prompt is answered with."""
    asking = asyncio.ensure_future(ask(peer, session_id, key, text))
    await asyncio.wait([asking])
    error = asking.exception()
    assert isinstance(error, RequestFailedError)
    return error.refused.code


@sync
async def test_an_agent_on_the_sdk_keeps_keys_with_the_snippet(tmp_path: Path) -> None:
    done = compiled(tmp_path, "keys.ts", {f"{SCOPE}/sdk": sdk()})
    assert done.returncode == 0, done.stdout
    ((snippet),) = re.findall(
        r"<!-- example: sdk -->\n```js\n(.*?)```", PAGE.read_text(), re.DOTALL
    )
    assert len(snippet.splitlines()) <= 10
    entry = str(sdk() / "dist" / "v2" / "unstable" / "acp.js")
    (tmp_path / "agent.mjs").write_text(BEFORE.replace("SDK", entry) + snippet + AFTER)
    session = Session(("node", str(tmp_path / "agent.mjs"), str(tmp_path / "file")), tmp_path)
    mine = str(derive_message_id("s", "k"))
    async with session.connect() as peer:
        both = await asyncio.gather(ask(peer, "s", "k"), ask(peer, "s", "k"))
        assert list(both) == [mine, mine]
        assert await ask(peer, "s", None) != mine
        assert await code(peer, "s", "") == -32602
        assert await code(peer, "s", "again", "refuse") == -32603
        assert await ask(peer, "s", "again") == str(derive_message_id("s", "again"))
    shown = len(session.shown)
    async with session.connect() as peer:
        assert await ask(peer, "s", "k") == mine
    assert (shown, len(session.shown)) == (3, 3)


@asynccontextmanager
async def claude(program: Path, folder: Path) -> AsyncIterator[tuple[Session, Peer, str]]:
    session = Session(("node", str(program)), folder)
    async with session.connect() as peer:
        made = await peer.request("session/new", {"cwd": str(folder), "mcpServers": []})
        yield session, peer, str(made["sessionId"])


def installed() -> Path:
    modules = TESTS / "agents" / "node_modules"
    if not modules.is_dir():
        unavailable.skip("claude-agent-acp is not installed: run make shipped-agent")
    return modules


@pytest.mark.prove("starts Claude Code four times")
@sync
async def test_claude_inserts_a_keyed_prompt_once(tmp_path: Path) -> None:
    build, home = tmp_path / "build", tmp_path / "home"
    home.mkdir()
    modules = installed() / SCOPE
    build.mkdir()
    packages = {f"{SCOPE}/{name}": modules / name for name in ("sdk", "claude-agent-acp")}
    done = compiled(build, "claude.ts", packages)
    assert done.returncode == 0, done.stdout
    keys = ["a", "b", "c", "d"]
    async with claude(build / "claude.js", home) as (session, peer, name):
        mine = [str(derive_message_id(name, key)) for key in keys]
        both = await asyncio.gather(ask(peer, name, "a"), ask(peer, name, "a"))
        assert list(both) == [mine[0], mine[0]]
        assert await ask(peer, name, "a") == mine[0]
        assert await code(peer, name, 7) == -32602
        # Claude Code merges those that it has queued into one message.
        assert list(await asyncio.gather(*(ask(peer, name, key, key) for key in keys))) == mine
        assert await ask(peer, name, None) not in mine
    assert len(session.shown) == len(set(session.shown)) == 5
    async with session.connect() as peer:
        assert await code(peer, name, "a") == -32002
        await peer.request(
            "session/resume", {"sessionId": name, "cwd": str(home), "mcpServers": []}
        )
        assert list(await asyncio.gather(*(ask(peer, name, key, key) for key in keys))) == mine
    assert len(session.shown) == 5


@pytest.mark.prove("starts Claude Code")
@sync
async def test_claude_without_the_stream_inserts_it_twice(tmp_path: Path) -> None:
    """What the test above would see if the stream did nothing."""
    program = installed() / "@agentclientprotocol" / "claude-agent-acp" / "dist" / "index.js"
    async with claude(program, tmp_path) as (session, peer, name):
        assert await ask(peer, name, "a") != await ask(peer, name, "a")
    assert len(session.shown) == 2


class Runtime:
    """A runtime with its own history, which keeps the IDs of merged messages aside."""

    def __init__(self) -> None:
        self.messages: list[SimpleNamespace] = []

    async def user_messages(self, session_id: str) -> AsyncIterator[SimpleNamespace]:
        for message in self.messages:
            if message.session_id == session_id:
                yield message

    async def submit(self, session_id: str, message_id: str, body: bytes) -> None:
        assert body
        if self.messages:
            self.messages[0].merged_ids.append(message_id)
        else:
            self.messages.append(
                SimpleNamespace(session_id=session_id, id=message_id, merged_ids=[])
            )

    async def delete(self, session_id: str) -> None:
        raise AssertionError(session_id)


@sync
async def test_the_adapter_in_python_knows_merged_messages_in_the_next_process() -> None:
    runtime = Runtime()
    for number in range(2):
        names: dict[str, Any] = {"runtime": runtime}
        exec(EXAMPLES["python"], names)
        for request, key in enumerate("abc"):
            params = {"sessionId": "s", "prompt": [{"type": "text"}], "idempotencyKey": key}
            answer = await names["ledger"].prompt(number, request, params)
            assert answer == {"messageId": str(derive_message_id("s", key))}
    assert [len(each.merged_ids) for each in runtime.messages] == [2]
