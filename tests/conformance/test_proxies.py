"""A proxy that leaves keys alone passes; one that touches any of them fails."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from acp_conformance.launchers import StartError, UnusableProgramError
from acp_conformance.proxy_traces import PROXY_TRACES, ProxyTrace, judge_proxy, play_proxy
from acp_conformance.verdict import TraceResult
from proofs import a_few

FIRST, AGAIN, ANEW = PROXY_TRACES

PROXY = """
import json, pathlib, subprocess, sys, threading, uuid

BEGIN
agent = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def back():
    for line in agent.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

threading.Thread(target=back, daemon=True).start()
for line in sys.stdin.buffer:
    message = json.loads(line)
    params, method = message.get("params", {}), message.get("method")
    key, session = params.get("idempotencyKey"), params.get("sessionId")
    keyed = isinstance(key, str) and key
    CHANGE
    agent.stdin.write(json.dumps(message).encode() + b"\\n")
    agent.stdin.flush()
agent.stdin.close()
"""
"""It may keep something in the file that it is given."""

RIGHT = {
    "forwards": "pass",
    "writes null for omitted": "params.setdefault('idempotencyKey', None)",
    "adds a block": "'prompt' in params and params['prompt'].append({'type': 'text', 'text': 'x'})",
    "sends prompts twice": (
        "keyed and agent.stdin.write(json.dumps({**message, 'id': 'x'}).encode() + b'\\n')"
    ),
    "swallows cancels": "if method in ('session/cancel', '$/cancel_request'): continue",
}
RAW = """
import subprocess, sys, threading

agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def back():
    for line in agent.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

threading.Thread(target=back, daemon=True).start()
for line in sys.stdin.buffer:
    agent.stdin.write(line.replace(b'"params":', WHAT + b'"params":'))
    agent.stdin.flush()
