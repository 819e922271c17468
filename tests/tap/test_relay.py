"""A client and an agent notice no tap between them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from proofs import a_few
from tapped import ANSWERING, ECHO, call, python, tap, tapped
from waiting import HANGS, gone, until

MIB = 1024 * 1024


def memory(pid: int) -> int:
    """The resident bytes of a process."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def tree(pid: int) -> list[int]:
    """A process and those that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [pid, *(each for child in children for each in tree(int(child)))]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no end",
        b"\n\n\r\n",
        bytes(range(256)) * 5000,
        b'{"a":"' + b"x" * (20 * MIB) + b'"}\n{}\n',
        b"\xff\xfe\x00" * 7 + b"\n" + b"[" * 100_000 + b"\n",
    ],
    ids=["nothing", "no-end", "blank", "binary", "long-line", "garbage"],
)
@pytest.mark.parametrize(
    "options", a_few(("", "record", "lose"), {"record"}, "sends megabytes once more")
)
def test_bytes_pass_unchanged(data: bytes, options: str, tmp_path: Path) -> None:
    given = {
        "": [],
        "record": ["--record", str(tmp_path / "t.ndjson"), "--check"],
        "lose": ["--lose", "answer:session/prompt"],
    }
    done = subprocess.run(
        tap(python(ECHO), *given[options]), input=data, capture_output=True, check=False
    )
    assert done.stdout == data
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_each_message_passes_at_once() -> None:
    with tapped(python(ECHO)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for part in (b"a", b"bc\n", b"d"):
            process.stdin.write(part)
            assert process.stdout.read(len(part)) == part


def test_an_agent_answers_after_the_client_has_closed_its_end() -> None:
    late = "import sys, time; data = sys.stdin.read(); time.sleep(0.2); print(data * 2, end='')"
    done = subprocess.run(tap(python(late)), input=b"ab", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"abab", b"")


def test_a_client_writes_after_the_agent_has_closed_its_output(tmp_path: Path) -> None:
    file = tmp_path / "got"
    program = (
        f"import os, sys; os.close(1); open({str(file)!r}, 'wb').write(sys.stdin.buffer.read())"
    )
    with tapped(python(program)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.read() == b""
        process.stdin.write(b"late")
        process.stdin.close()
        assert process.wait(HANGS) == 0
    assert file.read_bytes() == b"late"


def test_a_client_that_reads_no_more_breaks_the_pipe_of_the_agent() -> None:
    program = """
import os, sys, time
try:
    while True:
        os.write(1, b"x")
        time.sleep(0.01)
except BrokenPipeError:
    sys.exit(9)
"""
    with tapped(python(program)) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.wait(HANGS) == 9


def test_an_agent_that_reads_no_more_breaks_the_pipe_of_the_client() -> None:
    program = "import os, time; os.close(0); os.write(1, b'x'); time.sleep(60)"
    with tapped(python(program)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.read(1)
        with pytest.raises(BrokenPipeError):
            _write(process, b"y" * MIB)


@pytest.mark.parametrize("status", [0, 1, 2, 127, 255])
def test_the_exit_status_is_that_of_the_agent(status: int) -> None:
    program = f"import os; os.write(1, b'x' * 100_000); os._exit({status})"
    with tapped(python(program)) as process:  # whose client has not closed its end
        assert process.stdout is not None
        assert process.stdout.read() == b"x" * 100_000
        assert process.wait(HANGS) == status


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE])
def test_the_tap_dies_of_the_signal_that_the_agent_died_of(number: int) -> None:
    program = (
        f"import os, signal; signal.signal(13, signal.SIG_DFL); os.kill(os.getpid(), {number})"
    )
    done = subprocess.run(tap(python(program)), capture_output=True, check=False)
    assert done.returncode == -number


def test_output_that_is_read_late_is_not_lost_when_the_agent_has_ended() -> None:
    with tapped(python("import os; os.write(1, b'x' * 60_000)")) as process:
        assert process.stdout is not None
        time.sleep(0.5)
        assert len(process.stdout.read()) == 60_000
        assert process.wait(HANGS) == 0


def test_a_process_that_the_agent_left_behind_keeps_nobody_waiting(tmp_path: Path) -> None:
    program = """
import os, subprocess, sys
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1], "w").write(str(left.pid))
os.write(1, b"bye")
"""
    file = tmp_path / "pid"
    with tapped([*python(program), str(file)], stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b"bye"
        assert process.wait(HANGS) == 0
    os.kill(int(file.read_text()), signal.SIGKILL)


TELLING = """
import os, signal, subprocess, sys, time
def tell(number, _):
    os.write(1, b"%d\\n" % number)
for number in (1, 2, 3, 10, 12, 15):
    signal.signal(number, tell)
