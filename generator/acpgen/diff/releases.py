"""Releases of a schema: a folder with one bundle each, and the changelog beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from acpgen.diff.change import Change
from acpgen.diff.changelog import changelog
from acpgen.diff.effect import Effect, Weight
from acpgen.diff.version import Version, allowed, lowest, parse, weight
from acpgen.emit.markdown import Inline
from acpgen.load.last_release import CHANGELOG, FOLDER
from acpgen.model import Protocol

__all__ = ["CHANGELOG", "FOLDER", "Release", "file_name", "newest", "refusal", "with_entry"]

_HEAD = """# Changelog of the schema

Written by `acpgen release`, the newest version first.
"""
_NAME = re.compile(r"(?P<stem>[a-z0-9-]+?)-(?P<version>[0-9]+\.[0-9]+\..+)\.schema\.json")
_WORDS = {Weight.ADDITION: "adds to", Weight.BREAK: "breaks"}


@dataclass(frozen=True, slots=True)
class Release:
    """One version, in its file."""

    version: Version
    path: Path


def file_name(protocol: Protocol, version: Version) -> str:
    """The name of a version's file: `acp-v2-1.0.0.schema.json`."""
    return f"{_stem(protocol)}-{version}.schema.json"


def newest(folder: Path, protocol: Protocol, *, final: bool = False) -> Release | None:
    """Return the newest release of a protocol version in a folder, or None.

    With `final`, pre-releases don't count.

    Raises:
        ValueError: a file has the name of a release, but without a valid version.
    """
    releases = [
        Release(parse(match["version"]), path)
        for path in sorted(folder.glob("*.schema.json"))
        if (match := _NAME.fullmatch(path.name)) and match["stem"] == _stem(protocol)
    ]
    return max(
        (release for release in releases if not (final and release.version.pre)),
        key=lambda release: release.version,
        default=None,
    )


def refusal(last: Version, version: Version, changes: Sequence[Change]) -> str | None:
    """Return why a version can't follow the last one, or None if it can.

    `changes` are the changes since the last version that were not accepted.
    """
    if version == last:
        return f"{version} exists already; it is the newest release"
    if version < last:
        return f"{version} must come after {last}, the newest release"
    fault = next((change for change in changes if change.effect is Effect.FAULT), None)
    if fault is not None:
        return f"{fault.path} {fault.words}, which no version allows"
    needed = weight(changes)
    if needed > allowed(last, version):
        return (
            f"what changed {_WORDS[needed]} {last}; that takes {lowest(last, needed)} or later, "
            f"not {version}"
        )
    return None


def with_entry(
    document: str,
    version: Version,
    changes: Sequence[Change] | None,
    accepted: Mapping[Change, str] = MappingProxyType({}),
) -> str:
    """Return a changelog with one more version. `changes` is None for the first release.

    `accepted` are further changes, each with the reason why it doesn't count.
    """
    entry = f"## {version}\n\nThe first {'full ' if document else ''}release.\n"
    if changes is not None:
        entry = changelog(changes, Inline(str(version)), level=2, accepted=accepted)
    head, mark, rest = (document or _HEAD).partition("\n## ")
    return f"{head.rstrip()}\n\n{entry}" + (f"\n{mark.lstrip()}{rest}" if mark else "")


def _stem(protocol: Protocol) -> str:
    return "acp" if protocol.version is None else f"acp-v{protocol.version}"
