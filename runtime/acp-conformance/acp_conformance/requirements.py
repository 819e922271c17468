"""All requirements, and which of them a verdict rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from acp_conformance.agent_requirements import AGENT_REQUIREMENTS
from acp_conformance.client_requirements import CLIENT_REQUIREMENTS
from acp_conformance.proxy_requirements import PROXY_REQUIREMENTS
from acp_conformance.requirement_rows import Level, Requirement, Role
from acp_conformance.server_requirements import SERVER_REQUIREMENTS
from acp_conformance.shape_requirements import SHAPE_REQUIREMENTS, shape_ids

__all__ = ["ASKED", "BY_ID", "CORE", "NEED_KEYS", "SUPPORT", "Level", "Requirement", "Role"]

ASKED: Final[tuple[Requirement, ...]] = (
    *AGENT_REQUIREMENTS,
    *SHAPE_REQUIREMENTS,
    *SERVER_REQUIREMENTS,
    *CLIENT_REQUIREMENTS,
    *PROXY_REQUIREMENTS,
)

BY_ID: Final[Mapping[str, Requirement]] = {each.id: each for each in ASKED}

CORE: Final[Mapping[Role, frozenset[str]]] = {
    Role.AGENT: frozenset({"support-keys", "insert-once"}),
    Role.SERVER: frozenset(),
    Role.CLIENT: frozenset({"client-same-key", "client-resends"}),
    Role.PROXY: frozenset(
        {"proxy-forwards-key", "proxy-forwards-retries", "proxy-forwards-after-restart"}
    ),
}
"""By role, the requirements without which the verdict on the others means little."""

SUPPORT: Final = "support-keys"

_WITHOUT_KEYS: Final = frozenset(
    {
        SUPPORT,
        "cancel-withdraws",
        "ids-are-per-connection",
        "initialize-once",
        "keyless-prompts-are-new",
        "malformed-is-not-omitted",
        "reject-malformed-key",
        "repeatable-methods",
        *shape_ids(),
    }
)

NEED_KEYS: Final = frozenset(
    asked.id
    for asked in ASKED
    if asked.role in (Role.AGENT, Role.SERVER) and asked.id not in _WITHOUT_KEYS
)
"""The requirements that an agent which ignores keys can't keep. They need `SUPPORT` first."""
