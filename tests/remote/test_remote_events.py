"""Server-sent events, whatever the chunks."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_wire.remote.events import EventParser

TEXT = (
    b"\xef\xbb\xbfdata: one\n\n: comment\n\nid: 7\nretry: 3000\ndata:two\ndata: more\n\ndata: \n\n"
)
EVENTS = [b"one", b"two\nmore", b""]


def events(*chunks: bytes) -> list[bytes]:
    parser = EventParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends(end: bytes) -> None:
    assert events(TEXT.replace(b"\n", end), b"data") == EVENTS


@given(st.lists(st.integers(0, 200)), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_chunks_may_end_anywhere(cuts: list[int], end: bytes) -> None:
    text = TEXT.replace(b"\n", end)
    borders = sorted({0, len(text), *(cut % len(text) for cut in cuts)})
    chunks = [text[a:b] for a, b in itertools.pairwise(borders)]
    assert events(*chunks) == EVENTS


def test_an_event_that_did_not_end_is_none() -> None:
    assert events(b"data: one\n") == []


def test_a_large_event_in_small_chunks_takes_linear_time() -> None:
    chunk = b"x" * 1000
    assert len(events(b"data: ", *[chunk] * 20_000, b"\n\n")[0]) == 20_000_000
