"""Whatever bytes come in: no traceback, a status of 0, 1 or 2, and no end that isn't reached.

`ACPGEN_FUZZ=20000 pytest tests/validate/test_validate_fuzz.py` looks for minutes.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from acpgen.cli.validation import run
from acpgen.startup.options import COUNTING, FAIL_ON, FORMS, SENDERS, Options
from proofs import amount, scaled

INTEROP = Path(__file__).parents[1] / "interop"
RECORDED = (INTEROP / "session.ndjson").read_bytes().splitlines(keepends=True)
MESSAGES = [json.dumps(json.loads(line)["message"]).encode() + b"\n" for line in RECORDED]
EXAMPLES = int(os.environ.get("ACPGEN_FUZZ", amount(40, 1_000)))
TOKENS = (
    *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\n", b"\r\n", b"\0", b"\xff", b"\xfe\xff"),
    *(b"\xef\xbb\xbf", b"\x1f\x8b", b"NaN", b"1e999", b"-0", b"5.0", b"null", b"true"),
    *(b'"\\ud800"', b"9" * 30, b'"id":1,', b'"method":', b"[" * 500, b'{"a":' * 500),
)

Edit = Callable[[bytes], bytes]


@st.composite
def edits(draw: st.DrawFn) -> Edit:
    """A change of some bytes, somewhere."""
    place, span = draw(st.floats(0, 1)), draw(st.integers(0, 40))
    put = draw(st.sampled_from(TOKENS) | st.binary(max_size=12))

    def edit(data: bytes) -> bytes:
        start = int(place * len(data))
        return data[:start] + put + data[start + span :]

    return edit


@st.composite
def inputs(draw: st.DrawFn) -> bytes:
    """Recorded lines, some of them spoilt, or any bytes at all."""
    source = draw(st.sampled_from((RECORDED, MESSAGES)))
    data = b"".join(draw(st.lists(st.sampled_from(source), max_size=6)))
    for edit in draw(st.lists(edits(), max_size=4)):
        data = edit(data)
    if draw(st.booleans()):
        data = draw(edits())(gzip.compress(data, mtime=0)) if draw(st.booleans()) else data
    return draw(st.just(data) | st.binary(max_size=200))


options = st.fixed_dictionaries(
    {
        "sender": st.none() | st.sampled_from(SENDERS),
        "form": st.sampled_from(FORMS),
        "fail_on": st.sampled_from(FAIL_ON),
        "max_errors": st.none() | st.integers(1, 3),
        **dict.fromkeys(("strict", "quiet", "summary", "show_keys"), st.booleans()),
    }
).filter(lambda chosen: not chosen["summary"] or chosen["form"] in COUNTING)


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes, Any], int]:
    """Judges bytes in a file, with the output thrown away."""
    file = tmp_path / "in.ndjson"

    def judge(data: bytes, chosen: dict[str, Any]) -> int:
        file.write_bytes(data)
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(), "utf-8"))
        try:
            return run(Options([str(file)], **chosen))
        finally:
            monkeypatch.undo()

    return judge


@scaled("random bytes")
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=inputs(), chosen=options)
@example(data=RECORDED[0] * 3 + b"\xff\n", chosen={"form": "junit"})
def test_any_bytes_end_with_a_status(
    judged: Callable[[bytes, Any], int], data: bytes, chosen: dict[str, Any]
) -> None:
    assert judged(data, chosen) in {0, 1, 2}


@pytest.mark.parametrize(
    ("data", "status"),
    [(b"".join(RECORDED), 0), (b"".join(RECORDED[:9]) + b"{}\n", 1), (b"", 2)],
    ids=["clean", "faulty", "empty"],
)
def test_every_status_is_reached(
    judged: Callable[[bytes, Any], int], data: bytes, status: int
) -> None:
    assert judged(data, {}) == status
