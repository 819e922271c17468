"""`acpgen.validate` and `Transcript` as a library."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

import acpgen
from acp_wire.reader import MAX_DEPTH, decode
from acpgen.findings import Severity
from acpgen.judge.check import ScalarCheck
from acpgen.judge.message_verdict import MessageKind, MessageRule, MessageVerdict
from acpgen.judge.transcript import Transcript
from acpgen.model import (
    Kind,
    Method,
    MethodName,
    Object,
    Protocol,
    Side,
    Tolerance,
    TypeName,
)
from acpgen.types.json_types import JsonType
from acpgen.types.type_table import type_table

SECRET = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"


def prompt(**params: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": "x"}]
    return {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "session/prompt",
        "params": {"sessionId": "s", "prompt": content, **params},
    }


def method(protocol: Protocol, name: str) -> Method:
    found = protocol.method(MethodName(name), Kind.REQUEST)
    assert found is not None
    return found


def test_a_clean_request(protocol: Protocol) -> None:
    verdict = acpgen.validate(json.dumps(prompt()), protocol=protocol)
    assert verdict == MessageVerdict((), None, MessageKind.REQUEST, "session/prompt", 7)
    assert verdict.accepted


def test_the_schema_that_comes_with_acpgen_is_the_default() -> None:
    assert acpgen.validate(json.dumps(prompt())).accepted
    assert acpgen.validate(json.dumps(prompt(idempotencyKey=""))).code == -32602


def test_text_and_bytes_are_the_same(protocol: Protocol) -> None:
    text = json.dumps(prompt(sessionId="é", idempotencyKey=5), ensure_ascii=False)
    assert acpgen.validate(text, protocol=protocol) == acpgen.validate(
        text.encode(), protocol=protocol
    )


def test_a_result_is_judged_by_the_method_it_answers(protocol: Protocol) -> None:
    text = '{"jsonrpc":"2.0","id":1,"result":{}}'
    unknown = acpgen.validate(text, protocol=protocol)
    known = acpgen.validate(text, protocol=protocol, answers=method(protocol, "session/prompt"))
    assert unknown.accepted
    assert not unknown.complete
    assert known.complete
    assert known.code is None
    assert [fault.pointer for fault in known.findings] == ["/result/messageId"]


def test_nobody_sends_as_both_sides(protocol: Protocol) -> None:
    with pytest.raises(ValueError, match="there is no sender protocol"):
        acpgen.validate(json.dumps(prompt()), protocol=protocol, sender=Side.PROTOCOL)


def test_unstable_methods_are_those_of_the_protocol_given(protocol: Protocol) -> None:
    from acpgen.types.stability import stable

    text = '{"jsonrpc":"2.0","id":1,"method":"auth/status","params":{}}'
    assert acpgen.validate(text, protocol=protocol).accepted
    assert acpgen.validate(text, protocol=stable(protocol)).code == -32601


def test_a_protocol_without_keys_has_no_near_misses(invented: Protocol) -> None:
    text = (
        '{"jsonrpc":"2.0","id":1,"method":"toy/build","params":{"color":"red","idempotencyKey":1}}'
    )
    assert acpgen.validate(text, protocol=invented).findings == ()


def test_a_tolerant_schema_does_not_make_a_bad_key_no_key(protocol: Protocol) -> None:
    name = TypeName("PromptRequest")
    params = protocol.types[name]
    assert isinstance(params.body, Object)
    everywhere = Tolerance(default_on_error=True, default_on_null=True)
    members = tuple(replace(member, tolerance=everywhere) for member in params.body.properties)
    body = replace(params.body, properties=members)
    tolerant = replace(protocol, types={**protocol.types, name: replace(params, body=body)})

    text = json.dumps(prompt(idempotencyKey="", sessionId=5))
    found = {f.pointer: f.severity for f in acpgen.validate(text, protocol=tolerant).findings}

    assert found == {
        "/params/sessionId": Severity.RECOVERED,
        "/params/idempotencyKey": Severity.ERROR,
    }


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(prompt(idempotencyKey=SECRET * 9)),
        json.dumps(prompt(idempotencyKey={SECRET: SECRET})),
        json.dumps(prompt(idempotencyKey=[SECRET])),
        json.dumps(prompt(idempotency_key=SECRET)),
        json.dumps(prompt(_meta={"idempotencyKey": SECRET})),
        json.dumps(prompt(idempotencyKey=SECRET, sessionId=None)),
        json.dumps(prompt(prompt=[{"type": SECRET * 9, "text": SECRET}], idempotencyKey=SECRET)),
        json.dumps({**prompt(), "idempotencyKey": SECRET, "jsonrpc": SECRET}),
        json.dumps(prompt(idempotencyKey=SECRET))[:-1],
        json.dumps(prompt(idempotencyKey=SECRET)) + SECRET,
        json.dumps(prompt(idempotencyKey=SECRET)).replace(SECRET, SECRET + "\n"),
        json.dumps(prompt(idempotencyKey=SECRET)).replace(SECRET, SECRET + "\\ud800"),
        json.dumps(prompt(idempotencyKey=SECRET)).replace(
            '"s"', f'"s","idempotencyKey":"{SECRET}"'
        ),
    ],
)
def test_no_key_is_ever_quoted(text: str, protocol: Protocol) -> None:
    verdict = acpgen.validate(text, protocol=protocol)
    reported = "".join(f"{fault.message}{fault.pointer}" for fault in verdict.findings)
    assert SECRET[:8] not in reported


def test_the_places_of_a_message_over_several_lines(protocol: Protocol) -> None:
    text = '\n{"jsonrpc": "2.0",\n "method": "session/cancel",\n "params": {\n}\n}'
    (fault,) = acpgen.validate(text, protocol=protocol).findings
    assert (fault.pointer, fault.line) == ("/params/sessionId", 4)


def test_members_named_twice_are_found_where_they_stand(protocol: Protocol) -> None:
    text = (
        '{"jsonrpc":"2.0","method":"_x","params":[{"a":1,"a":{"b":1,"b":2}},{"c":{"d":1,"d":1}}]}'
    )
    found = [fault.pointer for fault in acpgen.validate(text, protocol=protocol).findings]
    assert found == ["/params/0/a", "/params/0/a/b", "/params/1/c/d"]


def test_integers_have_any_size(protocol: Protocol) -> None:
    text = json.dumps(prompt(idempotencyKey="k")).replace("7", "-" + "7" * 5000, 1)
    assert acpgen.validate(text, protocol=protocol).accepted
    too_large = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%s,' % (
        "9" * 5000
    )
    (fault,) = acpgen.validate(
        too_large + '"info":{"name":"n","version":"1"},"capabilities":{}}}', protocol=protocol
    ).findings
    assert (fault.rule, fault.pointer) == ("maximum", "/params/protocolVersion")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"\xef\xbb\xbf{}", "byte order mark"),
        ("\ufeff{}", "byte order mark"),
        (b'{\n"a": \xff}', "not UTF-8 at byte 8"),
        ('{"a": "\ud800"}', "lone surrogate"),
        ('{"a": "\\uDC00\\uD800"}', "lone surrogate"),
        ('{"a": "\\\\\\ud800"}', "lone surrogate"),
        ("NaN", "NaN"),
        ("[Infinity]", "Infinity"),
        ("1e999", "too large for a double"),
        ("[" * 128 + "]" * 128, "deeper than 127"),
        ('{"a":' * 100_000, "deeper than 127"),
        ("{}{}", "after the JSON value"),
        ("", "ends before"),
        ('{"a":1', "ends before"),
        ("{'a': 1}", "at column 2"),
        ('{"a": "\t"}', "invalid control character"),
        ("[1,]", "column"),
    ],
)
def test_what_is_not_json(text: bytes | str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        decode(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 127 + "]" * 127,
        "[" + "[{}]," * 200 + "0]",
        json.dumps("[" * 1000),
        json.dumps('\\"' + "[" * 1000),
        '"\\ud83d\\ude00"',
        '"\\\\ud800"',
        '"\\u0000"',
        "-0",
        "1e-999",
        '\r\n\t {"a": 1} \r\n',
    ],
)
def test_what_is_json(text: str) -> None:
    assert decode(text).value == json.loads(text)


@pytest.mark.parametrize(
    ("level", "depth"),
    [('{"kind":"bag","holds":%s}', 1), ('{"kind":"boxes","boxes":[{"inside":%s}]}', 3)],
)
def test_the_deepest_nesting_is_checked_to_its_end(
    level: str, depth: int, invented: Protocol
) -> None:
    packing = '{"kind":5}'
    for _ in range((MAX_DEPTH - 4) // depth):
        packing = level % packing
    text = (
        '{"jsonrpc":"2.0","id":1,"method":"toy/build","params":{"color":"red","box":{"inside":%s}}}'
    )
    (fault,) = acpgen.validate(text % packing, protocol=invented).findings
    assert fault.pointer.endswith("/kind")
    assert len(fault.path) >= MAX_DEPTH - depth


def test_a_boolean_is_not_a_number() -> None:
    at_least_two = ScalarCheck(frozenset(JsonType), (None, None), (2, None))
    assert [fault.rule for fault in at_least_two.check(1)] == [MessageRule.MINIMUM]
    assert [*at_least_two.check(True)] == []


class TestTranscript:
    def result(self, id_: int = 7, **members: Any) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": id_, "result": members})

    def test_an_answered_request_is_forgotten(self, protocol: Protocol) -> None:
        transcript = Transcript(type_table(protocol))
        transcript.judge(json.dumps(prompt()), sender=Side.CLIENT)
        first = transcript.judge(self.result(messageId="m"), sender=Side.AGENT)
        second = transcript.judge(self.result(), sender=Side.AGENT)
        assert (first.method, first.complete) == ("session/prompt", True)
        assert (second.method, second.complete) == (None, False)

    def test_nobody_answers_himself(self, protocol: Protocol) -> None:
        transcript = Transcript(type_table(protocol))
        transcript.judge(json.dumps(prompt()), sender=Side.CLIENT)
        assert not transcript.judge(self.result(), sender=Side.CLIENT).complete
        assert not transcript.judge(self.result(), sender=Side.AGENT).accepted

    def test_ids_count_on_one_connection(self, protocol: Protocol) -> None:
        transcript = Transcript(type_table(protocol))
        transcript.judge(json.dumps(prompt()), sender=Side.CLIENT, connection=1)
        other = transcript.judge(self.result(), sender=Side.AGENT, connection=2)
        same = transcript.judge(self.result(), sender=Side.AGENT, connection=1)
        assert not other.complete
        assert not same.accepted

    def test_text_and_number_are_different_ids(self, protocol: Protocol) -> None:
        transcript = Transcript(type_table(protocol))
        transcript.judge(json.dumps({**prompt(), "id": "7"}))
        assert not transcript.judge(self.result()).complete

    def test_pointers_start_at_the_message(self, protocol: Protocol) -> None:
        line = json.dumps({"from": "client", "message": prompt(sessionId=5)})
        line = line.replace('"prompt":', '"prompt": 5, "prompt":')
        found = [
            fault.pointer for fault in Transcript(type_table(protocol)).judge_line(line).findings
        ]
        assert found == ["/params/sessionId", "/params/prompt"]


def test_what_judging_imports() -> None:
    heavy = ("pydantic", "jinja2", "datamodel_code_generator", "typer", "rich", "jsonschema")
    code = f"""
import sys
import acpgen
assert "acpgen.judge" not in sys.modules
acpgen.validate
loaded = {{name.partition(".")[0] for name in sys.modules}}
print(sorted(loaded & {{*{heavy!r}, "jsonschema_rs"}}))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
