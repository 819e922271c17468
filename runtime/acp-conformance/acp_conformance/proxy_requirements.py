"""The requirements for proxies, in our words, each with its sentence of the RFD.

`acp_conformance.proxy_traces` proves them.
"""

from __future__ import annotations

from typing import Final

from acp_conformance.requirement_rows import Level, Requirement, Role, asked

__all__ = ["PROXY_REQUIREMENTS"]

_LIFETIME = "How long a key lasts"

_UNCHANGED = "Proxies and conductors forward `idempotencyKey` unchanged."

PROXY_REQUIREMENTS: Final[tuple[Requirement, ...]] = (
    *asked(
        Role.PROXY,
        Level.STATED,
        _LIFETIME,
        ("proxy-forwards-key", "Proxies and conductors forward the key unchanged.", _UNCHANGED),
        (
            "proxy-forwards-retries",
            "Proxies forward the key of a retry in its session.",
            _UNCHANGED,
        ),
        (
            "proxy-forwards-after-restart",
            "Proxies forward keys after they or the agent restart.",
            _UNCHANGED,
        ),
    ),
)
