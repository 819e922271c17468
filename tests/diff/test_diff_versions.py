"""Versions, what a change asks of the next one, and the changelog."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from acpgen.diff import RULES, Change, Party, Standing
from acpgen.diff.effect import Weight
from acpgen.diff.releases import newest, refusal, with_entry
from acpgen.diff.version import allowed, lowest, parse, weight
from acpgen.model import Location, Pointer, Protocol

ORDERED = (
    "0.1.0",
    "0.9.9",
    "0.10.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "2.0.0",
)
BREAK = frozenset({Party.CLIENT})
SECOND = Protocol("ACP", 2, (), {})


def change(
    kind: str, standing: Standing = Standing.STABLE, breaks: frozenset[Party] = frozenset()
) -> Change:
    return Change(
        RULES[kind],
        "Parcel",
        Pointer(""),
        Location("a.json"),
        "",
        "",
        "changed",
        breaks=breaks,
        standing=standing,
    )


BREAKING = change("limit-tightened", breaks=BREAK)
ADDING = change("optional-member-added")
BINDING = change("type-renamed")
WORDING = change("docs-changed")
UNSTABLE = change("limit-tightened", Standing.UNSTABLE)
FAULT = replace(change("method-without-class"), path="parcel/find")


def test_versions_are_ordered_as_semver_says() -> None:
    assert all(parse(lower) < parse(higher) for lower, higher in pairwise(ORDERED))


@pytest.mark.parametrize("text", ORDERED)
def test_a_version_is_written_as_it_is_read(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    "text", ["1", "1.0", "v1.0.0", "01.0.0", "1.0.0-", "1.0.0+build", "1.0.0-01", ""]
)
def test_what_is_not_a_version(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a version; write it as 1\.2\.3 or"):
        parse(text)


@pytest.mark.parametrize(
    ("old", "new", "weight_allowed"),
    [
        ("1.2.3", "2.0.0", Weight.BREAK),
        ("1.2.3", "1.3.0", Weight.ADDITION),
        ("1.2.3", "1.2.4", Weight.DOCS),
        ("0.2.3", "1.0.0", Weight.BREAK),
        ("0.2.3", "0.3.0", Weight.BREAK),
        ("0.2.3", "0.2.4", Weight.ADDITION),
        ("1.0.0-alpha.1", "1.0.0-alpha.2", Weight.BREAK),
        ("1.0.0-alpha.1", "1.0.0", Weight.BREAK),
        ("1.0.0", "2.0.0-alpha.1", Weight.BREAK),
        ("1.0.0", "1.1.0-alpha.1", Weight.ADDITION),
    ],
)
def test_what_a_step_allows(old: str, new: str, weight_allowed: Weight) -> None:
    assert allowed(parse(old), parse(new)) is weight_allowed


@pytest.mark.parametrize("old", ["0.2.3", "1.2.3"])
@pytest.mark.parametrize("needed", Weight)
def test_the_lowest_version_is_allowed_and_no_lower_one(old: str, needed: Weight) -> None:
    version = lowest(parse(old), needed)
    assert allowed(parse(old), version) >= needed
    lower = {
        (1, 2, 4): [],
        (0, 2, 4): [],
        (1, 3, 0): ["1.2.4"],
        (0, 3, 0): ["0.2.4"],
        (2, 0, 0): ["1.2.4", "1.3.0"],
    }[version.core]
    assert all(allowed(parse(old), parse(text)) < needed for text in lower)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([], Weight.DOCS),
        ([WORDING], Weight.DOCS),
        ([UNSTABLE], Weight.DOCS),
        ([ADDING, WORDING], Weight.ADDITION),
        ([BINDING], Weight.ADDITION),
        ([ADDING, BREAKING], Weight.BREAK),
    ],
)
def test_what_changes_ask_for(changes: list[Change], expected: Weight) -> None:
    assert weight(changes) is expected


@pytest.mark.parametrize(
    ("version", "changes", "reason"),
    [
        ("2.0.0", [BREAKING], None),
        ("1.3.0", [ADDING], None),
        ("1.2.4", [WORDING, UNSTABLE], None),
        ("1.3.0", [BREAKING], "what changed breaks 1.2.3; that takes 2.0.0 or later, not 1.3.0"),
        ("1.2.4", [ADDING], "what changed adds to 1.2.3; that takes 1.3.0 or later, not 1.2.4"),
        ("1.2.3", [], "1.2.3 exists already; it is the newest release"),
        ("1.2.3-rc.1", [], "1.2.3-rc.1 must come after 1.2.3, the newest release"),
        ("2.0.0", [FAULT], "parcel/find changed, which no version allows"),
    ],
)
def test_refusals(version: str, changes: list[Change], reason: str | None) -> None:
    assert refusal(parse("1.2.3"), parse(version), changes) == reason


def test_the_newest_release_is_not_the_last_by_name(tmp_path: Path) -> None:
    for version in ("1.9.0", "1.10.0", "1.11.0-rc.1"):
        (tmp_path / f"acp-v2-{version}.schema.json").touch()
    for other in ("notes", "acp-v3-3.0.0", "acp-4.0.0"):
        (tmp_path / f"{other}.schema.json").touch()
    latest, full = newest(tmp_path, SECOND), newest(tmp_path, SECOND, final=True)
    assert latest is not None
    assert full is not None
    assert [str(latest.version), str(full.version)] == ["1.11.0-rc.1", "1.10.0"]


def test_no_release(tmp_path: Path) -> None:
    assert newest(tmp_path, SECOND) is None
    assert newest(tmp_path / "nowhere", SECOND) is None


def test_a_file_called_by_no_version(tmp_path: Path) -> None:
    (tmp_path / "acp-v2-1.0.x.schema.json").touch()
    with pytest.raises(ValueError, match=r"^1\.0\.x is not a version"):
        newest(tmp_path, SECOND)


def test_entries_stand_newest_first() -> None:
    log = with_entry("", parse("1.0.0"), None)
    log = with_entry(log, parse("1.1.0"), (ADDING,))
    log = with_entry(log, parse("2.0.0"), (BREAKING,))
    assert log == (
        "# Changelog of the schema\n\n"
        "Written by `acpgen release`, the newest version first.\n\n"
        "## 2.0.0\n\n"
        "### Breaking for clients\n\n"
        "- `Parcel`: changed; breaks clients: newer peers do not accept what they send.\n\n"
        "## 1.1.0\n\n"
        "### Additions\n\n"
        "- `Parcel`: changed.\n\n"
        "## 1.0.0\n\n"
        "The first release.\n"
    )
