"""The transcripts that tracing is tried with, and findings that can be compared across them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from acpgen.findings import Finding
from acpgen.judge.message_text import MessageText
from acpgen.model import Protocol
from acpgen.trace import judge, record
from whole_schema import whole_schema

_TRACE = Path(__file__).parents[1] / "trace"
CASES = _TRACE / "cases"
TRIALS = _TRACE / "trials"
FILE = "transcript.ndjson"

KEYS = ("7c1f0a52", "e0a9d6b4", "b44c1d0e")
"""How the keys of the cases begin."""


@cache
def protocol() -> Protocol:
    return whole_schema()


def lines(folder: Path) -> list[str]:
    return (folder / FILE).read_text("utf-8").removesuffix("\n").split("\n")


def trace(entries: Iterable[MessageText], rules_of: Protocol, file: str) -> list[Finding]:
    """The findings in the lines of a transcript."""
    return judge(record(entries, rules_of), file)


def findings(transcript: Iterable[str]) -> list[Finding]:
    entries = (MessageText(line.encode(), n) for n, line in enumerate(transcript, 1) if line)
    return trace(entries, protocol(), FILE)


def stranger(transcript: Sequence[str], number: int) -> list[str]:
    """The same among strangers: with connections, sessions and keys of its own."""
    renamed = []
    for line in transcript:
        text = line.replace('"sess_', f'"sess_{number}_')
        for key in KEYS:
            for spelling in (key, key.replace("-", "").upper()):
                text = text.replace(spelling, f"{number:04}{spelling[4:]}")
        row = json.loads(text)
        row["connection"] = f"{number}/{row.get('connection', '')}"
        renamed.append(json.dumps(row, ensure_ascii=False))
    return renamed


def comparable(found: Iterable[Finding], places: Sequence[tuple[int, int]]) -> Counter[str]:
    """Findings without hashes of keys, at the lines of the transcripts that theirs stem from.

    `places` has for each line the number of a transcript and the line in it.
    """

    def say(finding: Finding) -> str:
        assert finding.line is not None
        number, line = places[finding.line - 1]
        message = re.sub(r"#[0-9a-f]{6}", "#", finding.message)
        message = re.sub(r"line (\d+)", lambda m: f"line {places[int(m[1]) - 1]}", message)
        return f"{number}:{line} {finding.severity}[{finding.rule}] {finding.pointer} {message}"

    return Counter(map(say, found))
