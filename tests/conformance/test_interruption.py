"""Signals are heard after what must not be interrupted: no program outlives the kit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from acp_conformance import clients, proxies, runner
from acp_conformance.interruption import STOPS, postponed
from acp_conformance.plans import PLANS
from acp_conformance.script import scripts
from acp_conformance.wire import Programs

SLEEPER = (sys.executable, "-S", "-c", "import time; time.sleep(600)")


class StopError(Exception):
    """What a signal raises here."""


@pytest.fixture(autouse=True)
def raising() -> Iterator[None]:
    def stop(_number: int, _frame: object) -> None:
        raise StopError

    before = {each: signal.signal(each, stop) for each in STOPS}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[subprocess.Popen[bytes]]:
    """What is started from now on. As soon as it runs, and before anybody knows, a signal comes."""
    began: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            began.append(self)
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return began


def hear(number: int, done: list[int]) -> None:
    """Be interrupted in a block that postpones it, and in one around that."""
    with postponed():
        with postponed():
            signal.raise_signal(number)
            done.append(1)
        done.append(2)


def fail() -> None:
    with postponed():
        signal.raise_signal(signal.SIGINT)
        raise KeyError


@pytest.mark.parametrize("number", STOPS)
def test_what_a_signal_raises_comes_after_the_outermost_block(number: int) -> None:
    done: list[int] = []
    before = signal.getsignal(number)
    with pytest.raises(StopError):
        hear(number, done)
    assert done == [1, 2]
    assert signal.getsignal(number) is before


def test_an_error_of_the_block_is_told_with_it() -> None:
    with pytest.raises(StopError) as found:
        fail()
    assert isinstance(found.value.__context__, KeyError)


def test_a_signal_that_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with postponed():
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        signal.raise_signal(signal.SIGHUP)


def test_other_threads_hear_no_signals_and_postpone_none() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with postponed():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def play_agent() -> None:
    runner.play(scripts()[0], Programs(SLEEPER), runner.Patience())


def play_client() -> None:
    clients.play_client(SLEEPER, PLANS[0], clients.Patience())


def play_proxy() -> None:
    proxies.play_proxy(SLEEPER, 10.0)


@pytest.mark.parametrize("play", [play_agent, play_client, play_proxy])
def test_a_program_that_was_just_started_is_killed(
    play: Callable[[], None], started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    with pytest.raises(StopError):
        play()
    assert [each.returncode for each in started] == [-signal.SIGKILL]
    assert [*tmp_path.iterdir()] == []
