"""The parts that tracing is made of."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_wire.redaction import Key
from acpgen.findings import Finding, Format, Severity
from acpgen.judge.message_text import MessageText
from acpgen.model import JsonValue, Protocol
from acpgen.trace import RULES, Recording, TraceRule, TranscriptError, judge, record
from acpgen.trace.digest import digest
from acpgen.trace.rule import Fault, rule
from case_folders import folders, name
from report_samples import rendered
from transcripts import CASES, TRIALS, findings, lines, protocol, trace

SESSION = Path(__file__).parents[1] / "interop" / "session.ndjson"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}),
        ({"a": 1, "b": None}, {"a": 1}),
        ({"a": 1, "_meta": {"x": 1}}, {"a": 1}),
        ([{"a": None}], [{}]),
        (5, 5.0),
        (10**21, 1e21),
    ],
    ids=repr,
)
def test_values_that_mean_the_same_have_one_digest(one: JsonValue, other: JsonValue) -> None:
    assert digest(one) == digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 1}),
        ([1, 2], [2, 1]),
        ([None], []),
        (1, "1"),
        (1, True),
        (0, False),
        (1.5, 1),
        ("é", "e\u0301"),
        ("a", "A"),
        ({}, []),
    ],
    ids=repr,
)
def test_values_that_mean_something_else_differ(one: JsonValue, other: JsonValue) -> None:
    assert digest(one) != digest(other)


def test_a_key_tells_its_length_and_a_hash() -> None:
    assert str(Key.of("abc")) == "key of 3 characters, #ba7816"  # SHA-256, FIPS 180-4
    assert str(Key.of("k")).startswith("key of 1 character, #")
    assert str(Key.of("寸法📦")).startswith("key of 3 characters, #")


def test_keys_are_compared_exactly() -> None:
    assert Key.of("a") == Key.of("a")
    assert Key.of("a") != Key.of("A")
    assert Key.of("é") != Key.of("e\u0301")


def in_every_format(found: list[Finding]) -> str:
    """Findings as every format prints them."""
    return "".join(rendered(form, [found]) for form in Format if found)


def keys_of(folder: Path) -> set[str]:
    """The values of the keys in a case that are long enough to be looked for."""
    messages = [json.loads(line)["message"] for line in lines(folder)]
    sent = {m["params"].get("idempotencyKey") for m in messages if "params" in m}
    return {key for key in sent if isinstance(key, str) and len(key) >= 8}


def test_no_key_is_printed() -> None:
    for folder in (*folders(CASES, "bad"), *folders(TRIALS, "bad")):
        printed = in_every_format(findings(lines(folder)))
        assert [key for key in keys_of(folder) if key in printed] == [], name(folder)


KEY_IN_AN_ID = {
    "bad-after-a-longer-prefix",
    "bad-as-message-id",
    "bad-between-digits",
    "bad-part-of-a-message-id",
    "bad-short-part-of-a-message-id",
    "ok-id-of-the-request",
    "ok-part-of-a-longer-number",
    "ok-short-part-of-a-name",
    "ok-word-of-the-protocol",
}
"""Cases in which a key is in the ID of a message or a request, which is kept."""


def test_no_key_and_no_text_is_kept() -> None:
    for folder in (*folders(CASES), *folders(TRIALS)):
        entries = [MessageText(line.encode(), n) for n, line in enumerate(lines(folder), 1)]
        kept = repr(record(entries, protocol()))
        keys = [key for key in keys_of(folder) if key in kept]
        assert keys == [] or folder.name in KEY_IN_AN_ID, name(folder)
        assert "Run the database migration." not in kept, name(folder)


def test_a_key_in_every_place_of_a_message_is_not_printed() -> None:
    """Ids, sessions, methods, error texts: whatever is made of a key, findings don't repeat it."""
    key = "7c1f0a52-3b1d-4c6e-9a1f-2f6f1d8e0b01"
    messages: list[tuple[str, dict[str, JsonValue]]] = [
        ("client", {"id": key, "method": key, "params": {"sessionId": key}}),
        (
            "client",
            {
                "id": key,
                "method": "session/prompt",
                "params": {
                    "sessionId": key,
                    "idempotencyKey": key,
                    "prompt": [{"type": "text", "text": key}],
                },
            },
        ),
        ("agent", {"method": "session/update", "params": {key: {key: [key]}, "sessionId": key}}),
        ("agent", {"id": key, "error": {"code": -32603, "message": key, "data": {key: key}}}),
        ("agent", {"id": key, "result": {"messageId": key}}),
        ("agent", {"id": key, "result": {"messageId": key}}),
        ("client", {"method": "$/cancel_request", "params": {"requestId": key}}),
        ("client", {"method": "$/cancel_request", "params": {"requestId": key}}),
    ]
    rows = [
        json.dumps({"connection": key, "from": who, "message": {"jsonrpc": "2.0", **message}})
        for who, message in messages
    ]
    found = findings(rows)
    assert {"duplicate-id", "answered-twice", "key-echoed", "not-retried-resent"} <= {
        finding.rule for finding in found
    }
    assert key[:8] not in in_every_format(found)


