"""Errors about packages that come with an extra and are not installed."""

from __future__ import annotations

import shlex
from typing import Final

__all__ = ["EXTRAS", "MissingExtraError", "missing"]

EXTRAS: Final = {
    "fast": ("msgspec>=0.19",),
    "models": ("pydantic>=2.14", "typing-extensions>=4.12"),
    "otel": ("opentelemetry-api>=1.25",),
    "postgres": ("psycopg[binary]>=3.3.8", "psycopg-pool>=3.3"),
    "remote": ("httpx2>=2.0", "websockets>=14"),
    "sdk": ("agent-client-protocol>=0.12",),
    "serve": ("h11>=0.14", "websockets>=14"),
}
"""The packages of each extra of acp-wire, acp-v2, acp-retry and acp-conformance.

An error names them rather than the extra, since those four are on no index.
"""


class MissingExtraError(ModuleNotFoundError):
    """A package of an extra is not installed. The text has the command that installs it."""


def missing(user: str, extra: str, error: ModuleNotFoundError) -> MissingExtraError:
    """The error about an import that failed.

    Args:
        user: the module that needs the packages.
        extra: the extra that they come with.
        error: what the import raised.
    """
    command = shlex.join(["pip", "install", *EXTRAS[extra]])
    return MissingExtraError(
        f"{user} needs {error.name}: run `{command}`", name=error.name, path=error.path
    )
