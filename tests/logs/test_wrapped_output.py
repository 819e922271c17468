"""Other output among wrapped messages is passed over, and a broken message among them is not."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import CliRunner

from command_calls import APP

LIST = '{"jsonrpc":"2.0","id":%d,"method":"session/list","params":{}}'
DONE = '{"jsonrpc":"2.0","id":%d,"result":{"sessions":[]}}'
Wrap = Callable[[str], str]


def docker(text: str) -> str:
    return json.dumps({"log": f"{text}\n", "stream": "stdout", "time": "2026-12-01T10:00:00Z"})


def journald(text: str) -> str:
    return json.dumps({"__REALTIME_TIMESTAMP": "1764583200000000", "_PID": "7", "MESSAGE": text})


def pino(text: str) -> str:
    return json.dumps({"level": 30, "time": 1764583200000, "msg": text})


WRAPS = {"docker": docker, "journald": journald, "pino": pino}
PREFIXES = {"arrows": ("> ", "< "), "words": ("acp send: ", "acp recv: "), "none": ("", "")}
ORDINARY = (
    "listening on 80",
    "Started thing.",
    '{"level":"info","port":80}',
    'GET /models {"id":5,"ok":true} failed',
    "{",
    "[INFO] ready [1]",
    "id: 5",
    "",
)


def log(wrap: Wrap, prefixes: tuple[str, str], *among: str) -> bytes:
    out, in_ = prefixes
    lines = [out + LIST % 0, *among, in_ + DONE % 0, out + LIST % 1, in_ + DONE % 1]
    return "".join(f"{wrap(line)}\n" for line in lines).encode()


def called(command: str, data: bytes, *options: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(APP, [command, *options], input=data)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("prefixes", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_ordinary_lines_are_passed_over_and_counted(wrap: Wrap, prefixes: tuple[str, str]) -> None:
    data = log(wrap, prefixes, *ORDINARY)
    for command in "validate", "trace":
        status, findings, notes = called(command, data)
        assert status == 0, command
        assert "error" not in findings
        assert "warning" not in findings
        assert "4 messages" in notes
        assert f"{len(ORDINARY)} lines of other output passed over" in notes


@pytest.mark.parametrize(
    ("broken", "finding"),
    [
        ('{"jsonrpc":"2.0","id":9,"method":"session/list","params":{"a":nul', "not-json"),
        ('{"jsonrpc":"2.0","id":9}', "not-a-message"),
        ('{"jsonrpc":"2.0","id":9,"method":"session/list","params":{"cwd":5}}', "type"),
    ],
)
@pytest.mark.parametrize("prefixes", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_a_broken_message_is_not_other_output(
    wrap: Wrap, prefixes: tuple[str, str], broken: str, finding: str
) -> None:
    status, findings, _ = called("validate", log(wrap, prefixes, "ready", prefixes[0] + broken))
    assert status == 1
    assert ":3:" in findings
    assert f"error[{finding}]" in findings
    assert findings.count("\n") == 1


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_a_broken_message_behind_a_prefix_may_lack_jsonrpc(wrap: Wrap) -> None:
    broken = '> {"id":9,"method":"session/list","params":{"a":nul}}'
    status, findings, _ = called("validate", log(wrap, PREFIXES["arrows"], broken))
    assert status == 1
    assert ":2: error[not-json]" in findings
    assert findings.count("\n") == 1


def test_what_a_named_place_has_beside_messages_is_passed_over() -> None:
    data = log(docker, ("> ", "< "), *ORDINARY)
    status, findings, notes = called("validate", data, "--message-at", "/log")
    assert (status, findings) == (0, "")
    assert "4 messages: 4 accepted" in notes


def test_other_output_as_bytes_or_with_several_values_is_passed_over() -> None:
    """So journald has a text that is not printable, and a field that comes twice."""
    texts = [f"> {LIST % 0}", "\x1b[1mready\x1b[0m", f"< {DONE % 0}"]
    lines = [json.dumps({"MESSAGE": list(text.encode())}) for text in texts]
    lines += [json.dumps({"MESSAGE": other}) for other in (["a", "b"], [], None, 5)]
    status, findings, notes = called("validate", "\n".join(lines).encode())
    assert (status, findings) == (0, "")
    assert "2 messages, 5 lines of other output passed over" in notes


def test_a_batch_in_the_place_of_messages_is_refused() -> None:
    lines = [{"dir": ">", "msg": each} for each in (json.loads(LIST % 0), [json.loads(LIST % 1)])]
    status, findings, _ = called("validate", "\n".join(map(json.dumps, lines)).encode())
    assert status == 1
    assert ":2: error[not-a-message] -32600: must be an object, not an array" in findings


def test_an_object_with_a_direction_counts_as_a_message() -> None:
    lines = [
        {"dir": ">", "msg": json.loads(LIST % 0)},
        {"dir": "<", "msg": {"id": 0, "reslt": {}}},
        {"msg": {"port": 80}},
        {"dir": "<", "msg": json.loads(DONE % 0)},
    ]
    status, findings, notes = called("validate", "\n".join(map(json.dumps, lines)).encode())
    assert status == 1
    assert ":2: error[not-a-message]" in findings
    assert findings.count("\n") == 1
    assert "1 line of other output passed over" in notes


@pytest.mark.parametrize("ways", [("↑", "↓"), (1, 0), ("1", "0")])
def test_a_direction_without_words_is_no_stream(ways: tuple[object, object]) -> None:
    ends = [(ways[0], LIST % 0), (ways[1], DONE % 0), (ways[0], '{"foo":1}'), (ways[0], "[1]")]
    lines = [json.dumps({"dir": way, "msg": json.loads(text)}) for way, text in ends]
    status, findings, _ = called("validate", "\n".join(lines).encode())
    assert (status, findings.count("error[not-a-message]")) == (1, 2)


@pytest.mark.parametrize(
    "faulty",
    [
        '{"id":3,"method":"session/list","params":{},"extra":1}',
        '{"id":0,"result":{"sessions":[]},"extra":1}',
    ],
)
def test_a_message_on_a_stream_may_lack_jsonrpc_and_have_one_member_more(faulty: str) -> None:
    lines = [("stdin", LIST % 0), ("stdout", faulty), ("stdout", '{"id":5,"level":"info"}')]
    texts = [json.dumps({"dir": way, "msg": json.loads(text)}) for way, text in lines]
    status, findings, notes = called("validate", "\n".join(texts).encode())
    assert (status, findings.count(":2: ")) == (1, findings.count("\n"))
    assert "error[required] -32600 /jsonrpc" in findings
    assert "1 line of other output passed over" in notes
