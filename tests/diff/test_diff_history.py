"""Upstream's real releases of the v2 schema, pair by pair: what changed, and that it shows.

The counts are those of findings that were read one by one. `make prove` compares all
releases from 1.5.0 on, which takes some time to download; otherwise a few are. docs/history.md
shows the counts.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import pytest

import unavailable
from acpgen.diff import Change, diff
from acpgen.diff.schema_changes import counts
from acpgen.diff.witness import Witnesses
from acpgen.load import load
from acpgen.model import Protocol
from proofs import proving, scaled

PACKAGE = "@agentclientprotocol/sdk"
RELEASES = (
    *("1.5.0", "1.5.1", "1.6.0", "1.6.1", "1.7.0", "1.8.0", "1.9.0"),
    *("2.0.0", "2.0.1", "2.0.2", "2.1.0", "2.2.0", "2.3.0", "2.4.0"),
)
FEW = ("2.0.2", "2.1.0")
VERSIONS = RELEASES if proving() else FEW
UNSTABLE, STABLE = "schema.unstable.json", "schema.json"
SPLIT = "2.0.0"
"""The release from which on the stable part has a file of its own."""

EXPECTED: Mapping[tuple[str, str], Mapping[str, int]] = {
    (UNSTABLE, "1.6.0"): {
        "breaking for clients": 5,
        "breaking for agents": 6,
        "additions": 7,
        "other": 1,
        "docs only": 9,
    },
    (UNSTABLE, "1.8.0"): {"types only": 3, "other": 19, "docs only": 14},
    (UNSTABLE, "1.9.0"): {
        "breaking for clients": 10,
        "no longer understood": 4,
        "additions": 4,
        "docs only": 33,
    },
    (UNSTABLE, "2.1.0"): {
        "breaking for clients": 1,
        "breaking for agents": 4,
        "recovered": 4,
        "no longer understood": 5,
        "types only": 4,
        "additions": 8,
        "other": 19,
        "docs only": 261,
    },
    (UNSTABLE, "2.2.0"): {
        "breaking for clients": 1,
        "breaking for agents": 3,
        "recovered": 4,
        "types only": 2,
        "additions": 2,
        "other": 3,
        "docs only": 202,
    },
    (UNSTABLE, "2.3.0"): {"additions": 24, "docs only": 63},
    (STABLE, "2.1.0"): {
        "breaking for clients": 1,
        "breaking for agents": 4,
        "recovered": 4,
        "no longer understood": 3,
        "types only": 4,
        "additions": 6,
        "other": 17,
        "docs only": 212,
    },
    (STABLE, "2.2.0"): {
        "breaking for clients": 1,
        "breaking for agents": 3,
        "recovered": 4,
        "types only": 2,
        "other": 3,
        "docs only": 160,
    },
    (STABLE, "2.3.0"): {"additions": 8, "docs only": 35},
}
"""What each release changed. One that isn't listed changed nothing."""

LABELS = (
    "breaking for clients",
    "breaking for agents",
    "recovered",
    "no longer understood",
    "types only",
    "other",
    "additions",
    "docs only",
)
PAGE = Path(__file__).parents[2] / "docs" / "history.md"
Pair = tuple[str, str, str]
"""The name of a file, and two releases."""


def pairs(versions: Sequence[str]) -> list[Pair]:
    return [
        (name, old, new)
        for old, new in pairwise(versions)
        for name in (UNSTABLE, STABLE)
        if name == UNSTABLE or RELEASES.index(old) >= RELEASES.index(SPLIT)
    ]


PAIRS = pairs(VERSIONS)


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a folder of schemas for each release."""
    npm = shutil.which("npm")
    if npm is None:
        _give_up("npm is not installed")
    folder = tmp_path_factory.mktemp("releases")
    packages = [f"{PACKAGE}@{version}" for version in VERSIONS]
    done = subprocess.run(
        [npm, "pack", "--silent", *packages], cwd=folder, capture_output=True, text=True
    )
    if done.returncode != 0:
        _give_up(f"npm pack {PACKAGE} fails: {done.stderr.strip()[-200:]}")
    for version in VERSIONS:
        with tarfile.open(folder / f"agentclientprotocol-sdk-{version}.tgz") as archive:
            for name in (UNSTABLE, STABLE):
                _extract(archive, name, folder / version)
    return folder


def _give_up(reason: str) -> NoReturn:
    unavailable.skip(reason)


def _extract(archive: tarfile.TarFile, name: str, folder: Path) -> None:
    member = f"package/schema/v2/{name}"
    if member in archive.getnames() and (stream := archive.extractfile(member)) is not None:
        text = stream.read().decode("utf-8")
        (folder / "v2").mkdir(parents=True, exist_ok=True)
        (folder / "v2" / name).write_text(text, "utf-8")


@cache
def protocol(folder: Path, name: str, version: str) -> Protocol:
    return load(folder / version / "v2" / name)


@cache
def changed(folder: Path, name: str, old: str, new: str) -> tuple[Change, ...]:
    return diff(protocol(folder, name, old), protocol(folder, name, new))


@scaled("compares all releases of upstream")
@pytest.mark.parametrize(("name", "old", "new"), PAIRS)
def test_what_a_release_changed(name: str, old: str, new: str, releases: Path) -> None:
    changes = changed(releases, name, old, new)
    found = {label: n for label, n in counts(changes).items() if n}
    assert found == EXPECTED.get((name, new), {})


@scaled("compares all releases of upstream")
@pytest.mark.parametrize(("name", "old", "new"), PAIRS)
def test_every_break_of_a_release_has_a_witness(
    name: str, old: str, new: str, releases: Path
) -> None:
    witnesses = Witnesses(protocol(releases, name, old), protocol(releases, name, new))
    for change in changed(releases, name, old, new):
        assert (change.evidence is None) == (witnesses.of(change) is None), change


def test_every_expectation_is_of_a_pair() -> None:
    every = {(name, new) for name in (UNSTABLE, STABLE) for new in RELEASES[1:]}
    assert set(EXPECTED) <= every
    assert set(FEW) <= set(RELEASES)


def test_the_page_shows_every_pair_and_its_counts() -> None:
    shown = dict(rows(PAGE.read_text("utf-8")))
    assert shown == {pair: EXPECTED.get((pair[0], pair[2]), {}) for pair in pairs(RELEASES)}
    assert {label for counts in EXPECTED.values() for label in counts} == set(LABELS)


def rows(page: str) -> Iterator[tuple[Pair, Mapping[str, int]]]:
    """The counts in the tables below the names of files, by pair."""
    name, head = "", list[str]()
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("## "):
            name, head = line.removeprefix("## ").strip("`"), []
        elif not line.startswith("|") or line.startswith("|-"):
            continue
        elif not head:
            head = cells
            assert head == ["from", "to", *LABELS]
        else:
            old, new, *numbers = cells
            found = dict(zip(LABELS, map(int, numbers), strict=True))
            yield (name, old, new), {label: n for label, n in found.items() if n}
