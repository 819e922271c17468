"""What the tests of several parts share."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import proofs
import unavailable

if TYPE_CHECKING:
    from xdist.remote import Producer

    from file_scheduling import FileScheduling

# A plugin of some tests, whose helpers they import before pytest does.
pytest.register_assert_rewrite("private_postgres")

TESTS = Path(__file__).parent
SURROUNDINGS = (
    *("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS"),
    *("PYTHONUNBUFFERED", "PYTHONWARNINGS", "PYTHONDONTWRITEBYTECODE"),
)
"""What changes how programs write, and differs from one machine to the next.

Without byte code each program that a test starts would be compiled again, which takes longer than
most of them run.
"""


@pytest.fixture(scope="session")
def upstream_schemas() -> Path:
    """The folder with the schemas that upstream released: v1/ and v2/, each stable and unstable."""
    folder = TESTS / "interop/node_modules/@agentclientprotocol/sdk/schema"
    if not folder.is_dir():
        reason = "@agentclientprotocol/sdk is not installed: run `npm ci` in tests/interop"
        unavailable.skip(reason)
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Give the programs that tests start the same environment everywhere.

    They receive SIGINT. A shell without job control makes background jobs ignore it, and a child
    process inherits that. Git reads no configuration of the user. The tests are compiled once, not
    by each process of each run. Hypothesis asks for no speed.
    """
    gc.disable()  # until everything is collected
    if config.getoption("markexpr") in {"prove", "prove and not bulk"}:
        os.environ[proofs.VARIABLE] = "1"
    settings.register_profile(
        "any speed",
        max_examples=proofs.amount(50, 100),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("any speed")
    for name in SURROUNDINGS:
        os.environ.pop(name, None)
    sys.dont_write_bytecode = False
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of each search for garbage: they are many, and they stay."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a `prove` marker without its reason."""
    for item in items:
        for mark in item.iter_markers("prove"):
            if len(mark.args) != 1 or not isinstance(mark.args[0], str):
                raise pytest.UsageError(f"{item.nodeid}: prove needs one reason")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling:
    from file_scheduling import FileScheduling

    return FileScheduling(config, log)
