"""Tests that share what takes long to make run one after another, in one worker."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from xdist.remote import Producer

from file_scheduling import FileScheduling

TESTS = [
    "tests/cli/test_a.py::test_1",
    "tests/site/test_b.py::test_1",
    "tests/site/test_b.py::test_2[x::y]",
    "tests/lint/test_c.py::test_1",
    "tests/site/test_d.py::test_1",
    "tests/lint/test_e.py::test_1",
    "tests/lint/test_e.py::test_2",
    "tests/lint/test_e.py::test_3",
]


@dataclass(eq=False)
class Worker:
    """A worker of xdist that notes what it is given."""

    gateway: SimpleNamespace
    given: list[str] = field(default_factory=list)
    shutting_down: bool = False

    def send_runtest_some(self, places: list[int]) -> None:
        self.given += [TESTS[place] for place in places]

    def shutdown(self) -> None:
        self.shutting_down = True


def given(*, first_is_slow: bool) -> list[list[str]]:
    """What each of two workers is given, of which one ends nothing before the other is done."""
    config: Any = SimpleNamespace(
        option=SimpleNamespace(loadscopereorder=True),
        getvalue={"tx": ["popen", "popen"]}.__getitem__,
    )
    scheduling: Any = FileScheduling(config, Producer("test", enabled=False))
    workers = [Worker(SimpleNamespace(id=name)) for name in ("gw0", "gw1")]
    for worker in workers:
        scheduling.add_node(worker)
        scheduling.add_node_collection(worker, TESTS)
    scheduling.schedule()
    for worker in reversed(workers) if first_is_slow else workers:
        for test in worker.given:  # which grows as tests end
            scheduling.mark_test_complete(worker, TESTS.index(test), 0)
    assert not scheduling.has_pending
    return [worker.given for worker in workers]


A, SITE, C, E = TESTS[:1], [*TESTS[1:3], TESTS[4]], TESTS[3:4], TESTS[5:]


def test_a_file_and_what_shares_the_site_go_to_one_worker() -> None:
    assert given(first_is_slow=False) == [[*A, *C, *E], SITE]


def test_the_next_file_goes_to_the_worker_that_is_free() -> None:
    assert given(first_is_slow=True) == [[*A, *C], [*SITE, *E]]
