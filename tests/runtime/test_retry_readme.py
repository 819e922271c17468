"""The agent and the client that the README shows run as printed, and survive being killed."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

import acp_retry
from acp_v2 import checkers
from agents import Agent, sync

README = Path(acp_retry.__file__).parents[1] / "README.md"
TEXT = README.read_text("utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (\S+) -->\n```python\n(.*?)```", TEXT, re.DOTALL))
((_, SESSION),) = re.findall(r"<!-- example: (session) -->\n```console\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [part.partition("\n")[::2] for part in SESSION.split("$ ")[1:]]
AFTER_THE_KILL = [command for command, _ in COMMANDS].index("python kill.py") + 1
MESSAGE_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
STRICT = ("-W", "error", "-W", "ignore:unclosed database:ResourceWarning")
"""The examples keep their files open until they end, of which Python 3.13 warns."""

CONFORM = (sys.executable, "-m", "acpgen", "conform", "--format", "json")
PROMPT = [{"type": "text", "text": "x"}]
TEE = """
import subprocess, sys, threading

command, pipe = [sys.executable, "real_agent.py"], subprocess.PIPE
log = open("sent.ndjson", "ab", 0)
child = subprocess.Popen(command, stdin=pipe, stdout=pipe)

def pump(source, sink, who):
    for line in iter(source.readline, b""):
        log.write(b'{"from":"%s","message":' % who + line.strip() + b"}\\n")
        sink.write(line)
        sink.flush()
    sink.close()

up = sys.stdin.buffer, child.stdin, b"client"
threading.Thread(target=pump, args=up, daemon=True).start()
pump(child.stdout, sys.stdout.buffer, b"agent")
"""
DYING_STORE = """
import os
import acp_retry

def die(*_):
    os.kill(os.getpid(), 9)

class DyingStore(acp_retry.SqliteStore):
    def __init__(self, path):
        super().__init__(path, also=die if "{moment}" == "in the transaction" else None)

    async def insert(self, message):
        if "{moment}" == "before the transaction":
            die()
        await super().insert(message)
        die()

