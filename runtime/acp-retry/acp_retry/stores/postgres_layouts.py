"""The tables of a store in PostgreSQL, and the steps from each layout to the next."""

from __future__ import annotations

from typing import Final, LiteralString

from psycopg import ProgrammingError, errors

from acp_retry.store import UnusableStoreError
from acp_retry.stores.postgres_pool import Connection

__all__ = ["migrate", "require_newest"]

NAME: Final = "acp_message"
# Layout 1 came before the number was stored.
STEPS: Final[tuple[tuple[LiteralString, ...], ...]] = (
    (
        """CREATE TABLE IF NOT EXISTS acp_message (
          position bigint GENERATED ALWAYS AS IDENTITY,
          session_id bytea NOT NULL,
          record uuid NOT NULL,
          digest bytea,
          writer bytea,
          body bytea NOT NULL,
          PRIMARY KEY (session_id, record)
        )""",
        "ALTER TABLE acp_message ADD COLUMN IF NOT EXISTS writer bytea",
    ),
    (
        # The entry of an index has 2,704 bytes at most, and a session ID may have more.
        "ALTER TABLE acp_message DROP CONSTRAINT acp_message_pkey, ADD PRIMARY KEY (position),"
        " ADD COLUMN created_at timestamptz NOT NULL DEFAULT now()",
        "CREATE UNIQUE INDEX acp_message_name ON acp_message (sha256(session_id), record)",
        """CREATE TABLE acp_session (
          position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          session_id bytea NOT NULL,
          cwd bytea NOT NULL,
          created_at timestamptz NOT NULL
        )""",
        "CREATE UNIQUE INDEX acp_session_name ON acp_session (sha256(session_id))",
    ),
    (
        # Some tables of layout 2 have a part of this.
        """DO $$ BEGIN
          IF EXISTS (
            SELECT FROM pg_attribute WHERE attrelid = 'acp_session'::regclass
            AND attname = 'created_at' AND NOT attisdropped
          ) THEN
            ALTER TABLE acp_session RENAME COLUMN created_at TO used_at;
          END IF;
          IF NOT EXISTS (
            SELECT FROM pg_attribute WHERE attrelid = 'acp_message'::regclass
            AND attname = 'finished_at' AND NOT attisdropped
          ) THEN
            ALTER TABLE acp_message ADD COLUMN finished_at timestamptz;
            -- Whether the work on an older message ended is not known. It counts as ended.
            UPDATE acp_message SET finished_at = created_at;
          END IF;
        END $$""",
        "CREATE INDEX IF NOT EXISTS acp_message_unfinished ON acp_message (position)"
        " WHERE finished_at IS NULL",
        "CREATE INDEX acp_message_time ON acp_message (sha256(session_id), created_at)",
    ),
)
COLUMNS: Final[tuple[LiteralString, ...]] = (
    "SELECT session_id, record, digest, writer, body, created_at, finished_at FROM acp_message"
    " LIMIT 0",
    "SELECT session_id, cwd, used_at FROM acp_session LIMIT 0",
)
NEWEST: Final = len(STEPS)


async def migrate(rows: Connection) -> None:
    """Create the tables, or bring them to the newest layout. Several nodes may do so at once.

    Raises:
        UnusableStoreError: the layout is newer, or the tables are not those of any layout, or the
            server has given it up.
    """
    try:
        async with rows.transaction():
            # Another node's migration, and this one, may take longer than a statement.
            await rows.execute("SET LOCAL statement_timeout = 0")
            await _migrate(rows)
    except errors.QueryCanceled as error:
        raise UnusableStoreError(
            f"PostgreSQL: the server has given up creating the tables or bringing them to layout"
            f" {NEWEST} ({str(error).strip()}): await PostgresStore.create() again"
        ) from error
    await require_newest(rows)


async def _migrate(rows: Connection) -> None:
    # With IF NOT EXISTS alone, two simultaneous transactions can still fail.
    await rows.execute("SELECT pg_advisory_xact_lock(hashtext('acp_message'))")
    create: LiteralString = (
        "CREATE TABLE IF NOT EXISTS acp_layout (name text PRIMARY KEY, layout integer)"
    )
    await rows.execute(create)
    layout = await _layout(rows) or 0
    if layout >= NEWEST:
        return
    try:
        for step in STEPS[layout:]:
            for statement in step:
                await rows.execute(statement)
    except ProgrammingError as error:
        raise UnusableStoreError(
            f"PostgreSQL: the tables {NAME} and acp_session can't be created or brought to"
            f" layout {NEWEST} ({str(error).strip()}): use a database or a schema without"
            " tables of these names, and a role that may create tables"
        ) from error
    await rows.execute(
        "INSERT INTO acp_layout (name, layout) VALUES (%s, %s)"
        " ON CONFLICT (name) DO UPDATE SET layout = EXCLUDED.layout",
        (NAME, NEWEST),
    )


async def require_newest(rows: Connection) -> None:
    """Check that the tables have the newest layout.

    Raises:
        UnusableStoreError: they are missing, older or newer, or lack a column.
    """
    try:
        layout = await _layout(rows)
    except errors.UndefinedTable:
        layout = None
    if layout is None or layout < NEWEST:
        there = "there are no tables" if layout is None else f"the tables have layout {layout}"
        raise UnusableStoreError(
            f"PostgreSQL: {there}, and layout {NEWEST} is needed: await PostgresStore.create()"
        )
    if layout > NEWEST:
        raise UnusableStoreError(
            f"PostgreSQL: the tables have layout {layout}, and this version of acp_retry knows 1 to"
            f" {NEWEST}: install the version that wrote them, or a newer one"
        )
    try:
        for select in COLUMNS:
            await rows.execute(select)
    except (errors.UndefinedTable, errors.UndefinedColumn) as error:
        reason = str(error).partition("\n")[0]
        raise UnusableStoreError(
            f"PostgreSQL: the tables are not those of layout {NEWEST} ({reason}): use a database"
            " or a schema whose tables acp_retry has created"
        ) from error


async def _layout(rows: Connection) -> int | None:
    cursor = await rows.execute("SELECT layout FROM acp_layout WHERE name = %s", (NAME,))
    row = await cursor.fetchone()
    return None if row is None else int(row[0])
