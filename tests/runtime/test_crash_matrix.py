"""Clients and agents are killed; no prompt is lost and none is inserted twice."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys

import pytest

import crash_matrix
from acp_retry.stores.postgres import PostgresStore
from proofs import a_few

TRIALS = (("sqlite", 4), ("history", 3), ("forwarding", 3))

pytest_plugins = ("private_postgres",)


def crash(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", crash_matrix.__file__, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)


def kills_in(done: subprocess.CompletedProcess[str]) -> int:
    """The number of kills of a run that found each prompt inserted once."""
    assert done.returncode == 0, done.stdout + done.stderr
    figures = re.search(r"(\d+)  kills in (\d+) trials", done.stdout)
    assert figures is not None
    assert f"{figures[2]}  inserted once" in done.stdout
    return int(figures[1])


@pytest.mark.parametrize("case", a_few(TRIALS, TRIALS[:1], "kills with other stores"), ids=str)
def test_a_few_prompts_are_inserted_once(case: tuple[str, int]) -> None:
    store, trials = case
    assert kills_in(crash("--store", store, "--trials", str(trials))) >= trials // 2


@pytest.mark.bulk
@pytest.mark.prove("kills more than 1,000 processes over each store")
@pytest.mark.parametrize("store", ["sqlite", "history", "forwarding"])
def test_every_prompt_is_inserted_once(store: str) -> None:
    assert kills_in(crash("--store", store)) >= 1_000


@pytest.mark.bulk
@pytest.mark.prove("kills more than 1,000 processes over PostgreSQL")
def test_every_prompt_is_inserted_once_into_postgres(postgres: str) -> None:
    async def create() -> None:
        store = PostgresStore(postgres)
        await store.create()
        await store.close()

    asyncio.run(create())
    options = "--store", "postgres", "--conninfo", postgres
    assert kills_in(crash(*options, "--trials", "1000")) >= 1_000


@pytest.mark.parametrize(("side", "end"), [("agent", "doubled"), ("client", "lost")])
def test_a_broken_side_is_found(side: str, end: str) -> None:
    done = crash("--broken", side, "--trials", "80")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"  {end}\n" in done.stdout
