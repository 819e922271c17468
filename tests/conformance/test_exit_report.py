"""The report of an ended program is short and contains no key."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext

import pytest

from acp_conformance.agent_timeouts import TimeLimits
from acp_conformance.exit_report import KEPT, MOST, ErrorFile, ExitReport
from acp_conformance.launchers import Programs, Record, UnusableProgramError
from acp_conformance.message_stream import AgentStream
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_schedule import Schedule
from acp_conformance.trace_script import parse, scripts
from acp_conformance.verdict import TraceResult
from laboratory import Laboratory
from variation import Variation
from waiting import HANGS, until

PATIENCE = AgentTimeouts(HANGS, 0.05)
KEY = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"


def ended(program: str) -> ExitReport:
    stream = Programs([sys.executable, "-c", program]).start(lambda *_: None)
    assert stream.wait(lambda: stream.closed, PATIENCE.answer)
    stream.end()
    return stream.exit_report()


def test_the_status_and_the_last_lines_are_shown() -> None:
    program = "import sys; sys.stderr.write('1\\n2\\n\\n  3 \\n4\\n'); sys.exit(7)"
    assert ended(program).summary == " (exit status 7; standard error: 2 | 3 | 4)"


def test_a_signal_has_its_name() -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    assert ended(program).summary == " (ended by SIGTERM)"


def test_a_running_program_without_output_has_an_empty_report() -> None:
    assert ExitReport().summary == ""


def test_what_the_kit_has_killed_did_not_end_by_itself() -> None:
    program = "import sys, time; print('{}', flush=True); time.sleep(600)"
    stream = Programs([sys.executable, "-c", program]).start(lambda *_: None)
    assert stream.wait(lambda: bool(stream.lines), PATIENCE.answer)
    stream.kill()
    assert stream.exit_report() == ExitReport()


@pytest.mark.parametrize("written", [KEY, KEY.upper(), KEY.replace("-", "")])
def test_a_key_is_left_out(written: str) -> None:
    summary = ExitReport(1, f"no such key: {written}!".encode()).summary
    assert summary == " (exit status 1; standard error: no such key: (an ID)!)"


def test_a_key_is_left_out_before_a_line_is_cut() -> None:
    summary = ExitReport(None, f"a {KEY}{'x' * 293}".encode()).summary
    assert summary == f" (standard error: ...(an ID){'x' * 293})"


def test_a_long_line_is_cut_at_its_beginning() -> None:
    summary = ExitReport(None, b"a" + b"x" * 999 + b"z").summary
    assert summary == f" (standard error: ...{'x' * 299}z)"


def test_of_much_the_end_is_kept() -> None:
    errors = ErrorFile()
    with open(errors.fileno(), "wb", closefd=False) as file:
        file.write(b"a" + b"x" * KEPT + b"z")
    kept = errors.read()
    errors.close()
    assert (len(kept), kept[:1], kept[-1:]) == (KEPT, b"x", b"z")


def test_a_flood_does_not_fill_the_folder() -> None:
    errors = ErrorFile()
    for _ in range(400):
        os.write(errors.fileno(), b"x" * 2**20)
        assert os.fstat(errors.fileno()).st_size < 2 * 2**30
    until(lambda: os.fstat(errors.fileno()).st_size <= MOST)
    os.write(errors.fileno(), b"the last line")
    kept = errors.read()
    errors.close()
    assert (len(kept), kept[-14:]) == (KEPT, b"xthe last line")


ONE = parse('{"name": "one", "title": "T", "steps": [{"do": "connect", "connection": "c"}]}', "one")
DEAD = Programs([sys.executable, "-c", "import sys; sys.exit('no such model')"])


class Now:
    """A launcher of agents that start or not, as its arguments say."""

    def __init__(self, *up: bool) -> None:
        self.up = [*up]

    def start(self, record: Record) -> AgentStream:
        launcher = Laboratory(Variation) if self.up.pop(0) else DEAD
        return launcher.start(record)

    restart = start

    def second(self, record: Record) -> AgentStream | None:
        del record
        return None

    def kill(self, stream: AgentStream) -> None:
        stream.kill()


def begun(*up: bool) -> tuple[list[bool], str]:
    """Which of the agents came up that were started, and why no more were."""
    found: list[TraceResult] = []
    try:
        launcher = Now(*up)
        schedule = Schedule(lambda: nullcontext(launcher), TimeLimits(10.0, 0.05))
        found.extend(schedule.play([ONE] * len(up)))
    except UnusableProgramError as error:
        return [result.begun for result in found], str(error)
    return [result.begun for result in found], ""


def test_an_agent_that_never_comes_up_is_not_tried_again() -> None:
    tried, why = begun(False, True)
    assert tried == [False]
    assert why.startswith(
        "step 1, connect: initialize: the connection ended "
        "(exit status 1; standard error: no such model)"
    )


def test_an_agent_that_stays_down_is_not_tried_again() -> None:
    assert begun(True, False, False, True)[0] == [True, False, False]


def test_an_agent_that_was_down_once_is_tried_again() -> None:
    up = (True, False, True, False, True)
    assert begun(*up) == ([*up], "")


def test_every_trace_begins_with_its_first_connection() -> None:
    first = {script.steps[0].verb for script in scripts()}
    assert first == {"connect"}


def test_what_an_agent_wrote_is_kept_whole() -> None:
    assert play(ONE, DEAD, PATIENCE).errors == b"no such model\n"
