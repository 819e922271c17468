"""Clients, servers and agents are killed at random moments, over both remote transports."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import remote_victims
from proofs import a_few
from remote_servers import SDKS, sdk_server
from waiting import HANGS, until

CASES = [(sdk, scheme) for sdk in SDKS for scheme in ("http", "ws")]
KILLS = 60
PROVE = "kills 60 processes over each transport and server"
LONGEST_LIFE = 0.4
"""Seconds within which something is killed at random."""


class Victim:
    """A process that is started again and again."""

    def __init__(self, *arguments: str) -> None:
        path = os.pathsep.join(filter(None, [*sys.path, str(Path(remote_victims.__file__).parent)]))
        self.environment = {**os.environ, "PYTHONPATH": path}
        self.command = [sys.executable, remote_victims.__file__, *arguments]
        self.lines: list[str] = []
        self.start()

    def start(self) -> None:
        """Start it, and wait for its first line."""
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        assert self.process.stdout is not None
        self.first = self.process.stdout.readline().strip()
        self.reader = threading.Thread(target=self.read, args=[self.process.stdout])
        self.reader.start()

    def read(self, output: object) -> None:
        for line in output:  # type: ignore[attr-defined]
            if line.endswith("\n"):
                self.lines.append(line.strip())

    @property
    def stored(self) -> set[str]:
        """The prompts that a client has stored."""
        return {line for line in [*self.lines] if line.startswith("prompt")}

    def end(self, *, kill: bool = True) -> int:
        """Wait for its end, after a kill or by itself."""
        if kill:
            self.process.kill()
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(HANGS)
        self.reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def texts(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "agent.db")) as rows:
        bodies = rows.execute("SELECT body FROM acp_message").fetchall()
    return [json.loads(body)[0]["text"] for (body,) in bodies]


@pytest.mark.parametrize("case", a_few(CASES, (), PROVE, bulk=True))
def test_every_prompt_survives_the_kills(case: tuple[str, str], tmp_path: Path) -> None:
    sdk, scheme = case
    chance = random.Random(3)
    agent = Victim("agent", str(tmp_path), "0")
    port = agent.first
    agent.command[-1] = port
    with sdk_server(sdk, int(port)) as server:
        url = f"{scheme}://127.0.0.1:{server.port}/acp"
        client = Victim("client", str(tmp_path), url, "1000000")
        killed: Counter[str] = Counter()
        for number in range(KILLS):
            # On a slow machine little happens in a time, and as many prompts as kills in a longer.
            until(lambda: len(client.stored) >= number)  # noqa: B023 (called at once)
            time.sleep(chance.uniform(0.0, LONGEST_LIFE))
            who = chance.choice(("agent", "server", "client"))
            killed[who] += 1
            if who == "server":
                server.kill()
                server.start()
            else:
                victim = agent if who == "agent" else client
                victim.end()
                victim.start()
        until(lambda: len(client.stored) >= KILLS)
        client.end()
        client.command[-1] = "0"  # only what is left
        client.start()
        assert client.end(kill=False) == 0
        assert client.lines[-1] == "done"
    agent.end()
    inserted = Counter(texts(tmp_path))
    assert [text for text, times in inserted.items() if times > 1] == []
    assert client.stored - inserted.keys() == set()
    assert len(killed) == 3