"""
SPACES = {
    "a carriage return": "b'\\r'",
    "a member with line separators": '\'"x": "\u2028\u0085",\'.encode()',
}
"""What a proxy may write between the members of a message."""

WRONG = {
    "drops what it does not know": "params.pop('idempotencyKey', None)",
    "makes keys": "params.setdefault('idempotencyKey', '0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab')",
    "folds case": "params.update({'idempotencyKey': key.lower()} if isinstance(key, str) else {})",
    "strips": "params.update({'idempotencyKey': key.strip()} if isinstance(key, str) else {})",
    "cuts": "params.update({'idempotencyKey': key[:64]} if isinstance(key, str) else {})",
    "takes malformed for omitted": "isinstance(key, int) and params.pop('idempotencyKey')",
    "moves it to _meta": "key and params.update(_meta={'key': params.pop('idempotencyKey')})",
    "sends nothing": "if 'prompt' in params: continue",
    "sends no params": "'prompt' in params and message.pop('params')",
    "puts params in a list": "'prompt' in params and message.update(params=[params])",
    "sends params that are no object": "'prompt' in params and message.update(params=7)",
    "sends what is not a message": "message = [message] if 'prompt' in params else message",
    "dies of long keys": "isinstance(key, str) and len(key) > 200 and sys.exit()",
}
"""What a proxy does wrong when a prompt is sent for the first time."""

NEW = "params.update(idempotencyKey=uuid.uuid4().hex)"
DROP = "params.pop('idempotencyKey')"
DROP_IN_SEEN = f"if keyed and session in seen: {DROP}"
BOTH = {AGAIN.name, ANEW.name}
SEEN = "seen = set()"
STORED = """
file = pathlib.Path(sys.argv[1])
file.touch()
"""
LATER: Final[dict[str, tuple[str, str, set[str]]]] = {
    "gives a retry a new key": (
        SEEN,
        f"if keyed and (session, key) in seen: {NEW}\n    seen.add((session, str(key)))",
        BOTH,
    ),
    "drops the key of a retry": (
        SEEN,
        f"if keyed and (session, key) in seen: {DROP}\n    seen.add((session, str(key)))",
        BOTH,
    ),
    "answers a retry by itself": (
        SEEN,
        "if keyed and (session, key) in seen:\n"
        "        answer = {'id': message['id'], 'result': {'messageId': 'x'}}\n"
        "        print(json.dumps(answer), flush=True)\n"
        "        continue\n"
        "    keyed and seen.add((session, key))",
        BOTH,
    ),
    "gives a key that another session has a new one": (
        "seen = {}",
        f"if keyed and seen.setdefault(key, session) != session: {NEW}",
        BOTH,
    ),
    "keeps the key of a text": (
        "seen = {}",
        "if keyed: params['idempotencyKey'] = seen.setdefault(json.dumps(params['prompt']), key)",
        {AGAIN.name},
    ),
    "drops keys after session/resume": (
        SEEN,
        f"method == 'session/resume' and seen.add(session)\n    {DROP_IN_SEEN}",
        BOTH,
    ),
    "drops keys after session/close": (
        SEEN,
        f"method == 'session/close' and seen.add(session)\n    {DROP_IN_SEEN}",
        {AGAIN.name},
    ),
    "drops keys after session/cancel": (
        SEEN,
        f"method == 'session/cancel' and seen.add(session)\n    {DROP_IN_SEEN}",
        {AGAIN.name},
    ),
    "drops a key that was cancelled": (
        "last, seen = None, set()",
        "last = key or last\n"
        "    method == '$/cancel_request' and seen.add(last)\n"
        f"    if keyed and key in seen: {DROP}",
        {AGAIN.name},
    ),
    "gives a key that it had before it was started again a new one": (
        STORED + "before = file.read_text().splitlines()",
        "name = json.dumps([session, key])\n"
        f"    if keyed and name in before: {NEW}\n"
        "    keyed and file.open('a').write(name + '\\n')",
        {ANEW.name},
    ),
    "drops keys once it was started again": (
        STORED + "again = file.read_text()\nfile.write_text('x')",
        f"if keyed and again: {DROP}",
        {ANEW.name},
    ),
}
"""What begins such a proxy, what it does with a message, and the traces that show it."""

QUICK_RIGHT = {"forwards", "adds a block"}
QUICK_WRONG = {"drops what it does not know", "folds case", "takes malformed for omitted"}
QUICK_LATER = {"gives a retry a new key", "drops keys once it was started again"}
"""What `make test` tries of them."""

UNANSWERED = {"sends nothing", "sends what is not a message"}
SHORT = 3.0
"""Seconds, all of which pass where prompts are not answered."""


def proxy(folder: Path, change: str, begin: str = "") -> list[str]:
    path = folder / "proxy.py"
    path.write_text(PROXY.replace("BEGIN", begin).replace("CHANGE", change), "utf-8")
    return [sys.executable, str(path), "{folder}/kept", "{agent}"]


def played(command: Sequence[str]) -> list[TraceResult]:
    """As `judge_proxy`, with all traces at once."""
    with ThreadPoolExecutor(len(PROXY_TRACES)) as pool:
        return list(pool.map(lambda trace: play_proxy(command, trace, 10.0), PROXY_TRACES))


def broken(results: Sequence[TraceResult]) -> set[str]:
    """The traces that showed something broken, each what it is about."""
    for result in results:
        (asked,) = {trace.proves for trace in PROXY_TRACES if trace.name == result.trace}
        assert {id_ for id_, _ in result.broken} in (set(), asked)
    return {result.trace for result in results if result.broken}


@pytest.mark.parametrize("name", a_few(RIGHT, QUICK_RIGHT, "starts many processes"))
def test_a_proxy_that_is_right_passes(tmp_path: Path, name: str) -> None:
    results = played(proxy(tmp_path, RIGHT[name]))
    assert broken(results) == set()
    assert [result.kept for result in results] == [trace.proves for trace in PROXY_TRACES]


@pytest.mark.parametrize("name", a_few(WRONG, QUICK_WRONG, "starts many processes"))
def test_a_proxy_that_is_wrong_fails(tmp_path: Path, name: str) -> None:
    seconds = SHORT if name in UNANSWERED else 10.0
    result = play_proxy(proxy(tmp_path, WRONG[name]), FIRST, seconds)
    assert result.kept == frozenset()
    assert broken([result]) == {FIRST.name}


@pytest.mark.parametrize("name", a_few(LATER, QUICK_LATER, "starts many processes"))
def test_a_proxy_that_is_wrong_later_fails_where_it_is(tmp_path: Path, name: str) -> None:
    begin, change, traces = LATER[name]
    results = played(proxy(tmp_path, change, begin))
    assert broken(results) == traces
    assert {result.trace for result in results if result.kept} == {
        trace.name for trace in PROXY_TRACES
    } - traces


def test_every_trace_finds_something_that_others_miss() -> None:
    found = [{FIRST.name}, *(traces for _, _, traces in LATER.values())]
    assert {name for traces in found if len(traces) == 1 for name in traces} == {
        trace.name for trace in PROXY_TRACES
    }


@pytest.mark.parametrize("name", SPACES)
def test_a_proxy_may_write_what_json_may_hold(tmp_path: Path, name: str) -> None:
    path = tmp_path / "proxy.py"
    path.write_text(RAW.replace("WHAT", SPACES[name]), "utf-8")
    result = play_proxy([sys.executable, str(path), "{agent}"], FIRST, 10.0)
    assert result.kept == FIRST.proves
    assert list(result.broken) == []


@pytest.mark.prove("waits for proxies that do not answer")
@pytest.mark.parametrize(
    ("trace", "waits", "reason"),
    [
        (FIRST, "'prompt' in params", "prompt 0 got no answer in 3 seconds: give more --timeout"),
        (AGAIN, "method == 'session/resume'", "session/resume failed (on the same connection)"),
        (ANEW, "'prompt' in params", "prompt 0 did not reach the agent"),
        (
            ANEW,
            "method == 'session/resume'",
            "session/resume failed (to a new process of the proxy)",
        ),
    ],
)
def test_a_proxy_that_takes_too_long_is_not_judged(
    tmp_path: Path, trace: ProxyTrace, waits: str, reason: str
) -> None:
    result = play_proxy(proxy(tmp_path, f"{waits} and threading.Event().wait()"), trace, SHORT)
    assert result.open == trace.proves
    assert list(result.broken) == []
    assert result.reason == reason


def test_what_a_slow_proxy_did_wrong_counts(tmp_path: Path) -> None:
    waits = "key == 'Case' and threading.Event().wait(); " + WRONG["makes keys"]
    result = play_proxy(proxy(tmp_path, waits), FIRST, SHORT)
    assert broken([result]) == {FIRST.name}


def test_a_proxy_that_reaches_no_agent_is_not_judged() -> None:
    played = judge_proxy([sys.executable, "-c", "", "{agent}"], PROXY_TRACES, 10.0)
    result = next(played)
    assert result.open == FIRST.proves
    assert list(result.broken) == []
    assert result.reason == "the agent behind the proxy could not be reached (exit status 0)"
    with pytest.raises(UnusableProgramError, match="could not be reached"):
        next(played)


ODD: Final = ("null", "5", '"x"', "[1]", '{"sessionId": [1]}')
SAYS = """
import json, sys

