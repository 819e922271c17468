"""The quick engine gives the verdicts of the judge, of every message, at every size of input."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from acp_wire.checking import Checkers
from acp_wire.decoding import Decoders
from acp_wire.pairing import Pairing
from acp_wire.type_rows import TypeTable
from acpgen.judge.fast_path import FastEngine
from acpgen.judge.inputs import Input
from acpgen.judge.message_verdict import MessageRule, MessageVerdict
from acpgen.judge.stream import STEP, Stream
from acpgen.judge.transcript import Transcript
from acpgen.model import Protocol, Side
from acpgen.targets.checkers import compile_checkers, compile_decoders
from acpgen.types.type_table import type_table
from instances import mutate
from log_inputs import entries_of, read_input
from whole_schema import whole_schema

SESSION = Path(__file__).parents[1] / "interop" / "session.ndjson"
_INPUTS = sorted((Path(__file__).parent / "cases").glob("*/input.*"))
CASES = [path for path in _INPUTS if path.read_bytes().strip()]
LIST = b'{"jsonrpc":"2.0","id":%d,"method":"session/list","params":{}}\n'
SESSIONS = b'{"jsonrpc":"2.0","id":%d,"result":{"sessions":[]}}\n'
CANCEL = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}\n'
Reports = list[tuple[int, MessageVerdict]]


class Source:
    """Everything made for one protocol, once."""

    def __init__(self, protocol: Protocol, *, checks: bool = True, decodes: bool = True) -> None:
        self._protocol = protocol
        self._checkers = compile_checkers(protocol) if checks else None
        self._decoders = (
            compile_decoders(protocol, self._checkers) if self._checkers and decodes else None
        )

    def checkers(self, _: int) -> Checkers | None:
        return self._checkers

    def decoders(self, _: int) -> Decoders | None:
        return self._decoders

    def table(self) -> TypeTable:
        return type_table(self._protocol)


class Unjudged(Source):
    """A source for messages none of which needs the judge."""

    def table(self) -> TypeTable:
        raise AssertionError("the judge was called")


@cache
def acp() -> Protocol:
    return whole_schema()


@cache
def source(kind: str) -> Source:
    if kind == "unjudged":
        return Unjudged(acp())
    return Source(acp(), checks=kind != "judge", decodes=kind == "decoders")


def output(data: bytes, kind: str, sender: str | None = None) -> tuple[int, Reports]:
    stream = Stream(read_input(data), FastEngine(source(kind)), sender)
    found = [(entry.line, verdict) for entry, verdict in stream]
    return stream.messages, found


def judged(data: bytes, sender: str | None = None) -> tuple[int, Reports]:
    """What the judge alone says, line by line."""
    found, transcript, number, results = (
        read_input(data),
        Transcript(type_table(acp())),
        0,
        list[MessageVerdict](),
    )
    lines = []
    for entry in entries_of(found):
        number += 1
        side = None if sender is None else Side(sender)
        results.append(
            transcript.judge_line(entry.text)
            if found.transcript
            else transcript.judge(entry.text, sender=side)
        )
        lines.append(entry.line)
    noted = [
        (line, verdict)
        for line, verdict in zip(lines, results, strict=True)
        if verdict.findings or not verdict.complete
    ]
    return number, noted


KINDS = ("judge", "checkers", "decoders")


@pytest.mark.parametrize("kind", KINDS)
def test_every_case_gets_the_verdict_of_the_judge(kind: str) -> None:
    for path in CASES:
        data = path.read_bytes()
        reported, expected = output(data, kind), judged(data)
        if kind == "decoders":
            reported, expected = without_repeats(reported), without_repeats(expected)
        assert reported == expected, path.parent.name


def without_repeats(reported: tuple[int, Reports]) -> tuple[int, Reports]:
    """Decoders pass over the members that an object names twice, unless it may be the key."""
    number, found = reported
    return number, [
        (line, verdict)
        for line, verdict in found
        if {fault.rule for fault in verdict.findings} != {MessageRule.DUPLICATE_MEMBER}
    ]


def damaged(rng: Random, lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        entry = json.loads(line)
        yield line
        for _ in range(3):
            entry["message"] = mutate(entry["message"], rng)
            yield json.dumps(entry).encode()


@pytest.mark.parametrize("kind", ["checkers", "decoders"])
@pytest.mark.parametrize("bare", [False, True])
def test_damaged_sessions_get_the_verdicts_of_the_judge(kind: str, *, bare: bool) -> None:
    rng = Random(kind)
    lines = list(damaged(rng, SESSION.read_bytes().splitlines() * 3))
    if bare:
        lines = [json.dumps(json.loads(line)["message"]).encode() for line in lines]
    data = b"\n".join(lines)
    reported = output(data, kind)
    assert reported == judged(data)
    assert 0 < len(reported[1]) < reported[0]


def test_most_of_a_clean_session_never_reaches_the_judge() -> None:
    number, found = output(SESSION.read_bytes(), "unjudged")
    assert number == SESSION.read_bytes().count(b"\n")
    assert found == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_response_is_judged_by_its_request_whichever_test_it_passed(kind: str) -> None:
    data = LIST % 1 + b'{"jsonrpc":"2.0","id":1,"result":{}}\n' + LIST % 1
    data += SESSIONS % 1 + SESSIONS % 1
    number, found = output(data, kind)
    assert number == 5
    assert [(line, verdict.accepted, verdict.complete) for line, verdict in found] == [
        (2, False, True),
        (5, True, False),
    ]


def test_waiting_requests_are_bounded_and_the_oldest_goes_first() -> None:
    pairing = Pairing(limit=2)
    for id_ in (1, 2, 3):
        pairing.asked("session/list", id_, "", "client")
    assert pairing.forgotten == 1
    assert pairing.find(1, "", "agent") is None
    assert pairing.find(2, "", "agent") == ("session/list", "client")
    pairing.answered(2, "", "agent")
    assert pairing.find(2, "", "agent") is None
    pairing.asked("session/list", 4, "", "client")
    assert pairing.forgotten == 1


def test_an_id_that_is_used_again_counts_as_new() -> None:
    pairing = Pairing(limit=2)
    assert not pairing.asked("a", 1, "", "client")
    assert not pairing.asked("b", 2, "", "client")
    assert pairing.asked("c", 1, "", "client")
    pairing.asked("d", 3, "", "client")
    assert pairing.find(1, "", "agent") == ("c", "client")
    assert pairing.find(2, "", "agent") is None


def test_memory_does_not_grow_with_the_input() -> None:
    def peak(lines: int) -> int:
        def feed() -> Iterator[bytes]:
            for number in range(lines):
                yield LIST % number
                yield SESSIONS % number

        stream = Stream(
            Input(enumerate(feed(), 1), transcript=False), FastEngine(source("decoders"))
        )
        tracemalloc.start()
        try:
            assert list(stream) == []
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)
    assert peak(8_000) < peak(500) + 50_000


def test_a_stream_tells_how_far_it_is() -> None:
    reported: list[int] = []
    data = CANCEL * (2 * STEP + 1)
    engine = FastEngine(source("decoders"))
    stream = Stream(read_input(data), engine, tick=reported.append)
    assert list(stream) == []
    assert reported == [len(CANCEL) * STEP, len(CANCEL) * STEP, len(CANCEL)]
    assert engine.seen == len(data)
    assert stream.messages == 2 * STEP + 1


def test_lines_that_come_in_are_judged_as_they_come() -> None:
    def feed() -> Iterator[bytes]:
        yield b"\n"
        yield b'{"from":"client","message":' + CANCEL.strip() + b"}\n"
        yield b"oops\n"
        raise AssertionError("read ahead")

    lines = Input(enumerate(feed(), 1), transcript=True)
    entry, verdict = next(iter(Stream(lines, FastEngine(source("checkers")))))
    assert entry.line == 3
    assert [fault.rule for fault in verdict.findings] == [MessageRule.NOT_JSON]


def test_a_tag_of_the_senders_own_making_is_for_the_judge() -> None:
    update = {"sessionUpdate": "agent_message_chunks", "content": {"type": "text", "text": "x"}}
    params = {"sessionId": "s", "update": update}
    data = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params}).encode()
    for kind in ("checkers", "decoders"):
        (_, verdict), *_ = output(data, kind)[1]
        assert [fault.rule for fault in verdict.findings] == [MessageRule.UNKNOWN_TAG]
    own = data.replace(b"agent_message_chunks", b"_mine")
    assert output(own, "unjudged") == (1, [])
