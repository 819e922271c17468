"""Lost and late answers, cut connections and killed agents, on purpose."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from acpgen.tap.disruptions import DisruptionError, read_disruptions
from tapped import ANSWERING, call, python, result, tap, tapped

CALLS = b"".join(
    call(n, "session/prompt" if n % 2 else "session/list", sessionId="s", prompt=[])
    for n in range(1, 5)
)


LASTING = f"{ANSWERING}\nimport time; time.sleep(60)"
"""Ends only when it is killed."""


def disturbed(*options: str, agent: str = ANSWERING) -> subprocess.CompletedProcess[bytes]:
    """Send four requests, two of each method, through a tap."""
    command = tap(python(agent), *options)
    return subprocess.run(command, input=CALLS, capture_output=True, check=False)


def answered(done: subprocess.CompletedProcess[bytes]) -> list[Any]:
    return [json.loads(line)["id"] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("target", "left"),
    [
        ("answer:session/prompt", [2, 3, 4]),
        ("answer:session/prompt:2", [1, 2, 4]),
        ("answer:session/list:1", [1, 3, 4]),
        ("request:session/prompt:2", [1, 2, 4]),
    ],
)
def test_a_message_is_lost(target: str, left: list[int]) -> None:
    done = disturbed("--lose", target)
    assert answered(done) == left
    kind, method, *number = target.split(":")
    name = f"{kind} {number[0] if number else 1} of {method}"
    assert done.stderr.decode() == f"acpgen: lost {name}\n"
    assert done.returncode == 0


def test_a_transcript_has_what_the_client_sent_and_got(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    disturbed("--record", str(file), "--lose", "answer:session/prompt")
    disturbed("--record", str(file), "--lose", "request:session/prompt")
    for connection in {line["connection"] for line in result(file)}:
        lines = [line for line in result(file) if line["connection"] == connection]
        sides = {"client": list[int](), "agent": list[int]()}
        for line in lines:
            sides[line["from"]].append(line["message"]["id"])
        assert sides == {"client": [1, 2, 3, 4], "agent": [2, 3, 4]}


def test_a_delay_holds_what_follows_too_and_keeps_the_order() -> None:
    start = time.monotonic()
    done = disturbed("--delay", "answer:session/list=0.6")
    assert time.monotonic() - start >= 0.6
    assert answered(done) == [1, 2, 3, 4]
    assert done.stderr == b"acpgen: delayed answer 1 of session/list\n"


def test_other_direction_passes_during_a_delay() -> None:
    with tapped(python(ANSWERING), "--delay", "request:session/list=30") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(CALLS)
        assert json.loads(process.stdout.readline())["id"] == 1


@pytest.mark.parametrize(("when", "left"), [("after", [1]), ("before", [])])
def test_a_connection_is_cut(when: str, left: list[int]) -> None:
    done = disturbed("--cut", f"{when}:answer:session/prompt")
    assert answered(done) == left
    line = f"acpgen: cut the connection {when} answer 1 of session/prompt\n"
    assert done.stderr.decode().startswith(line)


@pytest.mark.parametrize(("when", "left"), [("after", [1]), ("before", [])])
def test_the_agent_is_killed(when: str, left: list[int]) -> None:
    done = disturbed("--kill", f"agent:{when}:answer:session/prompt", agent=LASTING)
    assert done.returncode == -signal.SIGKILL
    assert answered(done) == left


def test_an_agent_is_killed_before_it_gets_a_request() -> None:
    done = disturbed("--kill", "agent:before:request:session/prompt:2", agent=LASTING)
    assert done.returncode == -signal.SIGKILL
    assert 3 not in answered(done)


def test_a_message_that_does_not_come_is_reported() -> None:
    done = disturbed("--lose", "answer:session/prompt:9")
    assert answered(done) == [1, 2, 3, 4]
    reason = b"acpgen: answer 9 of session/prompt did not come: not lost\n"
    assert done.stderr == reason


@pytest.mark.parametrize(
    "option",
    [
        ("lose", "session/prompt"),
        ("lose", "answer"),
        ("lose", "answer:"),
        ("lose", "answer:session/prompt:0"),
        ("lose", "answer:session/prompt:x"),
        ("lose", "answer:session/prompt:1:2"),
        ("delay", "answer:session/prompt"),
        ("delay", "answer:session/prompt=-1"),
        ("delay", "answer:session/prompt=nan"),
        ("delay", "answer:session/prompt=soon"),
        ("cut", "answer:session/prompt"),
        ("cut", "during:answer:session/prompt"),
        ("kill", "after:answer:session/prompt"),
        ("kill", "agent:answer:session/prompt"),
    ],
    ids=":".join,
)
def test_what_names_no_message_is_refused(option: tuple[str, str]) -> None:
    values: dict[str, list[str]] = {name: [] for name in ("lose", "delay", "cut", "kill")}
    values[option[0]] = [option[1]]
    with pytest.raises(DisruptionError):
        read_disruptions(**values)


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--lose", "answer:session/promt"), "did you mean session/prompt?"),
        (("--delay", "answer:session/lst=1"), "did you mean session/list?"),
        (("--cut", "after:request:session/lod"), "did you mean session/load?"),
        (("--kill", "agent:before:request:nonsense"), "`acpgen methods` lists all"),
    ],
    ids=" ".join,
)
def test_an_unknown_method_is_refused_at_once(
    options: tuple[str, str], hint: str, tmp_path: Path
) -> None:
    file = tmp_path / "started"
    done = subprocess.run(tap(["touch", str(file)], *options), capture_output=True, check=False)
    method = options[1].partition("=")[0].rpartition(":")[2]
    reason = f"acpgen: {method!r} is not a method of ACP; {hint}\n"
    assert (done.returncode, done.stderr.decode()) == (2, reason)
    assert not file.exists()


@pytest.mark.parametrize("method", ["_vendor/do", "session/load", "session/set_model"])
def test_methods_of_extensions_and_of_v1_can_be_named(method: str) -> None:
    done = disturbed("--lose", f"answer:{method}")
    assert done.stderr.decode() == f"acpgen: answer 1 of {method} did not come: not lost\n"
    assert done.returncode == 0


def test_a_refused_option_starts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "started"
    command = tap(["touch", str(file)], "--lose", "answer")
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"'answer' is not a message" in done.stderr
    assert not file.exists()
