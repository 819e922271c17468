"""Connections to PostgreSQL: none is left open when work with it fails or is cancelled."""

from __future__ import annotations

import asyncio
import gc
import time

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from acp_retry.stores.postgres_pool import Connection, PostgresPool
from agents import sync

pytest_plugins = ("private_postgres",)

OPEN = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
NAME = "pool of a test"
DEADLINE = 60.0
MOMENTS = 25
"""Moments at which a call is cancelled."""


async def require_nothing(_: Connection) -> None:
    pass


def pool(conninfo: str, statement_timeout: float = 30.0) -> PostgresPool:
    return PostgresPool(
        make_conninfo(conninfo, application_name=NAME),
        require_nothing,
        size=2,
        connect_timeout=30.0,
        statement_timeout=statement_timeout,
        patience=30.0,
    )


async def left_open(conninfo: str) -> int:
    """The number of connections that a test has left open; the server needs a moment to end one.

    psycopg itself leaves those to the collector that it was opening when it was cancelled. Another
    one that is collected while it is open is a ResourceWarning, and so a failure.
    """
    gc.collect()
    deadline = time.monotonic() + DEADLINE
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as rows:
        while True:
            found = await (await rows.execute(OPEN, (NAME,))).fetchone()
            assert found is not None
            if found[0] == 0 or time.monotonic() > deadline:
                return int(found[0])
            await asyncio.sleep(0.05)


@sync
async def test_a_connection_that_can_not_be_set_up_is_closed(postgres: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        await pool(postgres, statement_timeout=1e12).connect()
    del caught
    assert await left_open(postgres) == 0


@sync
async def test_a_call_that_is_cancelled_leaves_no_connection_open(postgres: str) -> None:
    started = time.monotonic()
    await (await pool(postgres).connect()).close()
    lasts = time.monotonic() - started
    for moment in range(MOMENTS):
        task = asyncio.create_task(pool(postgres).connect())
        await asyncio.sleep(lasts * moment / MOMENTS)
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            await task.result().close()
        del task
    assert await left_open(postgres) == 0


@sync
async def test_a_pool_whose_opening_is_cancelled_leaves_no_connection_open(postgres: str) -> None:
    started = time.monotonic()
    first = pool(postgres)
    await first.open()
    lasts = time.monotonic() - started
    await first.close()
    for moment in range(MOMENTS):
        some = pool(postgres)
        task = asyncio.create_task(some.open())
        await asyncio.sleep(lasts * moment / MOMENTS)
        task.cancel()
        await asyncio.wait([task])
        await some.close()
        del some, task
    assert await left_open(postgres) == 0
