"""`acpgen generate` is killed while it writes; `--check` and the next run find out."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proofs import amount, scaled

SCHEMA = Path(__file__).parents[1] / "golden" / "schema" / "v9"


def command(out: Path, *more: str) -> list[str]:
    start = [sys.executable, "-m", "acpgen", "generate", "--schema", str(SCHEMA)]
    return [*start, "--target", "go", "--target", "pages", "--out", str(out), *more]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*") if p.is_file()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("whole") / "out"
    subprocess.run(command(out), check=True, capture_output=True)
    return snapshot(out)


@pytest.mark.prove("kills many runs; those of a small tree are killed in `make test`")
def test_a_killed_run_is_reported_and_the_next_one_completes_it(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    reported = 0
    for round_ in range(120):
        out = tmp_path / str(round_)
        run = subprocess.Popen(command(out), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while run.poll() is None and not (out / ".acpgen-drafts").exists():
            time.sleep(0.0005)
        time.sleep(0.002 * (round_ % 20))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        left = (out / ".acpgen-drafts").exists()
        check = subprocess.run(command(out, "--check"), capture_output=True, text=True, check=False)
        assert (check.returncode, "drift-unfinished" in check.stdout) == (
            int(snapshot(out) != whole or left),
            left,
        )
        reported += left
        subprocess.run(command(out), check=True, capture_output=True)
        assert snapshot(out) == whole
        assert not (out / ".acpgen-drafts").exists()
    assert reported


@scaled("starts many pairs")
def test_two_runs_at_once_end_in_one_whole_tree(tmp_path: Path, whole: dict[str, bytes]) -> None:
    for round_ in range(amount(1, 30)):
        out = tmp_path / str(round_)
        runs = [subprocess.Popen(command(out), stderr=subprocess.DEVNULL) for _ in range(2)]
        assert [run.wait() for run in runs] == [0, 0]
        assert snapshot(out) == whole
