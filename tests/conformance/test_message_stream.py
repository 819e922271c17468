"""The wire drops nothing, and leaves nothing running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_conformance.agent_connection import AgentConnection, TranscriptLog
from acp_conformance.exit_report import ExitReport
from acp_conformance.launchers import Programs
from acp_conformance.message_stream import MessageStream
from waiting import HANGS, gone, until

PATIENCE = HANGS


def run(program: str, record: Callable[[str, bytes], None] = lambda *_: None) -> MessageStream:
    return Programs([sys.executable, "-u", "-c", program]).start(record)


def appears(path: Path) -> None:
    """Wait until a file is there that has something in it."""
    until(lambda: path.exists() and path.read_text())


def test_everything_that_was_written_before_a_kill_is_read(tmp_path: Path) -> None:
    done = tmp_path / "done"
    stream = run(
        "import sys, time\n"
        "for n in range(20_000): sys.stdout.write('{\"n\": %d}\\n' % n)\n"
        "sys.stdout.flush()\n"
        f"open({str(done)!r}, 'w').write('x')\n"
        "time.sleep(60)\n"
    )
    appears(done)
    stream.kill()
    assert [line["n"] for line in stream.lines] == list(range(20_000))
    assert stream.closed


FIRST = '{"jsonrpc": "2.0", "id": 1, "result": {}}'
ANSWER = '{"jsonrpc": "2.0", "id": 2, "result": {}}'


@pytest.mark.parametrize("member", ["id", "method", "params", "result"])
def test_lines_that_cannot_be_handled_are_counted_apart(member: str) -> None:
    stream = run(
        "for depth in range(700, 1010, 3):\n"
        f"    deep = '[' * depth + ']' * depth\n"
        f'    print(\'{{"id": 1, "method": 1, "{member}": \' + deep + \'}}\')\n'
        f"print({ANSWER!r}, flush=True)\n"
    )
    connection = AgentConnection(stream)
    assert connection.answer(2, PATIENCE) == json.loads(ANSWER)
    assert isinstance(str(stream.lines), str)
    stream.kill()


@pytest.mark.parametrize("value", ["null", "5", '"x"', "[1]", '{"a": [1]}'])
def test_updates_of_any_shape_are_looked_at(value: str) -> None:
    update = '{"sessionId": "s", "update": {"sessionUpdate": VALUE, "state": VALUE}}'
    odd = [
        '{"method": "session/update", "params": VALUE}',
        '{"method": "session/update", "params": {"sessionId": "s", "update": VALUE}}',
        '{"method": "session/update", "params": {"sessionId": VALUE, "update": {}}}',
        f'{{"method": "session/update", "params": {update}}}',
        '{"id": VALUE, "result": VALUE}',
        '{"id": VALUE, "method": VALUE, "params": VALUE}',
    ]
    lines = "\n".join([*odd, '{"id": "end"}', ANSWER, ""]).replace("VALUE", value)
    connection = AgentConnection(run(f"import sys; sys.stdout.write({lines!r})"))
    assert connection.answer(2, PATIENCE) == json.loads(ANSWER)
    assert connection.worked("s", 0) is False
    assert connection.working("s") in (True, None)
    assert connection.user_messages("s") == {}
    connection.stream.kill()


def test_half_a_line_is_kept_as_noise(tmp_path: Path) -> None:
    done = tmp_path / "done"
    stream = run(
        "import sys, time\n"
        "sys.stdout.write('{\"id\": 1')\n"
        f"open({str(done)!r}, 'w').write('x')\n"
        "time.sleep(60)\n"
    )
    appears(done)
    stream.kill()
    assert (stream.lines, stream.unparsed) == ([], [b'{"id": 1'])


def test_what_a_wrapper_started_is_killed_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    inner = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    stream = run(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])")
    appears(pid)
    stream.kill()
    until(lambda: gone(pid.read_text()))


DAEMON = """
import subprocess, sys
held = subprocess.Popen([sys.executable, "-u", "-c", {inner!r}], start_new_session=True)
open({pid!r}, "w").write(str(held.pid))
print('{{"n": 1}}', flush=True)
sys.stdin.read()
"""
HOLDS = "import time; time.sleep(600)"
FLOODS = """
import contextlib, time
end = time.monotonic() + 600
while time.monotonic() < end:
    with contextlib.suppress(OSError):
        print('{"flood": 1}')
