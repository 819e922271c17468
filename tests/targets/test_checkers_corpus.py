"""The corpus of the benchmarks: what it promises, and what checkers and decoders make of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib import util
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from acp_wire.checking import Checkers
from acp_wire.decoding import Decoders
from acpgen.judge.transcript import Transcript
from acpgen.model import Protocol
from acpgen.targets.checkers import compile_checkers, compile_decoders
from acpgen.types.type_table import type_table
from instances import mutate
from whole_schema import whole_schema

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "corpus.py"
COUNT = 5000


def load_corpus() -> ModuleType:
    spec = util.spec_from_file_location("corpus", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules["corpus"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


corpus = load_corpus()


@cache
def acp() -> Protocol:
    return whole_schema()


@cache
def checkers() -> Checkers:
    return compile_checkers(acp())


@cache
def decoders() -> Decoders:
    return compile_decoders(acp(), checkers())


@cache
def lines(share: float) -> Sequence[Any]:
    return tuple(corpus.lines(COUNT, share, 1))


def test_the_corpus_looks_like_recorded_sessions() -> None:
    texts = [line.text for line in lines(0)]
    assert 300 < sum(map(len, texts)) / COUNT < 430
    assert sum(b'"method":"session/update"' in text for text in texts) / COUNT > 0.96
    assert {line.sender for line in lines(0)} == {"agent", "client"}
    assert all(line.fault is None for line in lines(0))


def test_about_the_share_asked_for_is_broken() -> None:
    broken = sum(line.fault is not None for line in lines(0.05))
    assert 0.04 < broken / COUNT < 0.06


@pytest.mark.parametrize("transcript", [False, True])
def test_the_script_writes_messages_and_faults(tmp_path: Path, *, transcript: bool) -> None:
    out = tmp_path / "c.ndjson"
    arguments = ["--lines", "300", "--faults", "0.2", "--seed", "7"]
    arguments += ["--transcript"] if transcript else []
    subprocess.run([sys.executable, str(SCRIPT), *arguments, str(out)], check=True)
    expected = list(corpus.lines(300, 0.2, 7))
    written = [line.transcribed if transcript else line.text for line in expected]
    assert out.read_bytes() == b"".join(text + b"\n" for text in written)
    labels = [
        json.loads(label) for label in (tmp_path / "c.ndjson.faults").read_text().splitlines()
    ]
    assert labels == [
        {"line": number, "rule": line.fault.rule, "pointer": line.fault.pointer}
        for number, line in enumerate(expected, 1)
        if line.fault is not None
    ]


@pytest.mark.parametrize(("share", "number"), [(0.1, 9), (1, 13)])
def test_every_fault_is_where_its_label_says(share: float, number: int) -> None:
    transcript = Transcript(type_table(acp()))
    wrong, rules = [], set()
    for line in lines(share):
        verdict = transcript.judge_line(line.transcribed)
        found = [(fault.rule.value, fault.pointer) for fault in verdict.findings]
        if line.fault is None:
            expected = not found
        else:
            expected = (line.fault.rule, line.fault.pointer) in found
            rules.add(line.fault.rule)
        if not expected:
            wrong.append((line.text, line.fault, found))
    assert wrong == []
    assert len(rules) >= number


@pytest.mark.parametrize("share", [0, 0.3])
def test_checkers_and_decoders_find_all_faults_and_nothing_else(share: float) -> None:
    wrong = [
        line
        for line in lines(share)
        for judged in (checkers(), decoders())
        for question in (judged.accepts_bytes, judged.clean)
        if question(line.text, line.sender, line.answers) != (line.fault is None)
    ]
    assert wrong == []


def test_decoders_take_most_lines_at_once() -> None:
    decoded = sum(decoders().decode(line.text, line.sender) is not None for line in lines(0))
    assert decoded / COUNT > 0.97


def test_decoders_agree_with_checkers_on_damaged_lines() -> None:
    rng, wrong, decoded = Random(6), [], 0
    for line in lines(0):
        message = json.loads(line.text)
        for _ in range(4):
            message = mutate(message, rng)
            text = json.dumps(message).encode()
            decoded += decoders().decode(text, line.sender) is not None
            if decoders().accepts_bytes(text, line.sender) != checkers().accepts_bytes(
                text, line.sender
            ):
                wrong.append(text)
    assert wrong == []
    assert decoded > 1000


def test_decoders_read_lines_of_transcripts() -> None:
    for line in lines(0.3):
        call = decoders().decode(line.text, line.sender)
        entry: Any = decoders().decode_line(line.transcribed)
        assert (entry is None) == (call is None)
        if entry is not None:
            assert (entry.sender, entry.connection) == (line.sender, line.connection)
            assert type(entry.message) is type(call)
