"""`acpgen tap --once`: a disruption that is made once over all starts of the agent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from acp_retry import Client, SqliteOutbox, Stdio
from acpgen.tap.disruptions import CUT, LOSE, Disruption
from acpgen.tap.once_file import OnceFile
from agents import sync
from tapped import ANSWERING, call, python, result, tap

CALL = call(1, "session/prompt", sessionId="s", prompt=[])
LOST = ("--lose", "answer:session/prompt")


def disturbed(*options: str) -> subprocess.CompletedProcess[bytes]:
    command = tap(python(ANSWERING), *options)
    return subprocess.run(command, input=CALL, capture_output=True, check=False)


def test_the_second_start_is_left_alone(tmp_path: Path) -> None:
    once = ("--once", str(tmp_path / "done.txt"))
    first, second = disturbed(*LOST, *once), disturbed(*LOST, *once)
    assert (first.stdout, first.stderr) == (b"", b"acpgen: lost answer 1 of session/prompt\n")
    assert second.stdout.count(b"\n") == 1
    reason = b"acpgen: not again, since --once has it: lost answer 1 of session/prompt\n"
    assert second.stderr == reason


def test_another_disruption_is_not_left_alone(tmp_path: Path) -> None:
    once = ("--once", str(tmp_path / "done.txt"))
    disturbed(*LOST, *once)
    done = disturbed("--lose", "request:session/prompt", *once)
    assert (done.stdout, done.stderr) == (b"", b"acpgen: lost request 1 of session/prompt\n")


def test_what_did_not_come_is_left_for_the_next_start(tmp_path: Path) -> None:
    once = ("--once", str(tmp_path / "done.txt"))
    disturbed("--lose", "answer:session/list", *once)
    assert (tmp_path / "done.txt").read_text("utf-8") == ""


def test_of_two_starts_at_once_one_is_disrupted(tmp_path: Path) -> None:
    path = str(tmp_path / "done.txt")
    lost = Disruption(LOSE, "answer:session/prompt")
    starts = [OnceFile(path), OnceFile(path)]
    assert [each.has(lost) for each in starts] == [False, False]
    assert [each.claim(lost) for each in starts] == [True, False]
    assert starts[1].claim(Disruption(CUT, "answer:session/prompt"))


@pytest.mark.parametrize("options", [("--record", "t.ndjson"), ("--check",)], ids=" ".join)
def test_there_is_something_to_do_once(options: tuple[str, ...], tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = tap(["touch", str(started)], *options, "--once", "done.txt")
    done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert b"--once is for --lose, --delay, --cut and --kill: add one of them" in done.stderr
    assert not started.exists()


def test_a_file_with_something_else_is_refused_and_kept(tmp_path: Path) -> None:
    file, started = tmp_path / "notes.txt", tmp_path / "started"
    file.write_text("what I want to do once\n", "utf-8")
    command = tap(["touch", str(started)], *LOST, "--once", str(file))
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"notes.txt: is not a file of --once; name another one" in done.stderr
    assert file.read_text("utf-8") == "what I want to do once\n"
    assert not started.exists()


def test_a_transcript_is_another_file(tmp_path: Path) -> None:
    record, once = str(tmp_path / "t.ndjson"), str(tmp_path / "." / "t.ndjson")
    done = disturbed(*LOST, "--record", record, "--once", once)
    assert done.returncode == 2
    assert b"is the file of --record; name another one after --once" in done.stderr
    assert list(tmp_path.iterdir()) == []


@sync
async def test_a_client_recovers_from_a_connection_that_is_cut_once(tmp_path: Path) -> None:
    record, store = tmp_path / "cut.ndjson", tmp_path / "messages.db"
    reference = [sys.executable, "-m", "acp_conformance.reference", "--store", str(store)]
    cut = ("--cut", "before:answer:session/prompt", "--once", str(tmp_path / "done.txt"))
    agent = tap(reference, "--record", str(record), *cut)
    async with Client(Stdio(*agent), SqliteOutbox(tmp_path / "outbox.db")) as client:
        prompt = await client.submit(await client.new_session(), "hello")
        assert await prompt.message_id()
    prompts = [
        line
        for line in result(record)
        if line["from"] == "client" and line["message"].get("method") == "session/prompt"
    ]
    keys = [line["message"]["params"]["idempotencyKey"] for line in prompts]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert len({line["connection"] for line in prompts}) == 2
