"""From verdicts to findings: connections, lines, and keys, which are distinguished, not printed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acpgen.cli.verdicts import findings_of
from acpgen.findings import Finding, Severity
from acpgen.judge.message_text import MessageText
from acpgen.judge.transcript import Transcript
from acpgen.types.type_table import type_table
from transcripts import protocol

KEY = "7c1f0a52/3b1d~4c6e"
PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}]}


def message(params: object, method: str = "session/prompt", **members: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **members}


def found(value: object, *, show_keys: bool = False, indent: int | None = None) -> list[Finding]:
    """The findings about a message that starts on line 5."""
    entry = MessageText(json.dumps(value, indent=indent).encode(), 5)
    verdict = Transcript(type_table(protocol())).judge(entry.text)
    return findings_of("a.json", entry, verdict, show_keys=show_keys)


def found_on_line(value: object) -> list[Finding]:
    """The findings about a line of a transcript."""
    entry = MessageText(json.dumps(value).encode(), 5)
    verdict = Transcript(type_table(protocol())).judge_line(entry.text)
    return findings_of("a.json", entry, verdict, transcript=True)


def test_a_finding_has_all_that_a_verdict_says() -> None:
    assert found(message({"cwd": 5}, "session/list")) == [
        Finding(
            rule="type",
            severity=Severity.ERROR,
            file="a.json",
            pointer="/params/cwd",
            message="must be a string or null, not an integer",
            line=5,
            subject="session/list",
            code=-32602,
        )
    ]


def test_lines_count_from_the_start_of_the_message() -> None:
    (finding,) = found(message({"cwd": 5}, "session/list"), indent=1)
    assert finding.line == 10


def test_only_errors_have_a_code() -> None:
    codes = {f.severity: f.code for f in found(message({**PROMPT, "idempotency_key": "k"}))}
    assert codes == {Severity.WARNING: None}


@pytest.mark.parametrize(
    ("key", "about"),
    [
        ("k" * 256, " (key of 256 characters, #ce16fe)"),
        ("", ""),
        (5, ""),
        (["k"], ""),
        ({"k": "k"}, ""),
    ],
)
def test_a_fault_of_a_key_says_which(key: object, about: str) -> None:
    (finding,) = found(message({**PROMPT, "idempotencyKey": key}))
    assert finding.pointer == "/params/idempotencyKey"
    assert finding.message.partition(" (")[2] == about.partition(" (")[2]


def test_a_near_miss_says_which_key_has_no_effect() -> None:
    (finding,) = found(message({**PROMPT, "_meta": {"IDEMPOTENCY-KEY": "abc"}}))
    assert finding.message.endswith(" (key of 3 characters, #ba7816)")  # SHA-256, FIPS 180-4


def test_keys_are_shown_to_who_asks() -> None:
    (finding,) = found(message({**PROMPT, "idempotency_key": 'a"b\n'}), show_keys=True)
    assert finding.message.endswith(r' (key "a\"b\n")')


@pytest.mark.parametrize(
    "value",
    [
        message({**PROMPT, "idempotencyKey": KEY}, KEY),
        {"params": {"idempotencyKey": KEY}, "jsonrpc": "2.0", "method": f"x/{KEY}"},
    ],
)
def test_a_method_that_is_a_key_is_hidden(value: object) -> None:
    assert [KEY in finding.subject for finding in found(value)] == [False]
    assert [KEY in finding.subject for finding in found(value, show_keys=True)] == [True]


def test_a_member_that_is_a_key_is_hidden() -> None:
    text = json.dumps(message({**PROMPT, "idempotencyKey": KEY}))
    text = text.replace('"sessionId"', f'"{KEY}": 1, "{KEY}": 2, "sessionId"')
    entry = MessageText(text.encode(), 1)
    (finding,) = findings_of("a.json", entry, Transcript(type_table(protocol())).judge(entry.text))
    assert finding.pointer.startswith("/params/[key of 18 characters, #")


def test_a_short_key_is_hidden_where_it_stands_alone() -> None:
    text = json.dumps(message({**PROMPT, "idempotencyKey": "pw-1234"}, "pw-1234"))
    (finding,) = found(json.loads(text))
    assert finding.subject == "[key of 7 characters, #197786]"
    text = json.dumps(message({**PROMPT, "idempotencyKey": "pw-1234"}))
    text = text.replace('"sessionId"', '"pw-1234": 1, "pw-1234": 2, "sessionId"')
    entry = MessageText(text.encode(), 1)
    (finding,) = findings_of("a.json", entry, Transcript(type_table(protocol())).judge(entry.text))
    assert finding.pointer == "/params/[key of 7 characters, #197786]"


@pytest.mark.parametrize("key", ["first-of-two", "second1"])
def test_of_a_key_that_is_given_twice_both_are_hidden(key: str) -> None:
    keys = '"idempotencyKey": "first-of-two", "idempotencyKey": "second1"'
    text = json.dumps(message(PROMPT, key)).replace('"sessionId"', f'{keys}, "sessionId"')
    entry = MessageText(text.encode(), 1)
    found = findings_of("a.json", entry, Transcript(type_table(protocol())).judge(entry.text))
    assert found
    assert key not in repr(found)


def test_a_short_key_hides_nothing_else() -> None:
    (finding,) = found(message({**PROMPT, "idempotencyKey": "session"}, "session/x"))
    assert finding.subject == "session/x"


@pytest.mark.parametrize(
    ("connection", "label"),
    [("a", "a"), (7, 7), (None, None), (True, None)],
)
def test_the_connection_is_what_the_transcript_calls_it(connection: object, label: object) -> None:
    sent = message({**PROMPT, "idempotencyKey": KEY, "prompt": 5})
    (finding,) = found_on_line({"from": "client", "connection": connection, "message": sent})
    assert finding.connection == label


def test_a_connection_that_is_a_key_is_hidden() -> None:
    sent = message({**PROMPT, "idempotencyKey": KEY, "prompt": 5})
    (finding,) = found_on_line({"from": "client", "connection": KEY, "message": sent})
    assert str(finding.connection).startswith("[key of 18 characters, #")


@pytest.mark.parametrize("name", ["idem_potency-KEY", r"idempotency\u004bey", "idempotency.key"])
def test_a_key_is_found_under_any_spelling_of_its_name(name: str) -> None:
    sent = json.dumps(message({**PROMPT, "NAME": KEY}, KEY)).replace("NAME", name)
    entry = MessageText(sent.encode(), 1)
    for finding in findings_of("a", entry, Transcript(type_table(protocol())).judge(entry.text)):
        assert KEY not in finding.subject


def test_what_is_not_json_has_nothing_to_tell() -> None:
    entry = MessageText(b'{"idempotencyKey": "SECRET', 3)
    (finding,) = findings_of(
        "a", entry, Transcript(type_table(protocol())).judge(entry.text), transcript=True
    )
    assert (finding.line, finding.rule, finding.connection) == (3, "not-json", None)
    assert "SECRET" not in repr(finding)
