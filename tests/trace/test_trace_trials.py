"""The traces that the RFD and public bug reports suggest, as far as they show on the wire."""

from __future__ import annotations

import tomllib

import pytest

from case_folders import folders, kinds
from transcripts import TRIALS

TABLE: dict[str, dict[str, str]] = tomllib.loads(TRIALS.with_suffix(".toml").read_text("utf-8"))
T = (1, 2, 3, 4, 5, 6, 7, 10, 12, 13, 14, 15, 16, 18, 21, 22, 23, 24, 25, 26, 28)
C = (1, 4, 5, 8, 13, 14)


def test_every_trial_is_in_the_table() -> None:
    assert set(TABLE) == {*(f"T{n}" for n in T), *(f"C{n}" for n in C)}


@pytest.mark.parametrize("id_", TABLE)
def test_a_trial_has_a_transcript_or_a_reason_why_not(id_: str) -> None:
    row = TABLE[id_]
    assert row.keys() <= {"title", "hidden"}
    assert row["title"]
    assert (TRIALS / id_).is_dir() or row["hidden"]


@pytest.mark.parametrize("id_", TABLE)
def test_a_trial_without_a_bad_transcript_says_what_does_not_show(id_: str) -> None:
    assert kinds(TRIALS).get(id_, set()) >= {"bad"} or TABLE[id_]["hidden"]


def test_every_transcript_belongs_to_a_trial() -> None:
    assert {folder.parent.name for folder in folders(TRIALS)} <= TABLE.keys()
