"""A requirement of the RFD on idempotency keys, and how a list of them is written down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Level", "Requirement", "Role", "Row", "asked"]


class Level(StrEnum):
    """How strongly the RFD asks: with a word of RFC 2119, or in a plain statement."""

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
    """One requirement. `sentence` is the RFD's own, under the heading `section`."""

    id: str
    role: Role
    level: Level
    section: str
    text: str
    sentence: str


Row = tuple[str, str, str]
"""The id of a requirement, its text, and the sentence of the RFD."""


def asked(role: Role, level: Level, section: str, *rows: Row) -> Iterable[Requirement]:
    """The requirements of one role, level and section."""
    return (Requirement(id_, role, level, section, text, cited) for id_, text, cited in rows)