"""


@pytest.mark.parametrize("inner", [HOLDS, FLOODS], ids=["holds", "floods"])
@pytest.mark.parametrize("over", [MessageStream.kill, MessageStream.end], ids=["killed", "ended"])
def test_who_holds_the_output_open_is_not_waited_for(
    tmp_path: Path, inner: str, over: Callable[[MessageStream], None]
) -> None:
    pid = tmp_path / "pid"
    stream = run(DAEMON.format(inner=inner, pid=str(pid)))
    assert stream.wait(lambda: {"n": 1} in stream.lines, PATIENCE)
    over(stream)
    daemon = int(pid.read_text())
    try:
        assert stream.closed
        assert not gone(str(daemon))
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_an_agent_that_reads_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_conformance.message_stream.LEAVING", 0.1)
    stream = run("import time; print('{}'); time.sleep(600)")
    for _ in range(3):
        stream.send({"text": "x" * 2**20})
        stream.flush()
    assert stream.wait(lambda: stream.lines == [{}], PATIENCE)
    assert not stream.closed
    stream.kill()


def test_a_long_line_is_sent_and_read_whole() -> None:
    stream = run("print(input())")
    stream.send({"text": "x" * 2**21})
    assert stream.wait(lambda: bool(stream.lines), PATIENCE)
    assert stream.lines == [{"text": "x" * 2**21}]
    stream.end()


def test_writing_to_an_ended_agent_has_no_effect() -> None:
    stream = run("")
    assert stream.wait(lambda: stream.closed, PATIENCE)
    stream.send({"jsonrpc": "2.0", "method": "x"})
    stream.flush()
    stream.end()


BURSTS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    for n in range(10_000):  # before it reads again: more than both pipes hold
        request = {"id": f"p{n}", "method": "session/request_permission", "params": {}}
        sys.stdout.write(json.dumps(request) + "\\n")
    sys.stdout.flush()
    answered = [json.loads(sys.stdin.readline())["id"] for _ in range(10_000)]
    right = answered == [f"p{n}" for n in range(10_000)]
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"right": right}}
    print(json.dumps(answer), flush=True)
"""


def test_an_agent_that_asks_much_before_it_reads_gets_every_answer() -> None:
    connection = AgentConnection(run(BURSTS))
    for _ in range(2):
        answer = connection.answer(connection.request("x", {}), 6 * PATIENCE)
        assert answer is not None
        assert answer["result"] == {"right": True}
    connection.stream.kill()
    assert len(connection.stream.lines) == 2 * 10_001


def test_what_was_sent_last_arrives_before_the_end() -> None:
    stream = run("import sys, time; time.sleep(0.5); print('{\"n\": %d}' % len(sys.stdin.read()))")
    stream.send({"text": "x" * 2**20})
    stream.end()
    assert stream.lines == [{"n": 2**20 + 12}]


@pytest.mark.parametrize(
    ("given", "found"),
    [("1", True), ("1.0", True), ("true", False), ("[1]", False), ('"1"', False)],
)
def test_an_answer_is_known_by_the_id_alone(given: str, found: bool) -> None:
    line = f'{{"jsonrpc": "2.0", "id": {given}, "result": {{}}}}'
    connection = AgentConnection(run(f"input(); print({line!r})"))
    connection.request("x", {})
    assert connection.stream.wait(lambda: connection.stream.closed, PATIENCE)
    assert (connection.peek(1) is not None) is found
    connection.stream.kill()


