"""The guard in front of agents without keys: what it keeps, and what it says it can't keep."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import unavailable
from acp_retry import AnswerLostError, Call, Peer, RequestFailedError, spawn
from agents import sync
from proofs import a_few

TESTS = Path(__file__).parents[1]
GUARD = TESTS.parent / "examples" / "guard.py"
KEYLESS = TESTS / "support" / "keyless_agent.py"
PEER = TESTS / "conformance" / "peer.mjs"
HELLO = {"protocolVersion": 2, "info": {"name": "client", "version": "1"}}


class Guarded:
    """A client of a guard, and the file of the agent behind it."""

    def __init__(self, folder: Path, *quirks: str) -> None:
        self.file = folder / "messages.ndjson"
        agent = (sys.executable, str(KEYLESS), str(self.file), *quirks)
        self.version = 1 if "v1" in quirks else 2
        self.command = (sys.executable, str(GUARD), str(folder / "guard.db"), *agent)
        self.shown: list[str] = []
        self.odd: list[object] = []

    @asynccontextmanager
    async def start(self) -> AsyncIterator[Peer]:
        async with spawn(*self.command, handlers={"session/update": self.note}) as peer:
            assert (await peer.request("initialize", HELLO))["protocolVersion"] == self.version
            yield peer

    async def note(self, call: Call) -> None:
        update: Any = call.params.get("update")
        if isinstance(update, dict):
            self.shown.append(update["messageId"])
        else:
            self.odd.append(dict(call.params))

    def inserted(self, text: str) -> list[str]:
        entries = map(json.loads, self.file.read_text().splitlines())
        return [each["id"] for each in entries if each["prompt"][0]["text"] == text]


async def new(peer: Peer) -> str:
    return str((await peer.request("session/new", {"cwd": "/"}))["sessionId"])


async def ask(peer: Peer, session_id: str, text: str, key: str | None = None) -> str:
    prompt = [{"type": "text", "text": text}]
    keyed = {} if key is None else {"idempotencyKey": key}
    params = {"sessionId": session_id, "prompt": prompt, **keyed}
    return str((await peer.request("session/prompt", params))["messageId"])


@sync
async def test_a_retry_gets_the_agents_id_also_from_the_next_guard(tmp_path: Path) -> None:
    guarded = Guarded(tmp_path)
    async with guarded.start() as peer:
        session = await new(peer)
        first = await ask(peer, session, "x", "k")
        assert await ask(peer, session, "x", "k") == first
        assert await ask(peer, session, "x") != first
        with pytest.raises(RequestFailedError, match="-32601"):
            await peer.request("session/fork", {"sessionId": session})
    async with guarded.start() as peer:
        await peer.request("session/resume", {"sessionId": session, "cwd": "/"})
        assert await ask(peer, session, "x", "k") == first
    assert len(guarded.inserted("x")) == 2
    assert guarded.shown == guarded.inserted("x")


QUIRKS = ["dies-before", "dies-after"]


@pytest.mark.parametrize("quirk", a_few(QUIRKS, QUIRKS[1:], "starts four programs for each"))
def test_a_prompt_of_an_agent_that_died_is_there_once(quirk: str, tmp_path: Path) -> None:
    @sync
    async def die() -> None:
        guarded = Guarded(tmp_path, quirk)
        async with guarded.start() as peer:
            session = await new(peer)
            await ask(peer, session, "first", "f")
            with pytest.raises(AnswerLostError):
                await ask(peer, session, "die", "k")
        async with guarded.start() as peer:
            await peer.request("session/resume", {"sessionId": session, "cwd": "/"})
            shown = len(guarded.shown)
            answer = await ask(peer, session, "die", "k")
        assert guarded.inserted("die") == [answer]
        assert set(guarded.shown[shown:]) <= {answer}

    die()


@sync
async def test_what_a_replay_does_not_show_is_refused_and_not_sent_twice(tmp_path: Path) -> None:
    guarded = Guarded(tmp_path, "dies-after", "replays-nothing")
    async with guarded.start() as peer:
        session = await new(peer)
        await ask(peer, session, "first", "f")
        with pytest.raises(AnswerLostError):
            await ask(peer, session, "die", "k")
    async with guarded.start() as peer:
        await peer.request("session/resume", {"sessionId": session, "cwd": "/"})
        with pytest.raises(RequestFailedError) as caught:
            await ask(peer, session, "die", "k")
    reason = "its outcome is unknown: a replay of the session does not show it"
    refused = caught.value.refused
    assert (refused.code, refused.data) == (
        -32603,
        {"reason": f"The prompt was forwarded, and {reason}"},
    )
    assert len(guarded.inserted("die")) == 1


@sync
async def test_updates_of_no_known_form_are_passed_on(tmp_path: Path) -> None:
    guarded = Guarded(tmp_path, "malformed")
    async with guarded.start() as peer:
        first = await ask(peer, await new(peer), "x", "k")
    assert guarded.odd == [{}, {"sessionId": []}, {"sessionId": "s", "update": 1}]
    assert guarded.shown == [first]


@sync
async def test_a_prompt_of_v1_that_the_agent_took_with_it_is_not_answered(tmp_path: Path) -> None:
    """An error would mean that nothing was inserted."""
    guarded = Guarded(tmp_path, "v1", "dies-after")
    async with guarded.start() as peer:
        session = await new(peer)
        await ask(peer, session, "first")
        with pytest.raises(AnswerLostError):
            await ask(peer, session, "die")
    assert len(guarded.inserted("die")) == 1


@pytest.mark.parametrize(
    ("file", "agent", "reason"),
    [
        ("guard.db", "/no/agent", "No such file or directory: '/no/agent'"),
        ("none/guard.db", sys.executable, "No such file or directory: 'none/guard.db.lock'"),
        ("text", sys.executable, "text: file is not a database: name a file that"),
    ],
)
def test_what_stops_the_guard_is_one_line(
    file: str, agent: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("no database" * 100)
    command = (sys.executable, str(GUARD), file, agent, "-c", "")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("guard: ")
    assert reason in line


def test_a_client_that_leaves_first_leaves_no_traceback(tmp_path: Path) -> None:
    guarded = Guarded(tmp_path, "malformed")
    messages = [{"id": 1, "method": "initialize", "params": HELLO}, {"id": 2, "method": "x"}]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in messages)
    done = subprocess.run(guarded.command, input=lines, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_guard_is_short() -> None:
    assert len(GUARD.read_text("utf-8").splitlines()) <= 200


@pytest.mark.prove("the kit waits for silences in fifty traces")
def test_the_kit_finds_no_broken_requirement(tmp_path: Path) -> None:
    if shutil.which("node") is None or not (TESTS / "interop" / "node_modules").is_dir():
        unavailable.skip("the official peer is not installed: run `npm ci` in tests/interop")
    agent = ("node", str(PEER), str(tmp_path / "sessions.json"))
    guard = (sys.executable, str(GUARD), str(tmp_path / "guard.db"))
    conform = (sys.executable, "-m", "acpgen", "conform", "--format", "json", "--")
    found = [judged((*conform, *each)) for each in (agent, (*guard, *agent))]
    assert "fail" in found[0].values()
    assert "fail" not in found[1].values()
    kept = {name for name, verdict in found[1].items() if verdict in ("pass", "partly")}
    assert {"insert-once", "known-after-restart", "cancel-withdraws", "join-held"} <= kept


def judged(command: tuple[str, ...]) -> dict[str, str]:
    """The verdict on each requirement."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return {each["id"]: each["status"] for each in json.loads(done.stdout)["requirements"]}
