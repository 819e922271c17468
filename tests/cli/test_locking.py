"""A folder is for one process at a time, also one that doesn't exist yet."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from acpgen.cli.locking import alone_in
from waiting import HANGS

ADD = """
import sys, time
from pathlib import Path
from acpgen.cli.locking import alone_in
folder = Path(sys.argv[1])
for n in range(int(sys.argv[2])):
    with alone_in(folder):
        log = folder / "log"
        before = log.read_text() if log.exists() else ""
        folder.mkdir(parents=True, exist_ok=True)
        time.sleep(0.002)
        log.write_text(before + f"{sys.argv[3]}-{n}\\n")
        if n % 3 == 0 and len(sys.argv) > 4:
            log.rename(folder.parent.parent / f"{sys.argv[3]}-{n}")
"""


def test_no_entry_is_lost_in_a_folder_that_nobody_has_made_yet(tmp_path: Path) -> None:
    for round_ in range(6):
        folder = tmp_path / str(round_) / "deep" / "released"
        children = [
            subprocess.Popen([sys.executable, "-c", ADD, str(folder), "4", str(child)])
            for child in range(3)
        ]
        assert [child.wait() for child in children] == [0, 0, 0]
        assert len((folder / "log").read_text().splitlines()) == 12


def test_none_is_lost_while_the_folder_comes_and_goes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    folder = tmp_path / "a" / "released"
    children = [
        subprocess.Popen([sys.executable, "-c", ADD, str(folder), "12", str(child), "moving"])
        for child in range(3)
    ]
    assert [child.wait() for child in children] == [0, 0, 0]
    logs = [path for path in [*tmp_path.iterdir(), folder / "log"] if path.is_file()]
    assert sum(len(log.read_text().splitlines()) for log in logs) == 36


def test_a_folder_that_stays_empty_is_removed(tmp_path: Path) -> None:
    with alone_in(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").is_dir()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "c").mkdir()
    with alone_in(tmp_path / "c"):
        pass
    assert (tmp_path / "c").is_dir()


def test_the_second_waits(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from acpgen.cli.locking import alone_in\n"
        "with alone_in(Path(sys.argv[1])): print('in', flush=True)"
    )
    with alone_in(tmp_path / "new"):
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "new")], stdout=subprocess.PIPE
        )
        time.sleep(0.5)
        assert other.poll() is None
    assert other.communicate(timeout=HANGS)[0] == b"in\n"


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(OSError, match="File exists"), alone_in(tmp_path / "a"):
        pass
