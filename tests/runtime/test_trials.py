"""Pairs of session and key, and the message IDs that are derived from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_retry import derive_message_id

TEXTS = Path(__file__).with_name("trials.jsonl").read_text("utf-8")
TRIALS = [json.loads(line) for line in TEXTS.splitlines()]


@pytest.mark.parametrize(
    "trial", [trial for trial in TRIALS if "b" in trial], ids=lambda trial: trial["id"]
)
def test_pairs_have_different_ids(trial: dict[str, list[str]]) -> None:
    assert derive_message_id(*trial["a"]) != derive_message_id(*trial["b"])


@pytest.mark.parametrize(
    "trial",
    [trial for trial in TRIALS if trial["kind"] == "derive" and "b" not in trial],
    ids=lambda trial: trial["id"],
)
def test_ids_are_version_5_and_stable(trial: dict[str, list[str]]) -> None:
    derived = derive_message_id(*trial["a"])
    assert derived.version == 5
    assert str(derived) == str(derived).lower()
    assert derived == derive_message_id(*trial["a"])
