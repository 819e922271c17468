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

from acp_conformance import client_runs, proxy_traces, trace_runner
from acp_conformance.client_plans import CLIENT_PLANS
from acp_conformance.deferred_signals import STOPS, deferred
from acp_conformance.launchers import Programs
from acp_conformance.trace_script import scripts

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
    """Processes that are started. A signal arrives as soon as each runs."""
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
    with deferred():
        with deferred():
            signal.raise_signal(number)
            done.append(1)
        done.append(2)


def fail() -> None:
    with deferred():
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


def test_an_error_of_the_block_is_raised_with_it() -> None:
    with pytest.raises(StopError) as found:
        fail()
    assert isinstance(found.value.__context__, KeyError)


def test_a_signal_that_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with deferred():
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        signal.raise_signal(signal.SIGHUP)


def test_other_threads_do_not_defer_signals() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with deferred():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def play_agent() -> None:
    trace_runner.play(scripts()[0], Programs(SLEEPER), trace_runner.AgentTimeouts())


def play_client() -> None:
    client_runs.play_client(SLEEPER, CLIENT_PLANS[0], client_runs.ClientTimeouts())


def play_proxy() -> None:
    proxy_traces.play_proxy(SLEEPER, proxy_traces.PROXY_TRACES[0], 10.0)


@pytest.mark.parametrize("play", [play_agent, play_client, play_proxy])
def test_a_program_that_was_just_started_is_killed(
    play: Callable[[], None], started: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    with pytest.raises(StopError):
        play()
    assert [each.returncode for each in started] == [-signal.SIGKILL]
    assert [*tmp_path.iterdir()] == []


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """The process groups that are killed. A signal arrives before each kill."""
    kill, killed = os.killpg, list[int]()

    def interrupted(group: int, number: int) -> None:
        killed.append(group)
        os.kill(os.getpid(), signal.SIGTERM)
        kill(group, number)

    monkeypatch.setattr(os, "killpg", interrupted)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return killed


def end_agent() -> None:
    Programs(SLEEPER).start(lambda *_: None).kill()


def end_client() -> None:
    client_runs.play_client(SLEEPER, CLIENT_PLANS[0], client_runs.ClientTimeouts(run=0.1))


@pytest.mark.parametrize("end", [end_agent, end_client])
def test_a_program_that_is_being_killed_is_killed(
    end: Callable[[], None], ending: list[int], tmp_path: Path
) -> None:
    with pytest.raises(StopError):
        end()
    (group,) = ending
    with pytest.raises(ProcessLookupError):
        os.kill(group, 0)
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_being_removed_is_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unlink, heard = os.unlink, list[object]()

    def interrupted(path: str, **options: Any) -> None:
        heard.append(path)
        os.kill(os.getpid(), signal.SIGTERM)
        unlink(path, **options)

    def use_one() -> None:
        with client_runs.temporary_folder() as folder:
            (folder / "a").touch()
            monkeypatch.setattr(os, "unlink", interrupted)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(StopError):
        use_one()
    assert len(heard) == 1
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_being_made_is_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make = tempfile.mkdtemp

    def interrupted(*args: Any) -> str:
        made = str(make(*args))
        os.kill(os.getpid(), signal.SIGTERM)
        return made

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "mkdtemp", interrupted)
    with pytest.raises(StopError), client_runs.temporary_folder():
        pass
    assert [*tmp_path.iterdir()] == []


def test_one_of_several_signals_is_heard() -> None:
    raised: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: raised.append(number))
    with deferred():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
    assert raised == [signal.SIGTERM]