result, where = json.loads(sys.argv[1]), sys.argv[2]
for line in sys.stdin:
    message = json.loads(line)
    good = {"sessionId": "s"} if message.get("method") == "session/new" else {}
    odd = message.get("method") == where
    head = {"jsonrpc": "2.0", "id": message.get("id")}
    answer = {**head, "result": result if odd else good}
    if where == "error" and "prompt" in str(message.get("params")):
        answer = {**head, "error": result}
    if where == "id":
        print(json.dumps({"id": result, "result": good}))
    if where == "method":
        print(json.dumps({"id": result, "method": result, "params": result}))
    if where == "update":
        print(json.dumps({"method": "session/update", "params": result}))
    print(json.dumps(answer), flush=True)
"""
WHERE: Final = (
    "initialize",
    "session/new",
    "session/prompt",
    "session/resume",
    "session/list",
    "error",
    "id",
    "method",
    "update",
)


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("value", a_few(ODD, ODD[:1], "starts many processes"))
def test_a_proxy_is_judged_whatever_it_answers(value: str, where: str) -> None:
    command = [sys.executable, "-S", "-c", SAYS, value, where, "{agent}"]
    result = play_proxy(command, AGAIN, 1.0)
    assert result.kept == frozenset()
    assert result.begun is (where != "session/new")


def test_a_proxy_that_is_not_there_is_an_error() -> None:
    with pytest.raises(StartError, match="no-such-proxy can't be started"):
        play_proxy(["no-such-proxy", "{agent}"], FIRST, 1.0)
