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

PARAMS: dict[str, dict[str, str]] = {
    "initialize": {"clientCapabilities": "capabilities", "clientInfo": "info"},
    "proxy/initialize": {"clientCapabilities": "capabilities", "clientInfo": "info"},
    "session/request_permission": {"toolCall": "subject"},
}
"""The members that params had in v1 and lack in v2, by method, each with what v2 has instead."""

_MODES = {"models": "configOptions", "modes": "configOptions"}

RESULTS: dict[str, dict[str, str]] = {
    "initialize": {"agentCapabilities": "capabilities", "agentInfo": "info"},
    "proxy/initialize": {"agentCapabilities": "capabilities", "agentInfo": "info"},
    "session/fork": _MODES,
    "session/new": _MODES,
    "session/prompt": {
        "stopReason": "stopReason in the state_update of a session/update",
        "usage": "usage in the state_update of a session/update",
    },
    "session/resume": _MODES,
}
"""The same for results."""

INITIALIZE = PARAMS["initialize"] | RESULTS["initialize"]
"""The members of `initialize` in v1, each with its name since v2."""
