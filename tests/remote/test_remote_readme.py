"""The client of the README, with an address in place of a program, against the SDKs' servers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import acp_retry
from proofs import a_few
from remote_servers import SDKS, LoopbackAgent, served
from waiting import HANGS

README = (Path(acp_retry.__file__).parents[1] / "README.md").read_text("utf-8")
((CLIENT),) = re.findall(r"<!-- example: client.py -->\n```python\n(.*?)```", README, re.DOTALL)
((KILL),) = re.findall(r"<!-- example: kill.py -->\n```python\n(.*?)```", README, re.DOTALL)
PROGRAM = 'Stdio(sys.executable, "agent.py")'
CASES = [(sdk, scheme) for sdk in SDKS for scheme in ("http", "ws")]


def run(folder: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        (sys.executable, *command),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def all_texts(agent: LoopbackAgent) -> list[str]:
    """The texts of all messages of the agent, in the order of its sessions."""
    listed = asyncio.run_coroutine_threadsafe(agent.store.sessions(), agent.loop).result(HANGS)
    bodies = [body for name in listed for body in agent.texts(name)]
    return [json.loads(body)[0]["text"] for body in bodies]


@pytest.mark.parametrize(
    "case", a_few(CASES, CASES[:1], "each case starts a server and four clients")
)
def test_the_client_of_the_readme_reaches_an_address(case: tuple[str, str], tmp_path: Path) -> None:
    sdk, scheme = case
    assert PROGRAM in CLIENT
    with served(sdk) as (agent, server):
        remote = f'Remote("{scheme}://127.0.0.1:{server.port}/acp")'
        text = CLIENT.replace(PROGRAM, remote).replace("Stdio", "Remote")
        (tmp_path / "client.py").write_text(text)
        (tmp_path / "kill.py").write_text(KILL)
        assert "Inserted(message_id='" in run(tmp_path, "client.py", "Fix the parser")
        run(tmp_path, "kill.py")
        assert "Inserted(message_id='" in run(tmp_path, "client.py")
        assert run(tmp_path, "client.py") == ""
        assert all_texts(agent) == ["Fix the parser", "Deploy the parser"]
