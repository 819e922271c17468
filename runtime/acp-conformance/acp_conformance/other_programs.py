"""What a program seems to be that does not answer as an agent of version 2 does."""

from __future__ import annotations

import re
from typing import Final

from acp_conformance.agent_connection import INFO, AgentConnection
from acp_conformance.message_stream import JsonLine

__all__ = ["mcp_server", "other_program", "sends_back"]

ECHO: Final = (
    "the command sends back what it gets, as cat or a terminal does: give the command of an agent,"
    " without a terminal in between"
)
MCP: Final = (
    "the command seems to be an MCP server, since it answers initialize with {}: give that of an"
    " ACP agent"
)
DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
"""The versions of MCP."""

LISTENS: Final = re.compile(r"https?://|\blisten|\bport\b", re.IGNORECASE)
FRAMED: Final = "content-length:"


def sends_back(connection: AgentConnection) -> str:
    """Say that a program sends back the kit's own `initialize`. Empty if it does not."""
    for line in list(connection.stream.lines):
        match line:
            case {"method": "initialize", "params": {"info": info}} if info == INFO:
                return ECHO
    return ""


def mcp_server(result: JsonLine) -> str:
    """Say that the result of `initialize` is that of an MCP server. Empty if it is not."""
    version = result.get("protocolVersion")
    if isinstance(version, str) and DATE.fullmatch(version):
        return MCP.format(f"the protocolVersion {version}")
    return MCP.format("serverInfo") if "serverInfo" in result else ""


def other_program(connection: AgentConnection, noise: str) -> str:
    """What is seen of a program that has not answered `initialize`, and what to do.

    Args:
        connection: the connection to it.
        noise: its first line that is not a message, and the reason, without keys. May be empty.
    """
    report = connection.stream.exit_report()
    if FRAMED in noise.casefold():
        return (
            "it frames messages with Content-Length, as language servers do: ACP has one JSON"
            " object on each line"
        )
    if report.status is None and LISTENS.search(f"{noise} {report.last_errors}"):
        return "it seems to listen on a port: give its address with --url"
    if noise:
        return f"{noise}: ACP has one JSON object on each line"
    wrote = "" if connection.stream.lines else "it wrote nothing to standard output: "
    return f"{wrote}see that the command talks ACP on its pipes"
