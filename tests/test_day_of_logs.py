"""The example that judges a day's logs on a cluster: its report is that of one process."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "logs" / "cases"
EXAMPLE = ROOT / "examples" / "day_of_logs.py"


def day(folder: Path, number: int) -> Path:
    """A folder with a day's logs, in folders of hours."""
    for place, path in enumerate(sorted(CASES.iterdir())[:number]):
        hour = folder / f"{place % 3:02}"
        hour.mkdir(exist_ok=True, parents=True)
        (hour / path.name).write_bytes(path.read_bytes())
    return folder


def of_one_process(folder: Path) -> tuple[int, bytes]:
    call = [sys.executable, "-m", "acpgen", "validate", "-q", "--format", "json", str(folder)]
    done = subprocess.run(call, capture_output=True, check=False)
    return done.returncode, done.stdout


def test_a_cluster_has_the_report_of_one_process(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from dask.distributed import Client, LocalCluster  # half a second of each process otherwise

    example = runpy.run_path(str(EXAMPLE))
    folder = day(tmp_path, 8)
    batches = [*example["batches"](folder, 5_000)]
    assert len(batches) > 1
    cluster = LocalCluster(n_workers=1, processes=False, dashboard_address=None)
    with cluster, Client(cluster) as client:
        status = example["report"](client, batches, "json")
    assert (status, capfd.readouterr().out.encode()) == of_one_process(folder)
    assert status == 1


@pytest.mark.prove("starts a cluster of processes, as a user does")
def test_the_example_runs_as_a_program(tmp_path: Path) -> None:
    folder = day(tmp_path, 60)
    call = [sys.executable, str(EXAMPLE), str(folder), "--format", "json"]
    done = subprocess.run(call, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == of_one_process(folder)


def test_without_dask_it_names_what_to_install(tmp_path: Path) -> None:
    code = (
        "import runpy, sys; sys.modules['dask'] = None; sys.argv[:] = sys.argv[1:]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    call = [sys.executable, "-c", code, str(EXAMPLE), str(tmp_path)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith('pip install "dask[distributed]"\n')
    assert "Traceback" not in done.stderr
