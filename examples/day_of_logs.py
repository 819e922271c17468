"""Judges a day's logs on a Dask cluster. The report is that of one `acpgen validate`.

    python examples/day_of_logs.py logs/2026-12-01
    python examples/day_of_logs.py logs/2026-12-01 --scheduler tcp://10.0.0.7:8786 --format sarif

It needs Dask: pip install "dask[distributed]". Without --scheduler, it starts a cluster on this
machine. The logs have to have the same names on all machines, as on shared storage, and acpgen has
to be installed there. For one machine, `acpgen validate --jobs 8 logs/2026-12-01` does the same
without Dask.

Why Dask: the work is one call for some files, without rows or joins, so an engine for tables
(DuckDB, Spark) has nothing to do in it. Ray would do as well, but is far larger to install.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acpgen.logs import expanded

if TYPE_CHECKING:
    from dask.distributed import Client

BATCH = 64 * 1024 * 1024
"""How many bytes of logs one task judges, about."""


def batches(folder: Path, size: int = BATCH) -> Iterator[list[str]]:
    """The files that `acpgen validate FOLDER` would judge, some at a time."""
    batch: list[str] = []
    left = size
    for name in expanded([str(folder)]):
        batch.append(name)
        left -= Path(name).stat().st_size
        if left <= 0:
            yield batch
            batch, left = [], size
    if batch:
        yield batch


def judge(files: Sequence[str]) -> bytes:
    """Judge files, on whichever machine this runs, and return the report."""
    command = [sys.executable, "-m", "acpgen", "validate", "--quiet", "--format", "json"]
    done = subprocess.run([*command, "--", *files], capture_output=True, check=False)
    if done.returncode not in (0, 1, 2) or not done.stdout:
        raise RuntimeError(f"no report: {done.stderr.decode(errors='replace')[-1000:]}")
    return done.stdout


def report(client: Client, parts: Sequence[Sequence[str]], form: str) -> int:
    """Judge files on a cluster, print one report, and return the status of `acpgen`."""
    tasks = client.map(judge, parts, pure=False, retries=2)
    with tempfile.TemporaryDirectory() as reports:
        for number, task in enumerate(tasks):
            Path(reports, f"{number:06}.json").write_bytes(task.result())
            task.release()
        merge = [sys.executable, "-m", "acpgen", "report", "merge", reports, "--format", form]
        return subprocess.run(merge, check=False).returncode


def main() -> int:
    """Read the arguments, and judge."""
    parser = argparse.ArgumentParser(description="Judge a day's logs on a Dask cluster.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scheduler", help="tcp://HOST:PORT; by default a cluster on this machine")
    parser.add_argument("--format", default="text", dest="form")
    arguments = parser.parse_args()
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError as error:
        print(f'{error}: pip install "dask[distributed]"', file=sys.stderr)
        return 2
    cluster = arguments.scheduler or LocalCluster(dashboard_address=None)
    with Client(cluster) as client:
        return report(client, [*batches(arguments.folder)], arguments.form)


if __name__ == "__main__":
    sys.exit(main())