SECRET = "b44c1d0e/3b1d:4c6e"
"""A key that is not a word: none of its parts is long enough for one."""


def rows_of(messages: list[tuple[str, JsonValue, dict[str, JsonValue]]]) -> list[str]:
    """The lines of a transcript: who sent what on which connection."""
    return [
        json.dumps(
            {"from": who, "connection": connection, "message": {"jsonrpc": "2.0", **message}}
        )
        for who, connection, message in messages
    ]


def prompt_with(key: str) -> dict[str, JsonValue]:
    blocks: list[JsonValue] = [{"type": "text", "text": "Go on."}]
    params: dict[str, JsonValue] = {"sessionId": "s", "idempotencyKey": key, "prompt": blocks}
    return {"id": 7, "method": "session/prompt", "params": params}


def leak(name: str, member: dict[str, JsonValue]) -> dict[str, JsonValue]:
    update: JsonValue = {"sessionUpdate": "state_update", "state": "idle", "_meta": {name: member}}
    return {"method": "session/update", "params": {"sessionId": "s", "update": update}}


@pytest.mark.parametrize(
    "key", [SECRET, "7c1f0a52-3b1d-4c6e-9a1f-2f6f1d8e0b01", "寸法📦寸法📦寸法"]
)
@pytest.mark.parametrize("name", ["{}", "x:{}", "{}.more", "pre{}post", "{}{}", "a/{}/~b"])
@pytest.mark.parametrize("value", ["{}", "another-secret"])
@pytest.mark.parametrize("replayed", [False, True])
def test_a_path_ends_before_a_name_with_a_key(
    key: str, name: str, value: str, *, replayed: bool
) -> None:
    """Also where the prompt with the key comes later, as after a replay."""
    reported = leak(name.format(key, key), {"idempotencyKey": value.format(key)})
    messages: list[tuple[str, JsonValue, dict[str, JsonValue]]] = [
        ("client", 1, prompt_with(key)),
        ("agent", 1, reported),
    ]
    found = findings(rows_of(messages[::-1] if replayed else messages))
    echoes = [finding for finding in found if finding.rule == "key-echoed"]
    assert {finding.pointer for finding in echoes} == {"/params/update/_meta"}
    assert key not in in_every_format(found).replace("~1", "/").replace("~0", "~")


@pytest.mark.parametrize(
    "sent",
    [
        {"id": 7, "method": "session/prompt", "params": {"idempotencyKey": SECRET}},
        {"method": "session/prompt", "params": {"sessionId": "s", "idempotencyKey": SECRET}},
        {"id": 7, "method": "session/list", "params": {"_meta": {"idempotency_key": SECRET}}},
    ],
    ids=["no-session", "no-id", "misplaced"],
)
def test_a_key_that_is_sent_wrongly_is_not_printed_either(sent: dict[str, JsonValue]) -> None:
    messages: list[tuple[str, JsonValue, dict[str, JsonValue]]] = [
        ("client", f"to {SECRET}", sent),
        ("agent", f"to {SECRET}", leak(f"x:{SECRET}", {"idempotencyKey": "another-secret"})),
    ]
    found = findings(rows_of(messages))
    assert "key-echoed" in {finding.rule for finding in found}
    printed = in_every_format(found).replace("~1", "/")
    assert SECRET not in printed
    assert f"[{len(SECRET) + 3} characters, not shown]" in printed


def test_a_name_too_long_to_be_looked_through_ends_a_path() -> None:
    reported = leak("x" * 513, {"idempotencyKey": "another-secret"})
    found = findings(rows_of([("agent", 1, reported)]))
    pointers = [finding.pointer for finding in found if finding.rule == "key-echoed"]
    assert pointers == ["/params/update/_meta"]


def test_names_without_keys_are_reported() -> None:
    reported = leak("x:trace", {"idempotencyKey": "another-secret"})
    found = findings(rows_of([("client", 1, prompt_with(SECRET)), ("agent", 1, reported)]))
    pointers = [finding.pointer for finding in found if finding.rule == "key-echoed"]
    assert pointers == ["/params/update/_meta/x:trace/idempotencyKey"]


def test_the_versions_that_connections_settle_on_are_kept() -> None:
    messages: list[tuple[str, JsonValue, dict[str, JsonValue]]] = []
    for connection, version in [(1, 1), (2, 2), (3, True), (4, None)]:
        call: dict[str, JsonValue] = {"id": 0, "method": "initialize", "params": {}}
        messages.append(("client", connection, call))
        messages.append(("agent", connection, {"id": 0, "result": {"protocolVersion": version}}))
    entries = [MessageText(row.encode(), n) for n, row in enumerate(rows_of(messages), 1)]
    assert record(entries, protocol()).traffic.versions == {1, 2}