def test_the_agents_own_requests_are_answered() -> None:
    asked = [{"id": 7, "method": "session/request_permission"}, {"id": "x", "method": "_other"}]
    program = (
        f"import json\nfor asked in {asked!r}: print(json.dumps(asked))\n"
        "print(json.dumps({'got': [json.loads(input()), json.loads(input())]}))\n"
    )
    connection = AgentConnection(run(program))
    assert connection.wait(lambda: len(connection.stream.lines) == 3, PATIENCE)
    permission, other = connection.stream.lines[-1]["got"]
    assert (permission["id"], permission["result"]["outcome"]) == (7, {"outcome": "cancelled"})
    assert (other["id"], other["error"]["code"]) == ("x", -32601)
    connection.stream.kill()


def test_a_transcript_has_both_sides_in_order() -> None:
    transcript = TranscriptLog()
    connection = AgentConnection.open(
        "start",
        Programs([sys.executable, "-c", f"input(); print({FIRST!r})"]),
        'c"1',
        transcript,
    )
    assert connection is not None
    assert connection.answer(connection.initialize(), PATIENCE) == json.loads(FIRST)
    connection.stream.end()
    lines = [json.loads(line) for line in transcript.text().splitlines()]
    assert [(line["from"], line["connection"]) for line in lines] == [
        ("client", 'c"1'),
        ("agent", 'c"1'),
    ]


def test_no_descriptor_is_left_open() -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - paths are not wanted

    before = count()
    for _ in range(5):
        run("import time; time.sleep(60)").kill()
    assert count() <= before


LOGS = (
    '{"level": "info", "id": 1}',
    '{"level": "info", "id": 1, "result": {"protocolVersion": 1}}',
    '{"jsonrpc": "2.0", "id": 1}',
)


@pytest.mark.parametrize("log", LOGS)
def test_a_log_line_is_not_an_answer(log: str) -> None:
    connection = AgentConnection(run(f"input(); print({log!r}); print({FIRST!r}, flush=True)"))
    assert connection.answer(connection.initialize(), PATIENCE) == json.loads(FIRST)
    connection.stream.kill()


def test_an_answer_with_a_string_for_a_number_is_named_at_once() -> None:
    line = '{"jsonrpc": "2.0", "id": "1", "result": {}}'
    connection = AgentConnection(run(f"input(); print({line!r}, flush=True); input()"))
    assert connection.answer(connection.initialize(), 100 * PATIENCE) is None
    assert connection.fault(1) == 'was answered with the id "1", a string, not 1'
    connection.stream.kill()


def limited(program: str, *, longest: int = 1000, most: int = 2**20) -> MessageStream:
    """A stream with other limits, from a program."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return MessageStream(
        Killable(process),
        process.stdout,
        process.stdin,
        lambda *_: None,
        longest=longest,
        most=most,
    )


class Killable:
    """A process without a group."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def leave(self) -> None:
        self.kill()

    def exit_report(self, seconds: float) -> ExitReport:
        del seconds
        return ExitReport(self._process.poll())


@pytest.mark.parametrize("size", [1001, 70_000, 5_000_000])
def test_a_line_that_is_too_long_is_cut_and_the_next_one_is_read(size: int) -> None:
    stream = limited(f"print('x' * {size}); print({FIRST!r})")
    assert stream.wait(lambda: stream.closed, PATIENCE)
    assert stream.lines == [json.loads(FIRST)]
    assert stream.unparsed == [b"x" * min(size, 1024)]
    stream.kill()


def test_an_endless_line_takes_no_memory() -> None:
    limit = 700 * 2**20
    script = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n"
        "import sys\n"
        "from acp_conformance.launchers import Programs\n"
        "endless = 'import os\\nfor _ in range(4000): os.write(1, b\"x\" * 2**18)'\n"
        "stream = Programs([sys.executable, '-c', endless]).start(lambda *_: None)\n"
        "assert stream.wait(lambda: stream.closed, 60)\n"
        "print(len(stream.unparsed), len(stream.unparsed[0]))\n"
        "stream.kill()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.stdout.split() == [b"1", b"1024"], done.stderr


def test_no_more_is_read_than_is_kept() -> None:
    stream = limited("while True: print('{}')", most=100_000)
    assert stream.wait(lambda: stream.closed, PATIENCE)
    assert len(stream.lines) < 500
    report = stream.exit_report()
    assert report.summary == " (no more than 100000 bytes of its output are read)"
    stream.kill()
