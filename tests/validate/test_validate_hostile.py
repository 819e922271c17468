"""Whatever the bytes are, there is a verdict."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from acpgen.findings import Severity
from acpgen.judge.inputs import InputError
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.judge.single import validate
from acpgen.judge.transcript import Transcript
from acpgen.model import Protocol
from acpgen.types.type_table import type_table
from log_inputs import entries_of, read_input

WORDS = [
    *("{", "}", "[", "]", ":", ",", " ", "\n", '"', "\\", "\\u", "d83d", "\\ud83d", "\ufeff", "\0"),
    *("0", "-", "1e9", "1e999", "NaN", "-Infinity", "true", "null", "9" * 5000, "[" * 200),
    *('"jsonrpc"', '"2.0"', '"id"', '"method"', '"session/prompt"', '"params"', '"result"'),
    *(
        '"from"',
        '"client"',
        '"message"',
        '"connection"',
        '"idempotencyKey"',
        '"_meta"',
        "é",
        "\ud800",
    ),
]

texts = st.lists(st.sampled_from(WORDS), max_size=40).map("".join)
raw = st.one_of(
    st.binary(max_size=60),
    texts.map(lambda text: text.encode("utf-8", "surrogatepass")),
    texts.map(lambda text: text.encode("utf-16", "surrogatepass")),
)
values = st.sampled_from(
    [
        *("2.0", "session/prompt", "session/update", "_x", "$/x", "client", "agent", "proxy"),
        *(None, True, 1, 1.0, 2.5, 10**30, "", {}, [], [1], {"a": {"b": None}}),
        *({"sessionId": "s"}, {"code": 1, "message": "x"}, {"update": {"sessionUpdate": 1}}),
        {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}},
    ]
)
members = st.sampled_from(
    ["jsonrpc", "id", "method", "params", "result", "error", "from", "message", "connection"]
)
messages = st.dictionaries(members, values)


def well_formed(verdict: MessageVerdict) -> bool:
    """True if a verdict says the same in each of its members."""
    errors = [fault for fault in verdict.findings if fault.severity is Severity.ERROR]
    return verdict.accepted is not bool(errors) and (verdict.code is None or bool(errors))


@given(raw)
@example(b'{"a":' * 100_000)
@example(b"[" * 1_000_000)
@example(b'"' + b'\\"' * 100_000)
@example(b"9" * 1_000_000)
@example(b"\x00" * 1000)
def test_bytes(protocol: Protocol, data: bytes) -> None:
    assert well_formed(validate(data, protocol=protocol))


@given(texts)
def test_text(protocol: Protocol, text: str) -> None:
    assert well_formed(validate(text, protocol=protocol))


@given(st.lists(messages, max_size=4))
def test_messages_and_lines_of_transcripts(protocol: Protocol, lines: list[object]) -> None:
    transcript = Transcript(type_table(protocol))
    for line in lines:
        assert well_formed(transcript.judge(json.dumps(line)))
        assert well_formed(transcript.judge_line(json.dumps(line)))


@given(st.lists(raw, max_size=4).map(b"\n".join))
def test_files(data: bytes) -> None:
    try:
        entries = list(entries_of(read_input(data)))
    except InputError:
        return
    assert all(entry.text.strip(b" \t\r\n") for entry in entries)
    numbers = [entry.line for entry in entries]
    assert numbers == sorted(set(numbers))
