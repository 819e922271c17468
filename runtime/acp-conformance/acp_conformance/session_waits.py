"""What several verbs of traces do with a session: replay it, and wait until it is at rest."""

from __future__ import annotations

from typing import Final

from acp_conformance.agent_connection import AgentConnection
from acp_conformance.scenario import HamperedError, Scenario, UnplayableError

__all__ = ["RESUME", "log_in", "replay", "rest", "still"]

RESUME: Final = "session/resume"


def log_in(scenario: Scenario, name: str) -> None:
    """Log in on a connection with the method of the user, if that was not done yet.

    Raises:
        UnplayableError: the login fails.
    """
    method = scenario.asked.login
    if method is None or name in scenario.logged_in:
        return
    connection = scenario.connections[name]
    line = scenario.answer(
        connection, connection.request("auth/login", {"methodId": method}), "auth/login"
    )
    if "error" in line:
        offered = f": it offers {', '.join(scenario.logins)}" if scenario.logins else ""
        raise UnplayableError(f"auth/login was answered with {scenario.words(line)}{offered}")
    scenario.logged_in.add(name)


def replay(scenario: Scenario, connection: AgentConnection, session: str) -> int:
    """Resume a session with a replay, and return where in the stream it begins.

    Raises:
        UnmetError: it can't be resumed.
        UnplayableError: it needs a login, which fails.
    """
    name = next(name for name, each in scenario.connections.items() if each is connection)
    log_in(scenario, name)
    place = len(connection.stream.lines)
    params = {"sessionId": session, **scenario.roots(), "replayFrom": {"type": "start"}}
    scenario.result(connection, connection.request(RESUME, params), RESUME)
    return place


def rest(scenario: Scenario, connection: AgentConnection, session: str) -> None:
    """Wait until a session is not at work.

    Raises:
        HamperedError: it still is when patience ends.
    """
    if not connection.wait(lambda: not connection.working(session), scenario.timeouts.answer):
        raise HamperedError("the session is still at work: give it more time with --timeout")


def still(scenario: Scenario, connection: AgentConnection) -> None:
    """Wait for a silence, in which the agent's requests are answered."""
    connection.wait(lambda: False, scenario.timeouts.quiet)
