"""Methods of earlier versions of the protocol that later versions do not have."""

from __future__ import annotations

METHODS_OF_V1 = frozenset(
    {
        "authenticate",
        "fs/read_text_file",
        "fs/write_text_file",
        "logout",
        "session/load",
        "session/set_mode",
        "terminal/create",
        "terminal/kill",
        "terminal/output",
        "terminal/release",
        "terminal/wait_for_exit",
    }
)
"""The methods of ACP v1 that v2 does not have."""
