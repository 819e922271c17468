"""`acpgen conform`: judge an agent, a client or a proxy by the requirements on idempotency keys."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

from acpgen.cli.report import fail, note, suggestion, unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_conformance.runner import Patience
    from acp_conformance.verdict import Outcome, Verdict
    from acp_conformance.wire import Programs


class Form(StrEnum):
    """How verdicts are printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Trace = TypeVar("_Trace", bound=_Named)


def conform(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="Starts what is judged; put -- before it."),
    ],
    client: Annotated[
        bool,
        typer.Option(
            "--client",
            help="Judge a client: in COMMAND, {agent} becomes the agent's command, {text} what to "
            "submit, and {folder} a folder to keep what is pending.",
        ),
    ] = False,
    proxy: Annotated[
        bool,
        typer.Option(
            "--proxy", help="Judge a proxy: in COMMAND, {agent} becomes the command of its agent."
        ),
    ] = False,
    restart: Annotated[
        str | None,
        typer.Option("--restart-command", help="Starts the agent again, if not as before."),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option("--second-command", help="Connects to the agent that runs already."),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print the verdicts.")] = Form.TEXT,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds to wait for an answer, or for a client to end."),
    ] = 10.0,
    silence: Annotated[
        float, typer.Option(min=0.05, help="Seconds to wait for what an agent must not do.")
    ] = 0.2,
    only: Annotated[
        list[str] | None, typer.Option("--trace", metavar="NAME", help="Play this trace only.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="Write a transcript of each trace with an agent to this folder."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="What was not exercised is not fine: exit with 2.")
    ] = False,
) -> None:
    """Play traces with lost answers, crashes and retries, and tell which requirements hold.

    Each requirement of the RFD on idempotency keys gets a verdict: pass, fail, or not exercised,
    with what was seen. An agent talks ACP v2 over standard input and output, is killed and started
    again, and has to find the sessions that it stored; use one with nothing to lose. A few traces
    need test prompts, such as "acp-conformance: hold 1000ms": the README of the traces lists them.
    A client starts the agent, sends again what is pending, submits the text unless it is empty, and
    ends. A proxy starts the agent and forwards standard input and output. Exit status: 0 if nothing
    fails; 1 if something does; 2 if nothing could be told.
    """
    from acp_conformance.report import FORMATS
    from acp_conformance.runner import Patience
    from acp_conformance.verdict import status_of
    from acp_conformance.wire import Programs, StartError

    try:
        if client and proxy:
            fail("--client and --proxy are two things to judge: give one of them")
        if proxy:
            found = _judge_proxy(command, timeout)
        elif client:
            found = _judge_client(command, only or [], timeout)
        else:
            _suffice(timeout, silence)
            programs = Programs(command, _words(restart), _words(second))
            found = _judge_agent(programs, Patience(timeout, silence), only or [], record)
    except StartError as error:
        fail(str(error))
    sys.stdout.write(FORMATS[form](found))
    raise typer.Exit(status_of(found, strict=strict))


def _judge_agent(
    programs: Programs, patience: Patience, only: Sequence[str], record: Path | None
) -> Sequence[Verdict]:
    from acp_conformance.requirements import Role
    from acp_conformance.runner import play_all
    from acp_conformance.script import scripts
    from acp_conformance.verdict import Status, verdicts

    played = _chosen(scripts(), only)
    outcomes = play_all(played, programs, patience)
    if record is not None:
        _write(record, outcomes)
    for outcome in outcomes:
        if outcome.noise:
            note(f"acpgen: {outcome.trace}: {outcome.noise} lines of the agent are no messages")
    told = frozenset().union(*(script.proves for script in played))
    found = verdicts(outcomes, Role.AGENT)
    return [v for v in found if not only or v.requirement.id in told or v.status is Status.FAIL]


def _judge_client(command: Sequence[str], only: Sequence[str], timeout: float) -> Sequence[Verdict]:
    from acp_conformance.clients import AGENT, PLANS, play_client
    from acp_conformance.requirements import Role
    from acp_conformance.verdict import verdicts

    _demand(AGENT, command)
    outcomes = [play_client(command, plan, timeout) for plan in _chosen(PLANS, only)]
    return verdicts(outcomes, Role.CLIENT)


def _judge_proxy(command: Sequence[str], timeout: float) -> Sequence[Verdict]:
    from acp_conformance.clients import AGENT
    from acp_conformance.proxies import play_proxy
    from acp_conformance.requirements import Role
    from acp_conformance.verdict import verdicts

    _demand(AGENT, command)
    return verdicts([play_proxy(command, timeout)], Role.PROXY)


def _demand(word: str, command: Sequence[str]) -> None:
    if word not in command:
        fail(f"COMMAND has no {word}: put it where the agent's command goes")


def _suffice(timeout: float, silence: float) -> None:
    from acp_conformance.stage import SILENCES

    if timeout < SILENCES * silence:
        least = f"--timeout {SILENCES * silence:g}"
        fail(f"--silence {silence:g} takes {least} at least: prompts are held for five silences")


def _chosen(all_: Sequence[_Trace], names: Sequence[str]) -> list[_Trace]:
    known = [each.name for each in all_]
    for name in names:
        if name not in known:
            fail(f"there is no trace {name}: {suggestion(name, known, ', '.join(known))}")
    return [each for each in all_ if not names or each.name in names]


def _words(command: str | None) -> list[str] | None:
    try:
        return None if command is None else shlex.split(command)
    except ValueError as error:
        fail(f"{command}: {error}")


def _write(folder: Path, outcomes: Sequence[Outcome]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for outcome in outcomes:
            (folder / f"{outcome.trace}.ndjson").write_bytes(outcome.transcript)
    except OSError as error:
        fail(unreadable(error, folder))
