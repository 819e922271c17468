"""Checkers and decoders read text as strictly as the judge, byte for byte."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest

from acp_wire.checking import Checkers
from acp_wire.decoding import Decoders
from acp_wire.reader import read
from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageRule
from acpgen.judge.single import validate
from acpgen.model import Protocol, Side
from acpgen.targets.checkers import compile_checkers, compile_decoders
from whole_schema import whole_schema

SESSION = Path(__file__).parents[1] / "interop" / "session.ndjson"
CANCEL = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"%s}}'
PLAN = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s",'
    b'"update":{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":%s}}}'
)
PROMPT = (
    b'{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s",'
    b'"prompt":[{"type":"text","text":"hi"}]%s}}'
)


@cache
def acp() -> Protocol:
    return whole_schema()


@cache
def checkers() -> Checkers:
    return compile_checkers(acp())


@cache
def decoders() -> Decoders:
    return compile_decoders(acp(), checkers())


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def objects(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


VALID = {
    "plain": CANCEL % b"",
    "spaces": b" \t" + CANCEL.replace(b",", b" ,\t").replace(b":", b" : ") % b"" + b"\r\n",
    "lines": CANCEL.replace(b",", b",\n") % b"",
    "escaped-name": CANCEL.replace(b"method", b"m\\u0065thod") % b"",
    "surrogate-pair": CANCEL % b',"x":"\\ud83d\\ude00"',
    "escaped-backslash": CANCEL % b',"x":"\\\\ud800"',
    "escaped-nul": CANCEL % b',"x":"\\u0000"',
    "delete": CANCEL % b',"x":"\x7f"',
    "beyond-64-bits": PLAN % b"123456789012345678901234567890",
    "integer-of-5000-digits": PLAN % (b"9" * 5000),
    "negative-of-5000-digits": CANCEL % (b',"x":-' + b"9" * 5000),
    "tiny": PLAN % b"1e-999",
    "minus-zero": PLAN % b"[-0, -0.0]",
    "127-levels": CANCEL % (b',"x":' + nested(125)),
    "127-levels-in-any": PLAN % nested(124),
    "127-levels-of-objects": PLAN % objects(124),
    "brackets-in-a-string": PLAN % (b'"' + b"[" * 500 + b'"'),
    "repeated-member": CANCEL % b',"sessionId":"t"',
    "repeated-member-first-wrong": CANCEL.replace(b'"s"', b'5,"sessionId":"s"') % b"",
    "repeated-tag": PLAN.replace(
        b'"toolCallId"', b'"sessionUpdate":"tool_call_update","toolCallId"'
    )
    % b"1",
    "repeated-tag-last-wins": PLAN.replace(
        b'"sessionUpdate"', b'"sessionUpdate":"x","sessionUpdate"'
    )
    % b"1",
    "id-beyond-64-bits": PROMPT.replace(b'"id":1', b'"id":99999999999999999999') % b"",
}
INVALID = {
    "empty": b"",
    "blank": b" \n",
    "cut": (CANCEL % b"")[:-1],
    "trailing": CANCEL % b"" + b" {}",
    "trailing-nul": CANCEL % b"" + b"\x00",
    "byte-order-mark": b"\xef\xbb\xbf" + CANCEL % b"",
    "utf-16": (CANCEL % b"").decode().encode("utf-16"),
    "utf-32": (CANCEL % b"").decode().encode("utf-32-le"),
    "nan": CANCEL % b',"x":NaN',
    "infinity": PLAN % b"-Infinity",
    "beyond-a-double": PLAN % b"1e400",
    "beyond-a-double-skipped": CANCEL % b',"x":[-1e400]',
    "not-utf-8": PLAN % b'"\xff"',
    "not-utf-8-skipped": CANCEL % b',"x":"\xff"',
    "not-utf-8-in-a-skipped-name": CANCEL % b',"\xff":1',
    "encoded-surrogate": CANCEL % b',"x":"\xed\xa0\x80"',
    "overlong": CANCEL % b',"x":"\xc0\x80"',
    "lone-surrogate": PLAN % b'"\\ud800"',
    "lone-surrogate-skipped": CANCEL % b',"x":"\\uDC00\\ud83d"',
    "lone-surrogate-in-a-skipped-name": CANCEL % b',"\\ud800":1',
    "control": CANCEL % b',"x":"\x01"',
    "tab-in-a-string": PLAN % b'"\t"',
    "bad-escape": PLAN % b'"\\q"',
    "single-quotes": PLAN % b"'x'",
    "trailing-comma": PLAN % b"[1,]",
    "leading-zero": PLAN % b"01",
    "bare-point": PLAN % b"1.",
    "plus": PLAN % b"+1",
    "comment": PLAN % b"1 /* one */",
    "vertical-tab": b"\x0b" + CANCEL % b"",
    "128-levels": CANCEL % (b',"x":' + nested(126)),
    "128-levels-in-any": PLAN % nested(125),
    "128-levels-of-objects": PLAN % objects(125),
    "100000-levels": PLAN % nested(100_000),
    "5000-digits-then-broken": PLAN % (b"9" * 5000 + b" x"),
    "a-string": b'"jsonrpc"',
    "batch": b"[" + CANCEL % b"" + b"]",
    "repeated-member-last-wrong": CANCEL % b',"sessionId":5',
    "repeated-tag-last-wrong": PLAN.replace(b'"toolCallId"', b'"sessionUpdate":5,"toolCallId"')
    % b"1",
    "key-too-long": PROMPT % (b',"idempotencyKey":"' + b"k" * 256 + b'"'),
    "integral-float-for-an-integer": PROMPT.replace(b'"id":1', b'"id":1.0') % b"",
    "boolean-for-an-integer": PROMPT.replace(b'"id":1', b'"id":true') % b"",
}
REMARKABLE = {
    "misspelled-key": PROMPT % b',"idempotency_key":"k"',
    "misspelled-key-with-a-dot": PROMPT % b',"idempotency.key":"k"',
    "key-in-meta": PROMPT % b',"_meta":{"idempotencyKey":"k"}',
    "key-on-a-method-without": CANCEL % b',"idempotencyKey":"k"',
    "key-in-meta-of-a-method-without": CANCEL % b',"_meta":{"IdempotencyKey":"k"}',
    "key-on-the-envelope": (PROMPT % b"")[:-1] + b',"idempotencyKey":"k"}',
    "key-in-meta-of-the-envelope": (CANCEL % b"")[:-1] + b',"_meta":{"idempotency-key":"k"}}',
    "repeated-key": PROMPT % b',"idempotencyKey":"a","idempotencyKey":"b"',
    "repeated-key-escaped": PROMPT % b',"idempotencyKey":"a","\\u0069dempotencyKey":"b"',
}
"""Valid messages that the judge has a warning for, whichever way they are read."""


@pytest.mark.parametrize("text", VALID.values(), ids=VALID.keys())
def test_valid_text_is_accepted(text: bytes) -> None:
    assert validate(text, protocol=acp()).accepted
    assert checkers().accepts_bytes(text)
    assert decoders().accepts_bytes(text)
    assert decoders().read(text) == read(text)


@pytest.mark.parametrize("text", INVALID.values(), ids=INVALID.keys())
def test_invalid_text_is_refused(text: bytes) -> None:
    assert not validate(text, protocol=acp()).accepted
    assert not checkers().accepts_bytes(text)
    assert not checkers().clean(text)
    assert not decoders().accepts_bytes(text)
    assert not decoders().clean(text)


@pytest.mark.parametrize("text", REMARKABLE.values(), ids=REMARKABLE.keys())
def test_remarkable_text_is_accepted_but_not_clean(text: bytes) -> None:
    assert {f.severity for f in validate(text, protocol=acp()).findings} == {Severity.WARNING}
    assert checkers().accepts_bytes(text)
    assert not checkers().clean(text)
    assert decoders().accepts_bytes(text)
    assert not decoders().clean(text)


def test_a_key_where_it_belongs_is_clean() -> None:
    text = PROMPT % b',"idempotencyKey":"k"'
    assert checkers().clean(text)
    assert decoders().clean(text)
    assert decoders().decode(text) is not None


def test_a_decoded_call_does_not_show_its_key() -> None:
    call = decoders().decode(PROMPT % b',"idempotencyKey":"secret"')
    assert repr(call) == "<PromptRequestMessage>"


def test_decoders_notice_no_repeated_member_but_a_key() -> None:
    text = VALID["repeated-member"]
    assert not checkers().clean(text)
    assert decoders().clean(text)


@pytest.mark.parametrize("sender", ["Agent", "server", ""])
def test_an_unknown_sender_is_an_error(sender: str) -> None:
    for question in (checkers().accepts_bytes, decoders().accepts_bytes, decoders().clean):
        with pytest.raises(ValueError, match="there is no sender"):
            question(CANCEL % b"", sender)


def test_senders_send_what_others_handle() -> None:
    text = CANCEL % b""
    for judged in (checkers(), decoders()):
        verdicts = {s: judged.accepts_bytes(text, s) for s in ("agent", "client", "proxy", None)}
        assert verdicts == {"agent": False, "client": True, "proxy": False, None: True}


@pytest.mark.parametrize(
    ("answers", "valid"),
    [("session/prompt", False), ("session/close", True), ("_acme/x", True), (None, True)],
)
def test_a_result_is_judged_by_the_method_it_answers(answers: str | None, *, valid: bool) -> None:
    text = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert checkers().accepts_bytes(text, "agent", answers) is valid
    assert decoders().accepts_bytes(text, "agent", answers) is valid


PIECES = (
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b"1e5", b"1.0", b".", b"e"),
    *(b"null", b"true", b"NaN", b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\\u0041", b"/"),
    *(b"\xff", b"\xed\xa0\x80", b"\xc3\xa9", b"\xef\xbb\xbf", b"\x00", b"\x01", b"\n", b" ", b"'"),
    *(b'"x":1,', b'"type":"text",', b'"_meta":{},', b'"sessionId":"a",', b'"idempotencyKey":"k",'),
    *(b"9" * 20, b"9" * 4400, b"1e400", b"-0", b"\x7f", b"[[[[", b'{"a":' * 130, nested(130)),
)


def battered(text: bytes, rng: Random) -> bytes:
    """A text with a few random changes to its bytes."""
    bytes_ = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(bytes_) + 1)
        if rng.random() < 0.5:
            at = rng.choice([i + 1 for i, byte in enumerate(bytes_) if byte in b"{,:["] or [at])
        change = rng.randrange(4)
        if change == 0:
            bytes_[at:at] = rng.choice(PIECES)
        elif change == 1:
            del bytes_[at : at + rng.randrange(1, 8)]
        elif change == 2:
            bytes_[at : at + 1] = bytes([rng.randrange(256)])
        else:
            start = rng.randrange(len(bytes_) + 1)
            bytes_[at:at] = bytes_[start : start + rng.randrange(1, 40)]
    return bytes(bytes_)


def test_battered_text_gets_one_verdict() -> None:
    messages = [json.loads(line)["message"] for line in SESSION.read_bytes().splitlines()]
    texts = [json.dumps(message, ensure_ascii=False).encode() for message in messages]
    rng, wrong, counts = Random(1), [], {True: 0, False: 0}
    for _ in range(10_000):
        text, sender = battered(rng.choice(texts), rng), rng.choice((None, "agent", "client"))
        side = None if sender is None else Side(sender)
        findings = validate(text, protocol=acp(), sender=side).findings
        severities = {finding.severity for finding in findings}
        judged = not severities - {Severity.WARNING}
        reported = checkers().accepts_bytes(text, sender)
        counts[reported] += 1
        clean = checkers().clean(text, sender)
        repeats_only = {finding.rule for finding in findings} == {MessageRule.DUPLICATE_MEMBER}
        if (
            reported != judged
            or reported != decoders().accepts_bytes(text, sender)
            or (clean and findings)
            or (clean != decoders().clean(text, sender) and not repeats_only)
        ):
            wrong.append((text, sender, findings))
    assert wrong == []
    assert min(counts.values()) > 200
