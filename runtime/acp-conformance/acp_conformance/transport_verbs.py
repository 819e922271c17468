"""The verbs of traces about faults of a transport."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final

from acp_conformance.agent_connection import AgentConnection
from acp_conformance.scenario import Scenario, UnmetError, UnplayableError
from acp_conformance.trace_script import ScriptError, Step
from acp_conformance.transport_faults import Disturber, NoFaultError, TransportFault

__all__ = ["connect_through_proxy", "disturb", "disturbed"]

PAUSE: Final = 0.01
"""Seconds between two looks at whether a fault has happened."""


def connect_through_proxy(scenario: Scenario, name: str) -> AgentConnection:
    """Open a connection that the kit can break."""
    record = partial(scenario.transcript.add, name)
    return AgentConnection(_disturber(scenario).start_disturbed(record))


def disturb(scenario: Scenario, step: Step) -> None:
    """Break a connection now, or when the message of the fault comes."""
    name = step.word("fault")
    if name not in {*TransportFault}:
        raise ScriptError(f"there is no fault {name!r}")
    try:
        _disturber(scenario).disturb(scenario.on(step).stream, TransportFault(name))
    except NoFaultError as error:
        raise UnplayableError(str(error)) from error


def disturbed(scenario: Scenario, step: Step) -> None:
    """Wait until the fault has happened, without which the trace shows nothing."""
    met = partial(_disturber(scenario).was_disturbed, scenario.on(step).stream)
    if not _comes(met, scenario.timeouts.answer):
        raise UnmetError("no message came that the fault could break")


def _comes(met: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not met():
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE)
    return True


def _disturber(scenario: Scenario) -> Disturber:
    if not isinstance(scenario.launcher, Disturber):
        raise UnplayableError("pipes can't be broken like this: give --url")
    return scenario.launcher
