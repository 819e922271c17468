"""The tables of a store in an SQLite file, and the steps from each layout to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from acp_retry.store import UnusableStoreError

__all__ = ["AddedColumn", "Step", "Tables"]

# `PRAGMA user_version` is left to the application, whose tables may be in the same file.
CREATE: Final = "CREATE TABLE IF NOT EXISTS acp_layout (name TEXT PRIMARY KEY, layout INTEGER)"
SELECT: Final = "SELECT layout FROM acp_layout WHERE name = ?"
REPLACE: Final = "INSERT OR REPLACE INTO acp_layout (name, layout) VALUES (?, ?)"


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """Statements for tables that lack a column: some files of one layout have it, and some don't.

    Args:
        table: the table.
        column: the column.
        statements: add the column, and fill it.
    """

    table: str
    column: str
    statements: tuple[str, ...]


Step = tuple[str | AddedColumn, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """A set of tables that belong together and have one layout number.

    Layout 1 came before the number was stored. Its statements accept tables that are there, so a
    new file takes the same steps as an old one.

    Args:
        name: identifies the set.
        steps: the statements that lead to each layout from the one before; those to layout 1 first.
        columns: the columns of each table in the newest layout.
    """

    name: str
    steps: tuple[Step, ...]
    columns: Mapping[str, tuple[str, ...]]

    def migrate(self, connection: sqlite3.Connection, path: str) -> None:
        """Bring a file to the newest layout, in the transaction that is open.

        Raises:
            UnusableStoreError: the layout is newer, or the tables are not what it has.
            sqlite3.Error: the file could not be read or written.
        """
        connection.execute(CREATE)
        row = connection.execute(SELECT, (self.name,)).fetchone()
        layout = 0 if row is None else row[0]
        if not isinstance(layout, int) or not 0 <= layout <= len(self.steps):
            raise UnusableStoreError(
                f"{path}: the tables of {self.name} have layout {layout}, and this version of"
                f" acp_retry knows 1 to {len(self.steps)}: install the version that wrote the file,"
                " or a newer one"
            )
        for step in self.steps[layout:]:
            for part in step:
                if isinstance(part, str):
                    self._take(connection, part, path)
                elif part.column not in _columns(connection, part.table):
                    for statement in part.statements:
                        self._take(connection, statement, path)
        # Written each time, so that a file that can only be read is noticed.
        connection.execute(REPLACE, (self.name, len(self.steps)))
        self._require(connection, path)

    def _take(self, connection: sqlite3.Connection, statement: str, path: str) -> None:
        try:
            connection.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise  # it is locked, full or not writable
            raise UnusableStoreError(
                f"{path}: the tables of {self.name} are not those of any layout ({error}): name a"
                " file that acp_retry has created, or one that does not exist"
            ) from error

    def _require(self, connection: sqlite3.Connection, path: str) -> None:
        for table, columns in self.columns.items():
            there = _columns(connection, table)
            missing = [column for column in columns if column not in there]
            if missing:
                raise UnusableStoreError(
                    f"{path}: the table {table} has no column {missing[0]}: name a file that"
                    " acp_retry has created, or one that does not exist"
                )


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
