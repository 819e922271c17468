"""The transcript that a tap records."""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from acpgen.tap.framing import Framer, Piece
from acpgen.tap.record_file import RecordError, RecordFile
from proofs import amount, scaled
from tapped import ANSWERING, ECHO, call, python, result, tap, tapped
from waiting import held_open, until

KEY = "5d0c7b52-3f1e-4a77"


def prompt(id_: int, key: str = KEY) -> bytes:
    text = [{"type": "text", "text": "Hello"}]
    return call(id_, "session/prompt", sessionId="s", prompt=text, idempotencyKey=key)


def recorded(
    file: Path, *lines: bytes, agent: str = ANSWERING, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[bytes]:
    """Send lines through a tap that records to a file."""
    command = tap(python(agent), "--record", str(file), *options)
    return subprocess.run(command, input=b"".join(lines), capture_output=True, check=False)


def messages(file: Path, sender: str) -> list[Any]:
    return [line["message"] for line in result(file) if line["from"] == sender]


def acpgen(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "acpgen", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_messages_of_both_sides_are_recorded_with_time_and_connection(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    done = recorded(file, call(1, "session/list"), call(2, "session/list"))
    assert (done.returncode, done.stderr) == (0, b"")
    lines = result(file)
    assert len(lines) == 4
    assert len({line["connection"] for line in lines}) == 1
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines)
    assert messages(file, "client")[0]["method"] == "session/list"
    assert messages(file, "agent")[1]["id"] == 2


def test_a_transcript_is_what_validate_and_trace_read(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    recorded(file, call(1, "session/list"), prompt(2))
    assert acpgen("validate", str(file)).stderr == "4 messages: 4 accepted, 0 refused\n"
    assert acpgen("trace", str(file)).returncode == 0


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    recorded(file, call(1, "session/list"))
    assert file.stat().st_mode & 0o777 == 0o600
    assert Path(f"{file}.secret").stat().st_mode & 0o777 == 0o600


def test_retries_are_seen_in_a_second_run_without_the_key(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    for run in (1, 2):
        recorded(file, prompt(run), options=("--lose", f"answer:session/prompt:{run}"))
    assert KEY not in file.read_text("utf-8")
    sent = [message["params"]["idempotencyKey"] for message in messages(file, "client")]
    assert len(sent) == 2
    assert len(set(sent)) == 1
    assert len({line["connection"] for line in result(file)}) == 2


def test_another_file_has_other_hashes(tmp_path: Path) -> None:
    found = set()
    for name in ("a", "b"):
        recorded(tmp_path / name, prompt(1))
        found.add(messages(tmp_path / name, "client")[0]["params"]["idempotencyKey"])
    assert len(found) == 2


def test_keys_are_recorded_if_asked(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    recorded(file, prompt(1), options=("--show-keys",))
    assert messages(file, "client")[0]["params"]["idempotencyKey"] == KEY


def test_what_is_not_json_is_reported_and_not_recorded(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    done = recorded(file, b"Listening\n", b"\n", b"\xff\n", call(1, "session/list"), agent=ECHO)
    assert done.stdout == b"Listening\n\n\xff\n" + call(1, "session/list")
    assert done.stderr.decode().splitlines() == [
        "acpgen: line 1 of the client is not JSON: passed on, not recorded",
        "acpgen: line 1 of the agent is not JSON: passed on, not recorded",
        "acpgen: 2 lines of the client are not recorded",
        "acpgen: 2 lines of the agent are not recorded",
    ]
    lines = result(file)
    assert [line["other"] for line in lines if "other" in line] == [
        {"from": "client", "bytes": 10},
        {"from": "client", "bytes": 2},
        {"from": "agent", "bytes": 10},
        {"from": "agent", "bytes": 2},
    ]
    judged = subprocess.run(
        [sys.executable, "-m", "acpgen", "validate", str(file)],
        capture_output=True,
        check=False,
    )
    assert b"2 messages, 4 lines of other output passed over" in judged.stderr
    assert len(lines) == 6


def test_a_transcript_that_starts_with_other_output_grows(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    recorded(file, b"Listening\n", agent=ECHO)
    recorded(file, call(1, "session/list"), agent=ECHO)
    assert len(result(file)) == 4


def test_a_message_without_an_end_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    recorded(file, call(1, "session/list").rstrip(), agent=ECHO)
    assert len(result(file)) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a\nb\n", "is not a transcript: name a new file"),
        (b'{"jsonrpc":"2.0"}\n', "is not a transcript: name a new file"),
        (b'{"from":"client","mess', "its last line has no end, so no line can be added"),
    ],
)
def test_another_file_is_left_alone(content: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    done = recorded(file, call(1, "session/list"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"acpgen: {file}: {reason}\n"
    assert file.read_bytes() == content


def test_a_secret_that_is_none_is_reported(tmp_path: Path) -> None:
    (tmp_path / "t.secret").write_text("hunter2")
    with pytest.raises(RecordError, match="is not the secret of a transcript"):
        RecordFile(str(tmp_path / "t"))
    assert [path.name for path in tmp_path.iterdir() if path.name != "t"] == ["t.secret"]


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    done = recorded(tmp_path / "no" / "t.ndjson")
    assert done.returncode == 2
    assert b"No such file or directory" in done.stderr


def test_a_full_disk_ends_the_recording_and_not_the_connection(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    command = tap(python(ECHO), "--record", str(file))
    lines = b"".join(call(n, "session/list", cursor="x" * 900) for n in range(10))
    done = subprocess.run(
        command,
        input=lines,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )
    assert (done.returncode, done.stdout) == (0, lines)
    assert done.stderr.count(b"nothing more is recorded") == 1
    assert 0 < len(result(file)) < 10


def test_two_taps_record_to_one_file(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    with (
        tapped(python(ECHO), "--record", str(file)) as one,
        tapped(python(ECHO), "--record", str(file)) as other,
    ):
        for process in (one, other):
            assert process.stdin is not None
            for number in range(50):
                process.stdin.write(call(number, "session/list", cursor="x" * 5000))
        for process in (one, other):
            process.communicate()
    assert len(result(file)) == 200
    assert len({line["connection"] for line in result(file)}) == 2


FLOOD = b"".join(call(n, "session/list", cursor="x" * (n * 97 % 20_000)) for n in range(200))


@scaled("1,000 runs that are killed take some minutes")
def test_a_kill_never_leaves_a_torn_line(tmp_path: Path) -> None:
    chance = random.Random(20)
    file = tmp_path / "t.ndjson"
    lines = 0
    for number in range(amount(15, 1_000)):
        if number % 50 == 0:
            file.unlink(missing_ok=True)
        with tapped(python(ECHO), "--record", str(file), stderr=subprocess.DEVNULL) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            os.set_blocking(process.stdin.fileno(), False)
            process.stdin.write(FLOOD)
            process.stdout.read(1)
            time.sleep(chance.random() * 0.02)
            process.kill()
        until(lambda: not held_open(file))  # the recorder survives the tap
        text = file.read_bytes()
        assert text.endswith(b"\n") or not text
        for line in text.splitlines():
            read = json.loads(line)
            assert "other" in read or read["message"]["method"] == "session/list"
        lines = max(lines, text.count(b"\n"))
    assert lines > 100


def test_lines_are_framed_in_bounded_memory() -> None:
    chance = random.Random(3)
    lines = [b"x" * chance.choice((0, 1, 9, 10, 11, 50)) + b"\n" for _ in range(300)]
    text = b"".join(lines) + b"rest"
    framer, start = Framer(longest=10), 0
    pieces: list[Piece] = []
    while start < len(text):
        end = start + chance.randrange(1, 30)
        pieces += framer.feed(text[start:end])
        start = end
    assert b"".join(piece.data for piece in pieces) + framer.rest() == text
    assert [p.data for p in pieces if p.whole] == [line for line in lines if len(line) <= 10]


def test_a_line_that_was_written_in_part_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = RecordFile(str(tmp_path / "t"))
    file.write(b"whole\n")
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:3]))
    with pytest.raises(OSError, match="No space") as caught:
        file.write(b"torn\n")
    assert caught.value.errno == errno.ENOSPC
    assert (tmp_path / "t").read_bytes() == b"whole\n"