def without_keys() -> Protocol:
    """The protocol, as a schema states it that knows neither keys nor classes."""
    methods = (dataclasses.replace(m, retry=None, key=None) for m in protocol().methods)
    return dataclasses.replace(protocol(), methods=tuple(methods))


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_that_needs_keys_says_so(rule: TraceRule) -> None:
    """It finds nothing in its own bad cases where the schema has no keys; the others still do."""
    found = {
        finding.rule
        for folder in (CASES / rule.id).glob("bad-*")
        for finding in trace(
            [MessageText(line.encode(), n) for n, line in enumerate(lines(folder), 1)],
            without_keys(),
            folder.name,
        )
    }
    assert (rule.id in found) is not rule.needs_keys


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_that_needs_order_says_so(rule: TraceRule) -> None:
    """It finds nothing in its own bad cases where the log states no order; the others still do."""
    found: set[str] = set()
    for folder in (CASES / rule.id).glob("bad-*"):
        entries = [MessageText(line.encode(), n) for n, line in enumerate(lines(folder), 1)]
        unordered = dataclasses.replace(record(entries, protocol()), ordered=False)
        found |= {finding.rule for finding in judge(unordered, folder.name)}
    assert (rule.id in found) is not rule.needs_order


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_that_needs_connections_says_so(rule: TraceRule) -> None:
    """It finds nothing in its own bad cases where connections can't be told apart."""
    found: set[str] = set()
    for folder in (CASES / rule.id).glob("bad-*"):
        entries = [MessageText(line.encode(), n) for n, line in enumerate(lines(folder), 1)]
        mixed = dataclasses.replace(record(entries, protocol()), separate=False)
        found |= {finding.rule for finding in judge(mixed, folder.name)}
    assert (rule.id in found) is not rule.needs_connections


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "ends before the JSON value does"),
        ("[]", "is not a line of a transcript: it needs from and message"),
        ('{"from": "client"}', "is not a line of a transcript: it needs from and message"),
        ('{"from": "editor", "message": {}}', "from must be one of client, agent, proxy"),
        ('{"from": 5, "message": {}}', "from must be one of client, agent, proxy"),
        (
            '{"from": "agent", "message": {}, "connection": true}',
            "connection must be a string or an integer",
        ),
        ('{"from": "agent", "message": NaN}', "holds NaN, which is not a JSON value"),
    ],
)
def test_a_line_that_is_none_says_why(line: str, reason: str) -> None:
    with pytest.raises(TranscriptError) as caught:
        findings(['{"from": "client", "message": {}}', line])
    assert (str(caught.value), caught.value.line) == (reason, 2)


@pytest.mark.parametrize(
    "message",
    [None, 5, "x", [], {}, {"method": 5}, {"id": 1.5, "method": "initialize"}, {"result": {}}],
    ids=repr,
)
def test_a_message_that_is_none_is_left_to_validate(message: JsonValue) -> None:
    rows = [json.dumps({"from": "agent", "message": message})]
    assert [finding.rule for finding in findings(rows)] == ["partial-connection"]


def test_an_error_without_a_code_is_an_error() -> None:
    folder = CASES / "inserted-despite-error" / "bad-while-pending"
    *head, last = lines(folder)
    changed = json.loads(last)
    changed["message"]["error"] = None
    (finding,) = findings([*head, json.dumps(changed)])
    assert finding.rule == "inserted-despite-error"


def test_connections_are_distinguished_by_type() -> None:
    row = '{{"connection": {}, "from": "client", "message": {{"id": 1, "method": "_x"}}}}'
    found = findings([row.format(connection) for connection in ("1", '"1"', '""', "1")])
    assert [f.line for f in found if f.rule == "duplicate-id"] == [4]


def test_no_connection_is_null_and_is_the_empty_one() -> None:
    rows = [
        '{"from": "client", "message": {"id": 1, "method": "_x"}}',
        '{"connection": null, "from": "client", "message": {"id": 1, "method": "_x"}}',
        '{"connection": "", "from": "client", "message": {"id": 1, "method": "_x"}}',
    ]
    assert [f.line for f in findings(rows) if f.rule == "duplicate-id"] == [2, 3]


def test_the_recorded_session_has_the_mistakes_that_it_was_made_with() -> None:
    """Its client tries to prompt before it resumes, and leaves the key of a lost prompt out."""
    with SESSION.open("rb") as stream:
        entries = [MessageText(line.rstrip(b"\n"), n) for n, line in enumerate(stream, 1)]
    found = trace(entries, protocol(), SESSION.name)
    assert [(f.line, f.severity, f.rule) for f in found] == [
        (191, Severity.WARNING, "key-not-kept"),
        (191, Severity.WARNING, "session-not-open"),
    ]


def test_tracing_twice_finds_the_same() -> None:
    entries = [
        MessageText(line.encode(), n)
        for n, line in enumerate(lines(CASES / "split-cancel" / "bad-only-the-one"), 1)
    ]
    recording = record(entries, protocol())
    assert judge(recording, "a") == judge(recording, "a") == trace(entries, protocol(), "a")


def test_what_was_recorded_does_not_change() -> None:
    recording = record([], protocol())
    with pytest.raises(dataclasses.FrozenInstanceError):
        recording.keys = frozenset()  # type: ignore[misc]


def test_a_rule_needs_its_documentation() -> None:
    with pytest.raises(ValueError, match="undocumented needs a docstring"):

        @rule(Severity.ERROR)
        def undocumented(_recording: Recording) -> Iterator[Fault]:
            return iter(())
