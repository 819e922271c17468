"""The lines of a transcript are read by everything that reads transcripts."""

from __future__ import annotations

import json

import pytest

from acp_v2 import decoders
from acp_wire.transcript_line import timestamp, transcript_line
from acpgen.judge.message_text import MessageText
from acpgen.judge.transcript import Transcript
from acpgen.load import load
from acpgen.resources import SCHEMA
from acpgen.trace.event_reading import read_line
from acpgen.types.type_table import type_table

MESSAGE = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}'


def test_a_line_has_what_is_given() -> None:
    assert transcript_line("client", MESSAGE) == b'{"from":"client","message":' + MESSAGE + b"}\n"
    line = json.loads(transcript_line("agent", MESSAGE, connection='c"1', at=timestamp(0)))
    assert (line["from"], line["connection"]) == ("agent", 'c"1')
    assert line["time"] == "1970-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1_700_000_000.25, "2023-11-14T22:13:20.250000Z"),
        (0.999_999_9, "1970-01-01T00:00:01.000000Z"),
    ],
)
def test_times_are_utc_with_microseconds(seconds: float, text: str) -> None:
    assert timestamp(seconds) == text


@pytest.mark.parametrize("at", [None, timestamp(5), "later"])
def test_every_reader_takes_a_time(at: str | None) -> None:
    line = transcript_line("client", MESSAGE, connection="c", at=at)
    assert Transcript(type_table(load(SCHEMA))).judge_line(line).findings == ()
    assert read_line(MessageText(line, 1)).connection == "c"
    decoded = decoders.DECODERS_OF_SCHEMA.DECODE_LINE(line)
    assert decoded.message.method == "session/list"
