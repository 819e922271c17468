"""A PostgreSQL server of our own, in a temporary folder, reached through a socket in it.

As a pytest plugin it gives the fixture `postgres`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import unavailable
from acp_retry.stores.postgres import PostgresStore

PROGRAMS = ("initdb", "pg_ctl")
FOLDERS = "/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin"
SETTINGS = "-c listen_addresses='' -c max_connections=100 -k {folder}"


def find() -> Path | None:
    """The folder with the server's programs: Debian keeps them out of PATH."""
    for pattern in reversed(FOLDERS):
        for folder in sorted(Path("/").glob(pattern.removeprefix("/")), reverse=True):
            if all((folder / program).exists() for program in PROGRAMS):
                return folder
    found = [shutil.which(program) for program in PROGRAMS]
    return None if None in found or found[0] is None else Path(found[0]).parent


@contextmanager
def server(programs: Path, *, durable: bool = False) -> Iterator[str]:
    """Run a server and give the conninfo of its database. It refuses to run as root.

    If it is `durable`, it flushes what is committed to the disk, as servers do outside tests.
    """
    # The path of a socket has 107 bytes at most, and its user may not enter just any folder.
    folder = Path(tempfile.mkdtemp(prefix="acp-postgres-", dir="/tmp"))
    user = _user()
    if user is not None:
        shutil.chown(folder, user)

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [str(programs / program), *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            user=user,
            extra_groups=None if user is None else [],
            cwd=folder,
        )

    data = str(folder / "data")
    try:
        run("initdb", "-D", data, "-U", "acp", "-A", "trust", "-E", "UTF8", "--no-sync")
        with (folder / "data" / "postgresql.auto.conf").open("a") as settings:
            settings.write(f"fsync = {'on' if durable else 'off'}\n")
        options = SETTINGS.format(folder=folder)
        run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield f"host={folder} user=acp dbname=postgres"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def restart(conninfo: str) -> None:
    """Restart the server as an operator does: connections break at once, and it is soon back."""
    programs = find()
    assert programs is not None
    folder = str(conninfo_to_dict(conninfo)["host"])
    options = SETTINGS.format(folder=folder)
    command = [str(programs / "pg_ctl"), "-D", f"{folder}/data", "-w", "-m", "fast"]
    user = _user()
    subprocess.run(
        [*command, "-l", f"{folder}/log", "-o", options, "restart"],
        check=True,
        stdout=subprocess.DEVNULL,
        user=user,
        extra_groups=None if user is None else [],
        cwd=folder,
    )


@pytest.fixture
def restart_postgres(postgres: str) -> Callable[[], None]:
    """A function that restarts the server."""
    return partial(restart, postgres)


@pytest.fixture
def postgres_schema(postgres: str) -> Iterator[str]:
    """The conninfo of a schema in it that is empty, and this test's alone."""
    name = f"s{uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as rows:
        rows.execute(f"CREATE SCHEMA {name}".encode())
        yield make_conninfo(postgres, options=f"-c search_path={name}")
        rows.execute(f"DROP SCHEMA {name} CASCADE".encode())


def _user() -> str | None:
    """Who shall run the server: ourselves, or for root the user that the package made."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return "nobody"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The conninfo of a PostgreSQL server that is ours alone."""
    programs = find()
    if programs is None:
        reason = "PostgreSQL is not installed: apt-get install postgresql"
        unavailable.skip(reason)
    with server(programs) as conninfo:
        yield conninfo


@asynccontextmanager
async def opened(store: PostgresStore) -> AsyncIterator[PostgresStore]:
    try:
        await store.create()
        yield store
    finally:
        await store.close()
