"""A requirement, such as one of the RFD on idempotency keys, and how a list is written down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["RFD", "Level", "Requirement", "Role", "Row", "asked"]

RFD: Final = "RFD"
"""The source of most requirements, whose sentences are cited word for word."""


class Level(StrEnum):
    """How strongly the source asks: with a word of RFC 2119, or in a plain statement."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    STATED = "stated"

    @property
    def rank(self) -> int:
        """0 for the strongest level."""
        return list(Level).index(self)


class Role(StrEnum):
    """The role that has to keep a requirement."""

    AGENT = "agent"
    SERVER = "server"
    """An agent behind HTTP or WebSocket, which keeps those of an agent as well."""

    CLIENT = "client"
    PROXY = "proxy"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement.

    `sentence` is that of `source`, under the heading or the type `section`: the RFD's own words, or
    in ours for other sources.
    """

    id: str
    role: Role
    level: Level
    section: str
    text: str
    sentence: str
    source: str = RFD

    @property
    def cited(self) -> str:
        """The source with its sentence, in quotation marks if it is word for word."""
        sentence = f'"{self.sentence}"' if self.source == RFD else self.sentence
        return f"{self.source}, {self.section}: {sentence}"


Row = tuple[str, str, str]
"""The id of a requirement, its text, and the sentence of its source."""


def asked(
    role: Role, level: Level, section: str, *rows: Row, source: str = RFD
) -> Iterable[Requirement]:
    """The requirements of one role, level and section."""
    return (
        Requirement(id_, role, level, section, text, cited, source) for id_, text, cited in rows
    )
