"""Two processes race for each key. The database decides, and both return one messageId."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from uuid import uuid4

import pytest

import race_node
from acp_retry.stores.postgres import PostgresStore
from proofs import amount, scaled

pytest_plugins = ("private_postgres",)
ROUNDS = amount(500, 10_000)


@pytest.mark.bulk
@scaled("races for 10,000 keys")
def test_one_of_two_processes_inserts(postgres: str) -> None:
    session_id = uuid4().hex
    asyncio.run(create(postgres))
    command = [sys.executable, race_node.__file__, postgres, session_id, str(ROUNDS)]
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, stdin=pipe, stdout=pipe) as one,
        subprocess.Popen(command, stdin=pipe, stdout=pipe) as other,
    ):
        first, second = race(one, other)
    assert first.reported == second.reported
    assert first.new + second.new == ROUNDS
    assert min(first.new, second.new) > 0, "one node won every round"
    raced = first.handled + second.handled - ROUNDS
    assert raced > ROUNDS / 100, "the nodes hardly ever met"
    assert asyncio.run(stored(postgres, session_id)) == first.reported


@dataclass(frozen=True)
class Result:
    """What a node reports: every messageId, how many it inserted, and how many it tried to."""

    reported: list[str]
    new: int
    handled: int


def race(*nodes: subprocess.Popen[bytes]) -> list[Result]:
    """Start every round on both nodes together, and return their reports."""
    for _ in range(ROUNDS):
        for node in nodes:
            assert node.stdout is not None
            assert os.read(node.stdout.fileno(), 1) == b"."
        for node in nodes:
            assert node.stdin is not None
            os.write(node.stdin.fileno(), b".")
    return [Result(**json.loads(node.communicate()[0])) for node in nodes]


async def create(conninfo: str) -> None:
    store = PostgresStore(conninfo)
    await store.create()
    await store.close()


async def stored(conninfo: str, session_id: str) -> list[str]:
    store = PostgresStore(conninfo)
    messages = await store.messages(session_id)
    await store.close()
    return [message_id for message_id, _ in messages]
