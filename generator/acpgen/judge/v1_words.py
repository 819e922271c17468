"""Words of ACP v1 that v2 no longer has, for hints. A test holds them to the schema of v1."""

from __future__ import annotations

METHODS = frozenset(
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
"""The methods that v2 does without."""

TAGS = frozenset(
    {
        ("sessionUpdate", "current_mode_update"),
        ("sessionUpdate", "plan"),
        ("sessionUpdate", "tool_call"),
        ("type", "sse"),
    }
)
"""The tags of variants that v2 does without: the member, and its value."""

MEMBERS = {
    "capabilities": ("agentCapabilities", "clientCapabilities"),
    "configId": ("id",),
    "groupId": ("group",),
    "info": ("agentInfo", "clientInfo"),
    "methodId": ("id",),
}
"""The members that v2 calls by another name, each with the names that it had."""

INITIALIZE: dict[str, str] = {
    "agentCapabilities": "capabilities",
    "agentInfo": "info",
    "clientCapabilities": "capabilities",
    "clientInfo": "info",
}
"""The members of `initialize` in v1, each with its name since v2."""