acp_retry.SqliteStore = DyingStore
"""
"""What kills an agent at a moment of an insertion."""

MOMENTS = ("before the transaction", "in the transaction", "after the transaction")
KILLED_IN_TIME = 10
"""How often the session is tried. On a busy machine the kill may come after the answer."""


def write_examples(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in EXAMPLES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_examples(tmp_path)


def client(folder: Path, text: str) -> list[str]:
    """What the client prints: each prompt with its outcome."""
    done = subprocess.run(
        [sys.executable, *STRICT, "client.py", text],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    return [" ".join(pair) for pair in zip(lines[::2], lines[1::2], strict=True)]


def messages(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "agent.db")) as rows:
        bodies = rows.execute("SELECT body FROM acp_message ORDER BY position").fetchall()
    return [json.loads(body)[0]["text"] for (body,) in bodies]


def test_the_examples_are_short() -> None:
    longest = {"agent.py": 20, "client.py": 10, "kill.py": 6, "counter": 5}
    lengths = {name: len(list(filter(str.strip, t.splitlines()))) for name, t in EXAMPLES.items()}
    assert lengths.keys() == longest.keys()
    assert all(lengths[name] <= longest[name] for name in longest), lengths


@pytest.mark.parametrize(
    "readme", [README, README.parents[2] / "README.md"], ids=["runtime", "whole"]
)
def test_they_are_installed_from_a_clone(readme: Path) -> None:
    """No index has the package."""
    installed = re.findall(r"pip install ([^`\n]+)", readme.read_text("utf-8"))
    assert installed
    for each in installed:
        assert "git+URL_OF_THIS_REPOSITORY" in each or re.fullmatch(
            r"(--editable )?\"?PATH_OF_THE_CLONE(/[\w/-]+)?(\[\w+\])?\"?", each
        )


def test_they_run(folder: Path) -> None:
    for text in ("one", "two"):
        (line,) = client(folder, text)
        assert line.startswith(f"{[{'type': 'text', 'text': text}]} Inserted(message_id='")
    assert messages(folder) == ["one", "two"]


def test_what_they_send_is_valid(folder: Path) -> None:
    (folder / "agent.py").rename(folder / "real_agent.py")
    (folder / "agent.py").write_text(TEE, "utf-8")
    client(folder, "one")
    client(folder, "two")
    sent = [json.loads(line) for line in (folder / "sent.ndjson").read_text("utf-8").splitlines()]
    assert sum(each["from"] == "client" for each in sent) == 6
    assert sum("result" in each["message"] for each in sent) == 6
    judged = [checkers.accepts(each["message"], each["from"]) for each in sent]
    assert judged == [True] * len(sent)


def answers(folder: Path, *messages: dict[str, object]) -> list[dict[str, Any]]:
    """What the agent writes to messages that come at once, with the end of its input."""
    lines = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    done = subprocess.run(
        [sys.executable, *STRICT, "agent.py"],
        cwd=folder,
        env=ENVIRONMENT,
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_agent_answers_all_that_it_has_read(folder: Path) -> None:
    requests = [{"id": n, "method": "initialize"} for n in range(50)]
    new: dict[str, object] = {"id": 50, "method": "session/new", "params": {"cwd": "/"}}
    reported = answers(folder, *requests, new)
    assert sorted(answer["id"] for answer in reported) == list(range(51))
    assert all("result" in answer for answer in reported)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"sessionId": "s"}, -32602),
        ({"sessionId": "s", "prompt": []}, -32602),
        ({"sessionId": "s", "prompt": PROMPT}, -32002),
    ],
)
def test_the_agent_refuses(folder: Path, params: dict[str, object], code: int) -> None:
    prompt = {"id": 4, "method": "session/prompt", "params": params}
    _, answer = answers(folder, {"id": 3, "method": "initialize"}, prompt)
    assert (answer["id"], answer["error"]["code"]) == (4, code)
    with closing(sqlite3.connect(folder / "agent.db")) as rows:
        assert rows.execute("SELECT count(*) FROM acp_message").fetchone() == (0,)


def lose_answer(folder: Path, text: str, moment: str) -> None:
    """Run the client with an agent that is killed at a moment of the insertion."""
    whole = (folder / "agent.py").read_text("utf-8")
    dying = DYING_STORE.replace("{moment}", moment)
    (folder / "agent.py").write_text(dying + whole, "utf-8")
    (line,) = client(folder, text)
    assert "Unknown(" in line
    (folder / "agent.py").write_text(whole, "utf-8")


@pytest.mark.prove("starts four programs; the commands show one kill")
@pytest.mark.parametrize("moment", MOMENTS)
def test_they_survive_an_agent_that_is_killed(folder: Path, moment: str) -> None:
    lose_answer(folder, "one", moment)
    lines = client(folder, "two")
    assert ["Inserted(" in line for line in lines] == [True, True]
    assert messages(folder) == ["one", "two"]


def test_a_lost_session_does_not_stop_others(folder: Path) -> None:
    lose_answer(folder, "one", "in the transaction")
    for path in folder.glob("agent.db*"):
        path.unlink()
    for text in ("two", "three"):
        waiting, inserted = client(folder, text)
        assert waiting.startswith(f"{[{'type': 'text', 'text': 'one'}]} Unknown(")
        assert inserted.startswith(f"{[{'type': 'text', 'text': text}]} Inserted(")
    assert messages(folder) == ["two", "three"]


def printed(folder: Path) -> Iterator[str]:
    """What each command of the session prints."""
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    for command, _ in COMMANDS:
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={**ENVIRONMENT, "PATH": search},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        yield MESSAGE_ID.sub("ID", done.stdout)


def test_the_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    shown = [MESSAGE_ID.sub("ID", output) for _, output in COMMANDS]
    for attempt in range(KILLED_IN_TIME):
        found = [*printed(write_examples(tmp_path / str(attempt)))]
        answered_before_the_kill = [*shown]
        answered_before_the_kill[AFTER_THE_KILL] = ""
        if found != answered_before_the_kill:
            break
    assert found == shown


def conform(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CONFORM, *options, "--", sys.executable, "agent.py"],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.prove("starts the agent for each trace; the commands show the same")
def test_the_agent_passes_two_traces_of_the_kit(folder: Path) -> None:
    done = conform(folder, "--trace", "retry-answer", "--trace", "retry-after-restart")
    assert json.loads(done.stdout)["summary"]["fail"] == 0


@pytest.mark.prove("plays all traces")
def test_the_agent_passes_the_kit(folder: Path) -> None:
    done = conform(folder)
    table = TEXT[TEXT.index("| Not exercised |") : TEXT.index("## A client in 10 lines")]
    words = re.findall("`([a-z]+(?:-[a-z]+)+)`", table)
    requirements = json.loads(done.stdout)["requirements"]
    assert [each for each in requirements if each["status"] == "fail"] == []
    judged = {each["id"]: each["status"] for each in requirements}
    assert sorted(words) == sorted(id_ for id_, what in judged.items() if what == "not exercised")
    assert done.returncode == 0


@sync
async def test_the_counter_for_prometheus_in_the_readme() -> None:
    names: dict[str, Any] = {}
    exec(EXAMPLES["counter"], names)
    client = Agent(on_event=names["count"]).connect()
    await client.ask().answer()
    await client.ask().answer()
    await client.ask().answer()
    counted = {
        sample.labels["change"]: sample.value
        for metric in REGISTRY.collect()
        for sample in metric.samples
        if sample.name == "acp_prompt_events_total"
    }
    assert counted == {"new": 1, "deduplicated": 2}
