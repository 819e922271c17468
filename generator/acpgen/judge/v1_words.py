"""Words of ACP v1 that v2 no longer has, for hints. A test holds them to the schema of v1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
"""The methods of v1 that v2 lacks."""

TAGS = frozenset(
    {
        ("sessionUpdate", "current_mode_update"),
        ("sessionUpdate", "plan"),
        ("sessionUpdate", "tool_call"),
        ("type", "sse"),
    }
)
"""The tags of v1's variants that v2 lacks: the member, and its value."""

MEMBERS = {
    "capabilities": ("agentCapabilities", "clientCapabilities"),
    "configId": ("id",),
    "groupId": ("group",),
    "info": ("agentInfo", "clientInfo"),
    "methodId": ("id",),
}
"""The members that v2 calls by another name, each with the names that it had."""

SHAPES = {"changes": ("path", "newText")}
"""The members that v2 has instead of several, each with those that were required."""

UNTAGGED = {
    "type": {
        "agent": "methodId",
        "command": "name",
        "id": "value",
        "stdio": "command",
        "text": "hint",
    }
}
"""The tags of variants that had none in v1, by their member, each with a member of the variant."""

_CLIENT = {
    "clientCapabilities": "capabilities",
    "clientInfo": "info",
    "capabilities/fs": "no methods for files",
    "capabilities/plan": "nothing in its place",
    "capabilities/session": "nothing in its place",
    "capabilities/subagents": "nothing in its place",
    "capabilities/terminal": "no methods that run terminals",
}
_AGENT = {
    "agentCapabilities": "capabilities",
    "agentInfo": "info",
    "capabilities/auth/logout": "auth/logout wherever authMethods is not empty",
    "capabilities/loadSession": "session/resume wherever capabilities has session",
    "capabilities/mcpCapabilities": "session.mcp in capabilities",
    "capabilities/promptCapabilities": "session.prompt in capabilities",
    "capabilities/session/close": "session/close wherever capabilities has session",
    "capabilities/session/list": "session/list wherever capabilities has session",
    "capabilities/session/mcp/sse": "no MCP servers over SSE",
    "capabilities/session/resume": "session/resume wherever capabilities has session",
    "capabilities/sessionCapabilities": "session in capabilities",
}

PARAMS: Mapping[str, Mapping[str, str]] = {
    "initialize": _CLIENT,
    "proxy/initialize": _CLIENT,
    "session/request_permission": {"toolCall": "subject"},
}
"""The members of params that v2 lacks, by method, each with what v2 has instead.

A member inside of another has both names, with a slash between them.
"""

_MODES = {"models": "configOptions", "modes": "configOptions"}

RESULTS: Mapping[str, Mapping[str, str]] = {
    "initialize": _AGENT,
    "proxy/initialize": _AGENT,
    "session/fork": _MODES,
    "session/new": _MODES,
    "session/prompt": {
        "stopReason": "stopReason in the state_update of a session/update",
        "usage": "usage in the state_update of a session/update",
    },
    "session/resume": _MODES,
}
"""The same for results."""

INITIALIZE = {name: now for name, now in (_CLIENT | _AGENT).items() if "/" not in name}
"""The members of `initialize` in v1, each with its name since v2."""


def holds(value: object, place: Iterable[str]) -> bool:
    """True if an object has a member at a place, which lists the names from the outermost one."""
    for name in place:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True
