"""Between a client and agents of the official SDKs, bytes are equal on both sides of the tap."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import unavailable
from acpgen import resources
from proofs import a_few, amount, scaled
from tapped import result, tap
from waiting import HANGS

INTEROP = resources.ROOT / "tests" / "interop"
PYTHON = [sys.executable, str(resources.ROOT / "tests/support/tap_python_agent.py")]
TYPESCRIPT = ["node", str(INTEROP / "tap_agent.mjs")]
BOTH, NAMES = [TYPESCRIPT, PYTHON], ["typescript", "python"]
AGENTS = pytest.mark.parametrize("agent", BOTH, ids=NAMES)
TEXTS = ("short", "é😀\u2028", "x" * 5000, '"\\\n\t', "")


def require(agent: list[str]) -> None:
    missing = shutil.which("node") is None or not (INTEROP / "node_modules").is_dir()
    if agent == TYPESCRIPT and missing:
        unavailable.skip("node or the official SDK is missing: run `npm ci` in tests/interop")


def script(messages: int, chance: random.Random) -> Iterator[bytes]:
    """The lines of a client: what opens a session, and prompts."""
    opening: tuple[tuple[str, dict[str, Any]], ...] = (
        ("initialize", {"protocolVersion": 1, "clientCapabilities": {}}),
        ("session/new", {"cwd": "/", "mcpServers": []}),
    )
    for id_ in range(messages):
        text = {"type": "text", "text": chance.choice(TEXTS)}
        prompt = ("session/prompt", {"sessionId": "s", "prompt": [text]})
        method, params = opening[id_] if id_ < len(opening) else prompt
        message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        yield json.dumps(message, ensure_ascii=chance.random() < 0.5).encode() + b"\n"


def chunked(text: bytes, chance: random.Random) -> Iterator[bytes]:
    start = 0
    while start < len(text):
        end = start + chance.choice((1, 2, 7, 100, 4096, 70_000))
        yield text[start:end]
        start = end


@AGENTS
@pytest.mark.parametrize("options", amount(["record"], ["", "record", "lose"]))
@scaled("10,000 messages in each direction take minutes with some agents")
def test_bytes_are_equal_on_both_sides(agent: list[str], options: str, tmp_path: Path) -> None:
    require(agent)
    count, chance = amount(150, 10_000), random.Random(options)
    transcript = tmp_path / "t.ndjson"
    given = {
        "": [],
        "record": ["--record", str(transcript), "--check"],
        "lose": ["--lose", "answer:session/load"],
    }
    sent = b"".join(script(count, chance))
    (tmp_path / "agent.sh").write_text('tee received | "$@" | tee answered\n')
    command = tap(["sh", "agent.sh", *agent], *given[options])
    with (
        (tmp_path / "errors").open("wb") as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=tmp_path
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        writer = threading.Thread(target=write, args=(process.stdin.fileno(), sent, chance))
        writer.start()
        got, answers = list[bytes](), 0
        while answers < count:
            got.append(process.stdout.readline())
            assert got[-1], (tmp_path / "errors").read_text()
            answers += "method" not in json.loads(got[-1])
        writer.join()
        process.stdin.close()
        got += process.stdout
        assert process.wait(HANGS) == 0
    assert (tmp_path / "received").read_bytes() == sent
    assert (tmp_path / "answered").read_bytes() == b"".join(got)
    if options == "record":
        lines = result(transcript)
        recorded = [json.loads(line) for line in [*sent.splitlines(), *got]]
        assert len(lines) == len(recorded)
        assert sum(line["from"] == "client" for line in lines) == count


def write(descriptor: int, text: bytes, chance: random.Random) -> None:
    for part in chunked(text, chance):
        left = part
        while left:
            left = left[os.write(descriptor, left) :]


@pytest.mark.parametrize("agent", a_few(BOTH, [PYTHON], "starts programs once more"), ids=NAMES)
def test_a_typescript_client_talks_through_the_tap(agent: list[str], tmp_path: Path) -> None:
    require(TYPESCRIPT)
    file = tmp_path / "t.ndjson"
    client = ["node", str(INTEROP / "tap_client.mjs")]
    done = subprocess.run(
        [*client, *tap(agent, "--record", str(file))], capture_output=True, check=False
    )
    assert json.loads(done.stdout) == {"texts": ["hello"], "status": 0}
    assert len(result(file)) == 7


class Listener:
    """A client of the official Python SDK that keeps the texts of updates."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        del session_id
        self.texts.append(update.content.text)


@pytest.mark.parametrize("agent", a_few(BOTH, [TYPESCRIPT], "starts programs once more"), ids=NAMES)
def test_a_python_client_talks_through_the_tap(agent: list[str], tmp_path: Path) -> None:
    import acp  # half a second of each process otherwise

    require(agent)
    file = tmp_path / "t.ndjson"
    listener: Any = Listener()

    async def talk() -> None:
        program, *arguments = tap(agent, "--record", str(file))
        async with acp.spawn_agent_process(listener, program, *arguments) as (connection, _):
            await connection.initialize(protocol_version=1)
            session = await connection.new_session(cwd="/", mcp_servers=[])
            await connection.prompt(session.session_id, [acp.text_block("hello")])

    asyncio.run(talk())
    assert listener.texts == ["hello"]
    assert len(result(file)) == 7
