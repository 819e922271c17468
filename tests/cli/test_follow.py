"""A log that grows, is rotated and is cut short while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acpgen.cli.follow import Follower


class EndOfTestError(Exception):
    """Stands for the interruption that ends following."""


def followed(path: Path, *steps: Callable[[], object]) -> tuple[list[tuple[int, bytes]], list[str]]:
    """The lines that are read of a log while it undergoes these steps, one at each pause."""
    pending, reported = iter(steps), list[str]()
    read: list[tuple[int, bytes]] = []
    with pytest.raises(EndOfTestError):
        read.extend(Follower(str(path), report=reported.append, pause=lambda: _take(pending)))
    return read, reported


def _take(steps: Iterator[Callable[[], object]]) -> None:
    step = next(steps, None)
    if step is None:
        raise EndOfTestError
    step()


def appends(path: Path, text: bytes) -> Callable[[], object]:
    def append() -> None:
        with path.open("ab") as log:
            log.write(text)

    return append


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with two lines."""
    path = tmp_path / "log.ndjson"
    path.write_bytes(b"a\nb\n")
    return path


def test_it_begins_at_the_beginning_and_waits_for_more(log: Path) -> None:
    read, reported = followed(log, appends(log, b"c\n"), appends(log, b"d\ne\n"))
    assert read == [(1, b"a\n"), (2, b"b\n"), (3, b"c\n"), (4, b"d\n"), (5, b"e\n")]
    assert reported == []


def test_a_line_counts_when_it_is_finished(log: Path) -> None:
    steps = [appends(log, part) for part in (b"c", b"d", b"\ne")]
    read, _ = followed(log, *steps)
    assert read[2:] == [(3, b"cd\n")]


def test_an_unfinished_line_is_known(log: Path) -> None:
    follower = Follower(str(log), pause=lambda: _take(iter(())))
    appends(log, b"c")()
    with pytest.raises(EndOfTestError):
        list(follower)
    assert follower.unfinished


def test_a_rotated_log_is_read_to_its_end_and_then_the_next(log: Path) -> None:
    def rotate() -> None:
        appends(log, b"c\nd")()
        log.rename(log.with_suffix(".1"))
        log.write_bytes(b"e\n")

    read, reported = followed(log, rotate, appends(log, b"f\n"))
    assert read[2:] == [(3, b"c\n"), (4, b"d"), (1, b"e\n"), (2, b"f\n")]
    assert reported == ["was moved away; going on with the file that has its name now"]


def test_a_log_that_is_gone_for_a_while_is_waited_for(log: Path) -> None:
    old = log.with_suffix(".1")
    read, _ = followed(
        log, lambda: log.rename(old), appends(old, b"c\n"), appends(log, b"d\n"), lambda: None
    )
    assert read[2:] == [(3, b"c\n"), (1, b"d\n")]


def test_a_log_that_is_cut_short_is_read_anew(log: Path) -> None:
    read, reported = followed(log, appends(log, b"half"), lambda: log.write_bytes(b"c\n"))
    assert read[2:] == [(1, b"c\n")]
    assert reported == ["was cut short; going on from its beginning"]


def test_a_log_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(iter(Follower(str(tmp_path / "none"))))


def test_a_line_beyond_the_limit_is_skipped_and_not_held(log: Path) -> None:
    skipped = list[int]()
    steps = iter([appends(log, part) for part in (b"long, " * 3, b"longer\nd\n")])
    follower = Follower(str(log), limit=10, skipped=skipped.append, pause=lambda: _take(steps))
    read = list[tuple[int, bytes]]()
    with pytest.raises(EndOfTestError):
        read.extend(follower)
    assert (read[2:], skipped) == ([(4, b"d\n")], [3])


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-16", "UTF-16"),
        ("utf-16-be", "UTF-16"),
        ("utf-32", "UTF-32"),
        ("utf-8-sig", "UTF-8 with a byte order mark"),
    ],
)
def test_a_log_in_another_encoding_is_followed(tmp_path: Path, encoding: str, name: str) -> None:
    log = tmp_path / "log.ndjson"
    data = '{"a": "\u00e4"}\nb\n'.encode(encoding)
    log.write_bytes(data[:1])
    steps = [appends(log, part) for part in (data[1:9], data[9:12], data[12:])]
    follower = Follower(str(log), pause=lambda: _take(pending))
    pending = iter(steps)
    read: list[tuple[int, bytes]] = []
    with pytest.raises(EndOfTestError):
        read.extend(follower)
    assert read == [(1, '{"a": "\u00e4"}\n'.encode()), (2, b"b\n")]
    assert follower.encoding == name