if len(sys.argv) > 1:
    subprocess.Popen([sys.executable, "-c", sys.argv[1]])
else:
    os.write(1, b"ready\\n")
while True:
    time.sleep(60)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"])
def test_signals_reach_the_agent_and_the_tap_stays_as_long_as_it(name: str) -> None:
    number = getattr(signal, name)
    if signal.getsignal(number) is signal.SIG_IGN:  # as a shell starts what is in the background
        signal.signal(number, signal.SIG_DFL)
    with tapped(python(TELLING)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        for _ in range(2):
            process.send_signal(number)
            assert process.stdout.readline() == b"%d\n" % number
        assert process.poll() is None


def test_signals_reach_the_whole_process_group_of_the_agent() -> None:
    command = [*python(TELLING), TELLING]
    with tapped(command) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.terminate()
        assert [process.stdout.readline() for _ in range(2)] == [b"15\n", b"15\n"]


def test_a_signal_ends_an_agent_that_leaves_it_alone() -> None:
    program = "import os, time; os.write(1, b'x'); time.sleep(60)"
    with tapped(python(program)) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.terminate()
        assert process.wait(HANGS) == -signal.SIGTERM


def test_an_agent_that_ignores_every_request_to_end_is_killed_with_the_tap() -> None:
    program = """
import os, signal, time
for number in (1, 2, 15):
    signal.signal(number, signal.SIG_IGN)
os.write(1, b"%d\\n" % os.getpid())
while True:
    time.sleep(60)
"""
    with tapped(python(program)) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        agent = int(process.stdout.readline())
        process.stdin.close()
        process.terminate()
        time.sleep(0.2)
        assert process.poll() is None
        process.kill()
        until(lambda: gone(agent))


def test_standard_error_is_that_of_the_agent() -> None:
    program = "import sys; sys.stderr.write('to the editor\\n')"
    done = subprocess.run(tap(python(program)), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"to the editor\n")


def test_folder_and_environment_are_those_of_the_client(tmp_path: Path) -> None:
    program = "import os; print(os.getcwd(), os.environ['WORD'])"
    environment = {**os.environ, "WORD": "of mouth"}
    done = subprocess.run(
        tap(python(program)), capture_output=True, check=False, env=environment, cwd=tmp_path
    )
    assert done.stdout.decode() == f"{tmp_path} of mouth\n"


def test_an_agent_that_is_not_there_is_reported() -> None:
    done = subprocess.run(tap(["./no such agent"]), capture_output=True, check=False)
    reason = b"acpgen: ./no such agent can't be started: No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", reason)


def test_the_agent_is_not_started_without_a_command() -> None:
    command = [sys.executable, "-m", "acpgen", "tap"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"AGENT" in done.stderr


@pytest.mark.parametrize("record", [False, True])
def test_a_slow_reader_slows_the_writer_and_memory_stays(record: bool, tmp_path: Path) -> None:
    flood = f"""
import os
line = {call(1, "session/list")!r} * 500
while True:
    os.write(1, line)
"""
    options = ["--record", str(tmp_path / "t.ndjson")] if record else []
    with tapped(python(flood), *options) as process:
        assert process.stdout is not None
        process.stdout.read(MIB)
        if record:
            file = tmp_path / "t.ndjson"
            sizes = [-1, file.stat().st_size]
            until(lambda: rests(sizes, file))  # since there is no reader, nothing more is recorded
        else:
            time.sleep(0.3)
        before = sum(map(memory, tree(process.pid)))
        left = 8 * MIB
        while left > 0:
            left -= len(process.stdout.read(MIB))
        assert sum(map(memory, tree(process.pid))) < before + 8 * MIB


def test_both_sides_write_much_before_they_read() -> None:
    """Neither side waits for the other one as long as its own pipe has room."""
    data = random.Random(1).randbytes(3 * MIB)
    with tapped(python(ECHO)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        writer = threading.Thread(target=_write, args=(process, data))
        writer.start()
        got = process.stdout.read(len(data))
        while len(got) < len(data):
            got += process.stdout.read(len(data) - len(got))
        writer.join()
    assert got == data


def rests(sizes: list[int], file: Path) -> bool:
    """True if a file has not grown since the last look, half a second ago."""
    time.sleep(0.5)
    sizes.append(file.stat().st_size)
    return sizes[-1] == sizes[-2]


def _write(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    left = memoryview(data)
    while left:
        left = left[process.stdin.write(left) :]


def test_requests_are_answered() -> None:
    with tapped(python(ANSWERING)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(call(1, "session/list"))
        assert b'"id": 1' in process.stdout.readline()


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_a_standard_stream_that_is_closed_is_an_empty_one(closed: str) -> None:
    program = "import sys; print(len(sys.stdin.read()) if sys.stdin else 0)"
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *tap(python(program))]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (0, b"0\n")
