"""Agents behind `acpgen tap`, as programs and as running processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["ANSWERING", "ECHO", "call", "python", "result", "tap", "tapped"]

ECHO = """
import os
while data := os.read(0, 65536):
    while data:
        data = data[os.write(1, data):]
"""
"""Sends everything back."""

ANSWERING = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = {"sessions": []} if message["method"] == "session/list" else {"messageId": "m1"}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        print(json.dumps(answer), flush=True)
"""
"""Answers every request."""


def python(program: str) -> list[str]:
    """The command of a program in Python."""
    return [sys.executable, "-S", "-c", program]


def tap(agent: Sequence[str], *options: str) -> list[str]:
    """The command of a tap before an agent."""
    return [sys.executable, "-m", "acpgen", "tap", *options, "--", *agent]


@contextmanager
def tapped(
    agent: Sequence[str], *options: str, stderr: int = subprocess.PIPE
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a tap before an agent; its pipes are those of a client."""
    command = tap(agent, *options)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr, bufsize=0) as process:
        try:
            yield process
        finally:
            process.kill()


def call(id_: int, method: str, **params: Any) -> bytes:
    """The line of a request."""
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def result(path: Path) -> list[dict[str, Any]]:
    """The lines of a transcript."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
