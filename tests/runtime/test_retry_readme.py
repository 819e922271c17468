"""The agent and the client that the README shows run as printed, and survive being killed."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import acp_retry
from acp_v2 import checkers

README = Path(acp_retry.__file__).parents[1] / "README.md"
TEXT = README.read_text("utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (\S+) -->\n```python\n(.*?)```", TEXT, re.DOTALL))
((_, SESSION),) = re.findall(r"<!-- example: (session) -->\n```console\n(.*?)```", TEXT, re.DOTALL)
MESSAGE_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
STRICT = ("-W", "error", "-W", "ignore:unclosed database:ResourceWarning")
"""The examples keep their files open until they end, of which Python 3.13 warns."""

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
KILLS = {
    "before the transaction": "def _insert(self, rows, message):\n    os.kill(os.getpid(), 9)",
    "in the transaction": (
        "def _insert(self, rows, message, _real=SqliteStore._insert):\n"
        "    _real(self, rows, message)\n    os.kill(os.getpid(), 9)"
    ),
    "after the transaction": (
        "async def insert(self, message, _real=SqliteStore.insert):\n"
        "    await _real(self, message)\n    os.kill(os.getpid(), 9)\n\n"
        "_insert = SqliteStore._insert\nSqliteStore.insert = insert"
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in EXAMPLES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def client(folder: Path, text: str) -> list[str]:
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
    return done.stdout.splitlines()


def messages(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "agent.db")) as rows:
        bodies = rows.execute("SELECT body FROM acp_message ORDER BY position").fetchall()
    return [json.loads(body)[0]["text"] for (body,) in bodies]


def test_the_examples_are_short() -> None:
    assert set(EXAMPLES) == {"agent.py", "client.py", "kill.py"}
    for text in EXAMPLES.values():
        assert len([line for line in text.splitlines() if line.strip()]) <= 20


@pytest.mark.parametrize(
    "readme", [README, README.parents[2] / "README.md"], ids=["runtime", "whole"]
)
def test_they_are_installed_from_a_clone(readme: Path) -> None:
    """No index has the package."""
    installed = re.findall(r"pip install ([^`\n]+)", readme.read_text("utf-8"))
    assert installed
    for each in installed:
        assert "git+URL_OF_THIS_REPOSITORY" in each or re.fullmatch(
            r"PATH_OF_THE_CLONE(\[\w+\])?", each
        )


def test_they_run(folder: Path) -> None:
    for text in ("one", "two"):
        submitted, line = client(folder, text)
        assert submitted == "submitted"
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
    told = answers(folder, *requests, new)
    assert sorted(answer["id"] for answer in told) == list(range(51))
    assert all("result" in answer for answer in told)


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
    assert not (folder / "agent.db").exists()


def lose_answer(folder: Path, text: str, moment: str) -> None:
    """A run of the client whose agent is killed at a moment of the insertion."""
    whole = (folder / "agent.py").read_text("utf-8")
    fault = f"import os\nfrom acp_retry import SqliteStore\n{KILLS[moment]}\n"
    (folder / "agent.py").write_text(f"{fault}SqliteStore._insert = _insert\n{whole}", "utf-8")
    _, line = client(folder, text)
    assert "Unknown(" in line
    (folder / "agent.py").write_text(whole, "utf-8")


@pytest.mark.parametrize("moment", KILLS)
def test_they_survive_an_agent_that_is_killed(folder: Path, moment: str) -> None:
    lose_answer(folder, "one", moment)
    _, *lines = client(folder, "two")
    assert ["Inserted(" in line for line in lines] == [True, True]
    assert messages(folder) == ["one", "two"]


def test_a_session_that_is_gone_stops_no_other(folder: Path) -> None:
    lose_answer(folder, "one", "in the transaction")
    for path in folder.glob("agent.db*"):
        path.unlink()
    for text in ("two", "three"):
        _, waiting, inserted = client(folder, text)
        assert waiting.startswith(f"{[{'type': 'text', 'text': 'one'}]} Unknown(")
        assert inserted.startswith(f"{[{'type': 'text', 'text': text}]} Inserted(")
    assert messages(folder) == ["two", "three"]


def test_what_the_readme_shows_is_what_one_sees(folder: Path) -> None:
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    for part in SESSION.split("$ ")[1:]:
        command, _, shown = part.partition("\n")
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
        assert MESSAGE_ID.sub("ID", done.stdout) == MESSAGE_ID.sub("ID", shown)


def test_the_kit_finds_no_fault_with_the_agent(folder: Path) -> None:
    command = [sys.executable, "-m", "acpgen", "conform", "--format", "json"]
    done = subprocess.run(
        [*command, "--", sys.executable, "agent.py"],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    table = TEXT[TEXT.index("| Not exercised |") : TEXT.index("## A client in 20 lines")]
    said = re.findall("`([a-z]+(?:-[a-z]+)+)`", table)
    requirements = json.loads(done.stdout)["requirements"]
    assert [each for each in requirements if each["status"] == "fail"] == []
    judged = {each["id"]: each["status"] for each in requirements}
    assert sorted(said) == sorted(id_ for id_, what in judged.items() if what == "not exercised")
    assert done.returncode == 0
