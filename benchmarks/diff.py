"""CPU time of `acpgen diff`: reading two versions of a schema, comparing them, finding witnesses.

    python benchmarks/diff.py [OLD NEW]...

Without arguments it compares the schema with itself and, where tests/interop is installed,
upstream's newest release with the schema and its v1 with its v2. The goal is one second a pair.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path

from acpgen import resources
from acpgen.diff import diff
from acpgen.diff.witness import Witnesses
from acpgen.load import load

RUNS = 7
GOAL = 1.0
UPSTREAM = Path(__file__).parents[1] / "tests/interop/node_modules/@agentclientprotocol/sdk/schema"
DEFAULT = (
    (resources.SCHEMA, resources.SCHEMA),
    (UPSTREAM / "v2/schema.unstable.json", resources.SCHEMA),
    (UPSTREAM / "v1/schema.unstable.json", UPSTREAM / "v2/schema.unstable.json"),
)


def seconds(work: Callable[[], object]) -> float:
    """The median CPU time of some runs, without the first one."""
    work()
    taken = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def pairs(arguments: list[str]) -> Iterable[tuple[Path, Path]]:
    """The schemas to compare."""
    if arguments:
        return [(Path(old), Path(new)) for old, new in list(pairwise(arguments))[::2]]
    return [pair for pair in DEFAULT if all(path.exists() for path in pair)]


def main() -> None:
    """Print a table of medians; the exit status is 1 when reading and comparing misses the goal."""
    print(f"{'load ms':>8}{'diff ms':>8}{'witness ms':>11}{'changes':>8}  pair (medians of {RUNS})")
    slow = False
    for old, new in pairs(sys.argv[1:]):
        before, after = load(old), load(new)
        changes = diff(before, after)
        loading = seconds(partial(load, old)) + seconds(partial(load, new))
        comparing = seconds(partial(diff, before, after))
        start = time.process_time()
        witnesses = Witnesses(before, after)
        for change in changes:
            witnesses.of(change)
        showing = time.process_time() - start
        slow |= loading + comparing > GOAL
        print(
            f"{loading * 1000:>8.0f}{comparing * 1000:>8.0f}{showing * 1000:>11.0f}"
            f"{len(changes):>8}  {_short(old)} -> {_short(new)}"
        )
    sys.exit(slow)


def _short(path: Path) -> str:
    return "/".join(path.parts[-3:])


if __name__ == "__main__":
    main()
