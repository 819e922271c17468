"""Whatever takes two keys for one takes two of the trace `distinct-keys` for one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import acp_conformance
from acp_conformance.trace_script import scripts
from broken_keys import CONFUSIONS

SCRIPT = next(script for script in scripts() if script.name == "distinct-keys")
KEYS = next(step for step in SCRIPT.steps if "literals" in step.words).texts("literals")


def test_they_are_valid_and_different() -> None:
    assert [key for key in KEYS if not 1 <= len(key) <= 255] == []
    assert len(set(KEYS)) == len(KEYS)


@pytest.mark.parametrize("way", CONFUSIONS)
def test_two_are_taken_for_one(way: str) -> None:
    assert len({CONFUSIONS[way](key) for key in KEYS}) < len(KEYS)


def test_all_keys_are_sent_again_and_counted() -> None:
    """Each is sent again, twice, and all messages are counted, with one more of the same text."""
    again = [step.number("count") for step in SCRIPT.steps if "again" in step.words]
    texts = [
        step for step in SCRIPT.steps if step.verb == "messages" and step.word("text") == "keys"
    ]
    assert again == [len(KEYS), len(KEYS)]
    assert {step.number("count") for step in texts} == {len(KEYS) + 1}


def test_the_guide_counts_the_ways() -> None:
    page = (Path(acp_conformance.__file__).parents[1] / "README.md").read_text("utf-8")
    assert re.findall(r"^- (\d+) ways to take two keys", page, re.MULTILINE) == [
        str(len(CONFUSIONS))
    ]
