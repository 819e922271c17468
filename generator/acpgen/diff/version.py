"""Versions of a schema by Semantic Versioning 2.0.0, and what a change requires of the next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import total_ordering

from acpgen.diff.change import Change, Standing
from acpgen.diff.effect import Weight

_NUMBER = r"(?:0|[1-9][0-9]*)"
_WORD = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_PYTHON_PRE = re.compile(r"(a|alpha|b|beta|c|rc|pre|preview)(\.?\d+)?")
_VERSION = re.compile(rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_WORD}(?:\.{_WORD})*))?")


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """MAJOR.MINOR.PATCH, with or without pre-release identifiers, without build metadata."""

    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()

    @property
    def core(self) -> tuple[int, int, int]:
        """The three numbers."""
        return (self.major, self.minor, self.patch)

    def __str__(self) -> str:
        core = ".".join(map(str, self.core))
        return f"{core}-{'.'.join(self.pre)}" if self.pre else core

    def __lt__(self, other: Version) -> bool:
        return self._rank() < other._rank()

    def _rank(self) -> tuple[tuple[int, int, int], bool, list[tuple[bool, int, str]]]:
        words = [
            (not word.isdigit(), int(word) if word.isdigit() else 0, word) for word in self.pre
        ]
        return (self.core, not self.pre, words)


def is_python_version(version: Version) -> bool:
    """True if a wheel can have a version, too: PEP 440 knows few words for a pre-release."""
    return not version.pre or _PYTHON_PRE.fullmatch(".".join(version.pre)) is not None


def parse(text: str) -> Version:
    """Parse a version.

    Raises:
        ValueError: the text is not a version.
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not a version; write it as 1.2.3 or 1.2.3-alpha.1")
    major, minor, patch = (int(number) for number in match.groups()[:3])
    return Version(major, minor, patch, tuple(match[4].split(".")) if match[4] else ())


def weight(changes: Iterable[Change]) -> Weight:
    """The weight of the heaviest change. Unstable changes have none."""
    return max((_weight(change) for change in changes), default=Weight.DOCS)


def allowed(old: Version, new: Version) -> Weight:
    """The weight that a step between versions allows.

    A break requires a new major version, or a new minor one before 1.0.0. An addition, or a change
    of generated types, requires the number after that. After a pre-release everything is allowed.
    """
    if old.pre:
        return Weight.BREAK
    same = sum(1 for _ in _common(old.core, new.core))
    return _STEPS[old.major == 0 and new.major == 0][same]


def says_more(old: Version, new: Version) -> bool:
    """True if a step has a meaning even if nothing changed.

    A new major or minor version may mean that the schema is settled. So may the end of a
    pre-release.
    """
    return old.core[:2] != new.core[:2] or bool(old.pre and not new.pre)


def lowest(old: Version, needed: Weight) -> Version:
    """The lowest version after another that allows a change of some weight."""
    steps = (
        Version(old.major, old.minor, old.patch + 1),
        Version(old.major, old.minor + 1, 0),
        Version(old.major + 1, 0, 0),
    )
    return next(step for step in steps if allowed(old, step) >= needed)


_STEPS: Mapping[bool, tuple[Weight, ...]] = {
    False: (Weight.BREAK, Weight.ADDITION, Weight.DOCS),
    True: (Weight.BREAK, Weight.BREAK, Weight.ADDITION),
}
"""Two weights, before 1.0.0 and after, by how many of the first numbers are equal: 0, 1 or 2."""


def _weight(change: Change) -> Weight:
    if change.breaking:
        return Weight.BREAK
    unstable = change.standing is Standing.UNSTABLE
    return Weight.DOCS if unstable else change.effect.value.weight


def _common(old: tuple[int, ...], new: tuple[int, ...]) -> Iterable[int]:
    for before, after in zip(old, new, strict=True):
        if before != after:
            return
        yield before
