"""A store in PostgreSQL: its layouts, and what happens when the server goes away."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import uuid4

import psycopg
import pytest

from acp_retry import Found, KeyLedger, Message, RequestFailedError, Submission, UnusableStoreError
from acp_retry.stores.postgres import FORGET, IDLE, NAMES, PostgresStore
from acp_retry.stores.postgres_pool import Connection
from agents import insert, prompt_params, sync
from private_postgres import opened
from proofs import amount, scaled
from session_agents import Agent, open_session, resume

pytest_plugins = ("private_postgres",)
PROMPTS = amount(300, 10_000)
AT_ONCE = 50
BREAK = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
)


def break_connections(conninfo: str) -> None:
    with psycopg.connect(conninfo) as other:
        other.execute(BREAK)


FILL = """
INSERT INTO acp_message (session_id, record, body, created_at)
SELECT convert_to('session ' || n % 500, 'UTF8'), gen_random_uuid(), '', to_timestamp(n)
FROM generate_series(1, 20000) AS n;
INSERT INTO acp_session (session_id, cwd, used_at)
SELECT convert_to('session ' || n, 'UTF8'), '/', to_timestamp(n) FROM generate_series(1, 5000) AS n;
ANALYZE acp_message, acp_session;
"""


@sync
async def test_pruning_reads_no_table_from_end_to_end(postgres_schema: str) -> None:
    async with opened(PostgresStore(postgres_schema)) as store:
        with psycopg.connect(postgres_schema) as rows:
            rows.execute(FILL)
            hashes = [hashlib.sha256(f"session {n}".encode()).digest() for n in range(100)]
            time = datetime.fromtimestamp(15_000, UTC)
            asked: list[tuple[str, tuple[object, ...]]] = [
                *((names, (b"", 100)) for names in NAMES),
                (IDLE, (hashes, time, time)),
                *((delete, (hashes[:5],)) for delete in FORGET),
            ]
            for query, values in asked:
                plan = rows.execute(b"EXPLAIN " + query.encode(), values).fetchall()
                text = "\n".join(line for (line,) in plan)
                assert "Seq Scan on acp_" not in text, text
                assert "Index" in text
        assert await store.prune(timedelta(0)) == 5001


@sync
async def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    store = PostgresStore("host=/nowhere dbname=agent user=me password=secret")
    with pytest.raises(UnusableStoreError, match=r"host=/nowhere dbname=agent user=me") as caught:
        await store.create()
    assert "start the server" in str(caught.value)
    assert "secret" not in str(caught.value)
    await store.close()


@sync
async def test_a_look_up_on_stale_connections_is_done_again(postgres: str) -> None:
    async with opened(PostgresStore(postgres, connections=4)) as store:
        message = Message(uuid4().hex, uuid4(), b"")
        looking = (store.find(message.session_id, message.record) for _ in range(20))
        await asyncio.gather(*looking)
        await store.insert(message)
        break_connections(postgres)
        again = (store.find(message.session_id, message.record) for _ in range(20))
        assert None not in await asyncio.gather(*again)


@sync
async def test_an_insertion_on_a_stale_connection_is_done_again(postgres: str) -> None:
    async with opened(PostgresStore(postgres)) as store:
        await store.sessions()
        break_connections(postgres)
        message = Message(uuid4().hex, uuid4(), b"", writer=b"w" * 16)
        assert (await store.insert(message))[1]
        break_connections(postgres)
        assert await store.find(message.session_id, message.record) is not None
        assert len(await store.messages(message.session_id)) == 1


class LosesTheFirstReport(PostgresStore):
    """Its first insertion is committed, and the connection breaks before the server reports it."""

    reports = 0

    async def _insert(self, rows: Connection, message: Message) -> tuple[Found, bool]:
        done = await super()._insert(rows, message)
        self.reports += 1
        if self.reports == 1:
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return done


@sync
async def test_an_insertion_whose_commit_was_not_reported_is_the_writers_own(
    postgres: str,
) -> None:
    async with opened(LosesTheFirstReport(postgres)) as store:
        message = Message(uuid4().hex, uuid4(), b"", writer=b"w" * 16)
        assert (await store.insert(message))[1]
        assert len(await store.messages(message.session_id)) == 1


@sync
async def test_a_message_of_another_writer_is_not_new_after_a_lost_connection(
    postgres: str,
) -> None:
    async with opened(PostgresStore(postgres)) as other:
        message = Message(uuid4().hex, uuid4(), b"", writer=b"o" * 16)
        await other.insert(message)
    async with opened(LosesTheFirstReport(postgres)) as store:
        found, new = await store.insert(replace(message, writer=b"w" * 16))
        assert (found.writer, new) == (b"o" * 16, False)


@sync
async def test_a_message_without_a_writer_is_not_inserted_again(postgres: str) -> None:
    """After a lost connection nothing shows whose the message is."""

    async def also(rows: Connection, message: Message) -> None:
        del message
        with psycopg.connect(postgres) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (rows.info.backend_pid,))
        await rows.execute("SELECT 1")

    async with opened(PostgresStore(postgres, also=also)) as store:
        with pytest.raises(psycopg.OperationalError):
            await store.insert(Message(uuid4().hex, uuid4(), b""))


@sync
async def test_a_statement_that_takes_too_long_is_given_up(postgres: str) -> None:
    async def also(rows: Connection, message: Message) -> None:
        del message
        await rows.execute("SELECT pg_sleep(600)")

    async with opened(PostgresStore(postgres, also=also, statement_timeout=1.0)) as store:
        ledger = KeyLedger(store, insert)
        with pytest.raises(RequestFailedError, match="-32603"):
            await ledger.prompt("c", 1, prompt_params(session="s" + uuid4().hex))
        await ledger.stop()


@sync
async def test_a_prompt_is_refused_while_the_server_stays_away() -> None:
    store = PostgresStore("host=/nowhere dbname=agent", patience=0.0)
    ledger = KeyLedger(store, insert)
    with pytest.raises(RequestFailedError, match="-32603"):
        await ledger.prompt("c", 1, prompt_params())
    await ledger.stop()
    await store.close()


@pytest.mark.bulk
@scaled("10,000 prompts while the server restarts")
def test_a_restart_of_the_server_refuses_no_prompt(
    postgres: str, restart_postgres: Callable[[], None]
) -> None:
    asyncio.run(prompt_through_a_restart(postgres, restart_postgres))


async def prompt_through_a_restart(conninfo: str, restart: Callable[[], None]) -> None:
    session_id, new = uuid4().hex, list[bool]()
    async with opened(PostgresStore(conninfo, patience=120.0)) as store:

        async def work(submission: Submission) -> None:
            new.append((await submission.insert()).new)

        ledger, numbers, reported = KeyLedger(store, work), count(), set[str]()
        over = asyncio.Event()

        async def ask() -> None:
            """Prompt until there were enough, and the restart is over."""
            while len(reported) < PROMPTS or not over.is_set():
                number = next(numbers)
                answer = await ledger.prompt(
                    "c", number, prompt_params(f"key {number}", session_id)
                )
                reported.add(answer["messageId"])

        asking = [asyncio.create_task(ask()) for _ in range(AT_ONCE)]
        while len(reported) < PROMPTS // 3:
            await asyncio.sleep(0.001)
        await asyncio.to_thread(restart)
        over.set()
        await asyncio.gather(*asking)
        assert len(reported) == next(numbers) >= PROMPTS
        assert new == [True] * len(reported)
        assert {message_id for message_id, _ in await store.messages(session_id)} == reported
        await ledger.stop()


@sync
async def test_sessions_are_served_by_another_node(postgres_schema: str) -> None:
    async with (
        opened(PostgresStore(postgres_schema)) as one,
        opened(PostgresStore(postgres_schema)) as other,
    ):
        client = await Agent(one).connect()
        session = await open_session(client)
        inserted = await client.ask(session).answer()
        elsewhere = await Agent(other).connect()
        await resume(elsewhere, session, replay=True)
        assert await elsewhere.ask(session).answer() == inserted
        assert inserted in elsewhere.updates
        await elsewhere.request("session/delete", {"sessionId": session})
        assert await one.sessions() == {}
        for each in (client, elsewhere):
            await each.hang_up()
