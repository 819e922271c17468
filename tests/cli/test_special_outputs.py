"""An output that is not a regular file is written to, and never replaced."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner

from acpgen.cli.whole_file import whole_file
from command_calls import APP
from conform_calls import ONE, conform, write_forgetful
from waiting import HANGS

LOG = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'


@contextmanager
def read_from(pipe: Path) -> Iterator[list[bytes]]:
    """Make a pipe, and collect what is written to it."""
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    yield got
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    reader.join(HANGS)
    assert [each.name for each in pipe.parent.glob(".*")] == []


@pytest.mark.parametrize(
    ("command", "start"), [("view", b"<!doctype html>"), ("convert", b'{"from": "client"')]
)
@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_stays_one(command: str, start: bytes, tmp_path: Path, *, linked: bool) -> None:
    log, pipe, link = (tmp_path / name for name in ("log.ndjson", "pipe.html", "link.html"))
    log.write_bytes(LOG)
    with read_from(pipe) as got:
        link.symlink_to(pipe)
        out = link if linked else pipe
        result = CliRunner().invoke(APP, [command, str(log), "-o", str(out)])
        assert result.exit_code == 0, result.output
    assert got[0].lower().startswith(start.lower())
    assert link.is_symlink()


def test_a_pipe_for_the_page_of_a_trace_stays_one(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    with read_from(pages / "retry-answer.html") as got:
        status, _, _ = conform(*ONE, "--view", pages, "--", *write_forgetful(tmp_path))
        assert status == 1
    assert got[0].lower().startswith(b"<!doctype html>")


def test_a_socket_is_not_replaced() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        place = Path(folder) / "s"
        server.bind(str(place))
        with pytest.raises(OSError, match="No such device or address"), whole_file(place):
            pass
        assert stat.S_ISSOCK(place.lstat().st_mode)
