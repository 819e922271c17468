"""`acpgen conform`: judge an agent, a client or a proxy by the requirements on idempotency keys."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Final, TypeVar

import typer

from acp_conformance.client_plans import ALWAYS, CLIENT_PLANS
from acp_conformance.client_runs import AGENT, ClientTimeouts, judge_client
from acp_conformance.launchers import Launcher, Programs, StartError
from acp_conformance.proxy_traces import PROXY_TRACES, judge_proxy
from acp_conformance.remote_launcher import RemoteAgent
from acp_conformance.requirements import BY_ID, NEED_KEYS, SUPPORT, Level, Role
from acp_conformance.scenario import SILENCES
from acp_conformance.trace_runner import AgentTimeouts, play_all
from acp_conformance.trace_script import Script, remote_scripts, scripts
from acp_conformance.verdict import (
    RequirementVerdict,
    TraceResult,
    VerdictStatus,
    gaps,
    status_of,
    verdicts,
    with_advice,
)
from acp_conformance.verdict_report import FORMATS
from acpgen.cli.conform_list import plain_list, structured_list
from acpgen.cli.report import CommandFailure, Exit, fail, note, suggestion, unreadable
from acpgen.cli.session_pages import write_failed_traces
from acpgen.cli.trace_playback import Playable, Shown, shown, stoppable
from acpgen.findings import escaped


class VerdictForm(StrEnum):
    """How verdicts are printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


class FailLevel(StrEnum):
    """The weakest level of requirements that make the command fail."""

    MUST = "must"
    SHOULD = "should"
    STATED = "stated"


_Trace = TypeVar("_Trace", bound=Playable)


def conform(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND", help="The program to judge, with its arguments; put -- before it."
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Judge the agent that runs at this address of http, https, ws or wss, in place of "
            "COMMAND.",
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME:VALUE", help='Send this with every request, as "Authorization: Bearer x".'
        ),
    ] = None,
    client: Annotated[
        bool,
        typer.Option(
            "--client",
            help="Judge a client. In COMMAND, {agent} becomes the agent's command, {text} the "
            "prompt to submit, and {folder} a folder to keep pending prompts in. Two are optional: "
            "{more} becomes the prompt to submit right after {text}, before its answer, and "
            "{clock} the seconds by which the client's clock is ahead.",
        ),
    ] = False,
    proxy: Annotated[
        bool,
        typer.Option(
            "--proxy", help="Judge a proxy. In COMMAND, {agent} becomes the command of its agent."
        ),
    ] = False,
    restart: Annotated[
        str | None,
        typer.Option(
            "--restart-command",
            help="The command that restarts the agent, if it differs. With --url it kills the "
            "server, starts it again, and ends once the server can be reached.",
        ),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option("--second-command", help="The command that connects to the running agent."),
    ] = None,
    form: Annotated[
        VerdictForm, typer.Option("--format", help="How to print the verdicts.")
    ] = VerdictForm.TEXT,
    timeout: Annotated[
        float,
        typer.Option(
            help="Seconds to wait for an answer, or for a client to end, from 0.1 to 86400. For an "
            "agent, at least ten times --silence, which makes 2 by default.",
        ),
    ] = 10.0,
    silence: Annotated[
        float | None,
        typer.Option(
            help="Seconds without a message that count as silence, from 0.05 to 8640. By default "
            "0.2 for an agent, and 2 for a client, which may be slower to give up.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--trace",
            metavar="NAME",
            help="Play only this trace, or the traces of this requirement.",
        ),
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Write to this folder a transcript of each trace with an agent, and the agent's "
            "standard error.",
        ),
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(
            "--view",
            metavar="FOLDER",
            help="Write a page of each trace that failed, as `acpgen view` does, to this folder.",
        ),
    ] = None,
    level: Annotated[
        FailLevel,
        typer.Option(
            help="The weakest word of the RFD whose requirements fail: must, should, or stated "
            "for plain statements. What is broken below that is advice in the report."
        ),
    ] = FailLevel.MUST,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit with 2 if something was not exercised in full."),
    ] = False,
    list_: Annotated[
        bool,
        typer.Option(
            "--list",
            help="Print the requirements and the traces, with --client or --proxy only theirs, and "
            "start nothing.",
        ),
    ] = False,
) -> None:
    """Play traces with lost answers, crashes and retries, and report which requirements hold.

    Each requirement of the RFD on idempotency keys gets a verdict: pass, partly, fail, advice, or
    not exercised, with what was seen, and with the sentence of the RFD if it was broken. An agent
    speaks ACP v2 over standard input and output, is killed and started again, and has to find the
    sessions that it stored; use one with nothing to lose. With --url the agent is already running:
    the kit opens connections to it, and --restart-command kills it. A few traces need test prompts,
    such as "acp-conformance: hold 1000ms": the README of the traces lists them. A client starts the
    agent, sends again what is pending, submits the text unless it is empty, and ends. A proxy
    starts the agent and forwards standard input and output. Exit status: 0 if nothing fails and the
    core was exercised, which is support-keys and insert-once of an agent, client-same-key and
    client-resends of a client, all of a proxy; 1 if something fails; 2 if there is no verdict.
    """
    asked = _Arguments(
        command or [], url, header or [], restart, second, timeout, only or [], record, view
    )

    if list_:
        _print_list(form, client=client, proxy=proxy)
        raise typer.Exit(Exit.CLEAN)

    def judge() -> _Judged:
        _agree(asked, client=client, proxy=proxy)
        pages = None if view is None else _prepared(view)
        quiet = silence if silence is not None else (2.0 if client else 0.2)
        _bound("--timeout", timeout, 0.1, DAY)
        _bound("--silence", quiet, 0.05, DAY / 10)
        try:
            if proxy:
                return _judge_proxy(asked.command, asked.only, timeout, pages)
            if client:
                return _judge_client(asked.command, asked.only, timeout, quiet, pages)
            return _judge_any_agent(asked, AgentTimeouts(timeout, quiet), pages)
        except StartError as error:
            fail(str(error))

    try:
        with stoppable():
            judged = judge()
    except CommandFailure as end:
        sys.stdout.write(FORMATS[form]((), end.lines))
        raise
    found = with_advice(judged.found, {each.name: each for each in Level}[level.name])
    status = status_of(found, strict=strict)
    problems = [*judged.problems]
    if status == Exit.UNKNOWN and not judged.unusable:
        missing = gaps(found, strict=strict)
        problems.append(f"no verdict without {_few(missing, len(found))}")
    for problem in problems:
        note(f"acpgen: {escaped(problem)}")
    if not judged.unusable or form is not VerdictForm.TEXT:
        sys.stdout.write(FORMATS[form](found, problems))
    raise typer.Exit(status or (Exit.UNKNOWN if judged.problems else Exit.CLEAN))


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The arguments of the command that name the program to judge and the folders to write."""

    command: Sequence[str]
    url: str | None
    headers: Sequence[str]
    restart: str | None
    second: str | None
    timeout: float
    only: Sequence[str]
    record: str | None
    view: str | None


def _agree(asked: _Arguments, *, client: bool, proxy: bool) -> None:
    """Refuse options that exclude each other."""
    if client and proxy:
        fail("--client and --proxy exclude each other: give one of them")
    options = {
        "--url": asked.url,
        "--header": asked.headers or None,
        "--restart-command": asked.restart,
        "--second-command": asked.second,
        "--record": asked.record,
    }
    if client or proxy:
        _refuse(options)
    if bool(asked.command) == (asked.url is not None):
        fail("give COMMAND, after --, or --url")
    if asked.url is None and asked.headers:
        fail("--header is for --url only")
    if asked.url is not None and asked.second is not None:
        fail("--second-command is of no use with --url, which takes any number of connections")
    given = [("--url", asked.url), ("--record", asked.record), ("--view", asked.view)]
    _refuse_blanks(asked.command, [*given, *(("--trace", name) for name in asked.only)])


def _judge_any_agent(asked: _Arguments, timeouts: AgentTimeouts, pages: Path | None) -> _Judged:
    _suffice(timeouts)
    again = _words("--restart-command", asked.restart)
    joins = _words("--second-command", asked.second)
    folder = None if asked.record is None else Path(asked.record)
    if asked.url is None:
        launcher = Programs(asked.command, again, joins)
        return _judge_agent(launcher, timeouts, asked.only, folder, pages)
    with RemoteAgent(asked.url, _headers(asked.headers), again) as agent:
        judged = _judge_agent(agent, timeouts, asked.only, folder, pages)
    if agent.faults:
        broken = ", ".join(f"{name} {count}" for name, count in sorted(agent.faults.items()))
        note(f"acpgen: faults of the transport that were played: {broken}")
    for sentence in sorted(agent.notes):
        note(f"acpgen: {sentence}")
    return judged


@dataclass(frozen=True, slots=True)
class _Judged:
    """Verdicts, and the reasons why a trace was not played or written."""

    found: Sequence[RequirementVerdict]
    problems: Sequence[str]
    unusable: bool = False
    """Whether the program did not start, or did not speak, so that nothing was observed."""


def _print_list(form: VerdictForm, *, client: bool, proxy: bool) -> None:
    """Print the requirements and traces of the roles that options name, or else of all."""
    if form is VerdictForm.JUNIT:
        fail("--list has no junit: give --format text or json")
    named = [role for role, given in ((Role.CLIENT, client), (Role.PROXY, proxy)) if given]
    write = plain_list if form is VerdictForm.TEXT else structured_list
    sys.stdout.write(write(named or [*Role]))


_FEW: Final = 4


def _few(missing: Sequence[str], all_: int) -> str:
    few = len(missing) <= _FEW
    return ", ".join(missing) if few else f"{len(missing)} of {all_} requirements"


def _judge_agent(
    launcher: Launcher,
    timeouts: AgentTimeouts,
    only: Sequence[str],
    record: Path | None,
    pages: Path | None,
) -> _Judged:

    is_remote = isinstance(launcher, RemoteAgent)
    known = (*scripts(), *remote_scripts()) if is_remote else scripts()
    played = _with_support(_chosen(known, only))
    if record is not None:
        _prepare(record)
    seen = shown(play_all(played, launcher, timeouts), played)
    unwritten = [] if record is None else _write(record, seen.outcomes)
    for outcome in seen.outcomes:
        if outcome.unparsed:
            note(f"acpgen: {outcome.trace}: {outcome.unparsed} lines of the agent are not messages")
    judged = _asked(seen, Role.AGENT, played, only, _parts(known), pages)
    return replace(judged, problems=[*judged.problems, *unwritten])


def _judge_client(
    command: Sequence[str],
    only: Sequence[str],
    timeout: float,
    silence: float,
    pages: Path | None,
) -> _Judged:

    _demand(AGENT, command)
    played = _chosen(CLIENT_PLANS, only)
    outcomes = judge_client(command, played, ClientTimeouts(timeout, silence))
    parts = _parts(CLIENT_PLANS, but=frozenset(ALWAYS))
    return _asked(shown(outcomes, played), Role.CLIENT, played, only, parts, pages)


def _judge_proxy(
    command: Sequence[str], only: Sequence[str], timeout: float, pages: Path | None
) -> _Judged:

    _demand(AGENT, command)
    played = _chosen(PROXY_TRACES, only)
    outcomes = judge_proxy(command, played, timeout)
    seen = shown(outcomes, played)
    return _asked(seen, Role.PROXY, played, only, _parts(PROXY_TRACES), pages)


def _with_support(played: Sequence[Script]) -> list[Script]:
    """Begin with the traces that show whether an agent knows keys, if others rest on that."""
    if not any(script.proves & NEED_KEYS for script in played):
        return [*played]
    first = [script for script in scripts() if SUPPORT in script.proves]
    return [*first, *(script for script in played if script not in first)]


def _parts(
    all_: Sequence[Playable], but: frozenset[str] = frozenset()
) -> Mapping[str, Sequence[str]]:
    """The names of the traces that prove each requirement."""
    ids = frozenset[str]().union(*(each.proves for each in all_)) - but
    return {id_: [each.name for each in all_ if id_ in each.proves] for id_ in ids}


def _asked(
    seen: Shown,
    role: Role,
    played: Sequence[Playable],
    only: Sequence[str],
    parts: Mapping[str, Sequence[str]],
    pages: Path | None,
) -> _Judged:
    """The verdicts to print: with `--trace`, those on what it names, and all failures."""
    unwritten = [] if pages is None else write_failed_traces(pages, seen.outcomes)
    summary = set(only).union(*(each.proves for each in played if each.name in only))
    has_server = role is Role.AGENT and any(BY_ID[id_].role is Role.SERVER for id_ in parts)
    roles = (role, Role.SERVER) if has_server else (role,)
    found = [
        verdict
        for each in roles
        for verdict in verdicts(seen.outcomes, each, parts)
        if not only or verdict.requirement.id in summary or verdict.status is VerdictStatus.FAIL
    ]
    problems = [*([seen.cut] if seen.cut else []), *unwritten]
    return _Judged(found, problems, seen.unusable)


def _demand(word: str, command: Sequence[str]) -> None:
    if word not in command:
        fail(f"COMMAND has no {word}: put it where the agent's command goes")


def _refuse(options: Mapping[str, object]) -> None:
    for option, value in options.items():
        if value is not None:
            fail(f"{option} is for agents only")


def _refuse_blanks(command: Sequence[str], options: Iterable[tuple[str, str | None]]) -> None:
    if command and not command[0].strip():
        fail("COMMAND begins with a blank word: give the program to start")
    for option, value in options:
        if value is not None and not value.strip():
            fail(f"the value of {option} is blank: is a variable unset?")


def _suffice(timeouts: AgentTimeouts) -> None:

    if timeouts.answer < SILENCES * timeouts.quiet:
        least = (
            f"--silence {timeouts.quiet:g} takes --timeout {SILENCES * timeouts.quiet:g} at least"
        )
        fail(f"{least}: prompts are held for five silences")


def _chosen(all_: Sequence[_Trace], names: Sequence[str]) -> list[_Trace]:
    traces = [each.name for each in all_]
    known = {*traces}.union(*(each.proves for each in all_))
    for name in names:
        if name not in known:
            others = f"the traces are {', '.join(traces)}"
            meant = _elsewhere(name) or suggestion(name, known, others)
            fail(f"there is no trace or requirement {name}: {meant}")
    return [each for each in all_ if not names or {each.name, *each.proves} & {*names}]


def _elsewhere(name: str) -> str | None:
    """Hint when the named requirement belongs to another role (agent, client or proxy)."""
    asked = BY_ID.get(name)
    return None if asked is None else f"it is a requirement for {_ARTICLE[asked.role]} {asked.role}"


_ARTICLE: Final = {"agent": "an", "server": "a", "client": "a", "proxy": "a"}


DAY: Final = 24.0 * 60 * 60


def _bound(option: str, seconds: float, least: float, most: float) -> None:
    if not least <= seconds <= most:  # also false for NaN
        fail(f"{option} {seconds:g} is not from {least:g} to {most:g} seconds")


def _words(option: str, command: str | None) -> list[str] | None:
    if command is None:
        return None
    try:
        words = shlex.split(command)
    except ValueError as error:
        fail(f"{command}: {error}")
    if not words or not words[0].strip():
        fail(f"{option} names no program: is a variable unset?")
    return words


def _headers(given: Sequence[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for each in given:
        name, colon, value = each.partition(":")
        if not (colon and name.strip() and name.isascii()):
            fail("--header takes NAME:VALUE, such as Authorization: Bearer x")
        headers[name.strip()] = value.strip()
    return headers


def _prepared(name: str) -> Path:
    """A folder that can be written to."""
    _prepare(Path(name))
    return Path(name)


def _prepare(folder: Path) -> None:
    """Fail early if transcripts can't be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        fail(unreadable(error, folder))


def _write(folder: Path, outcomes: Sequence[TraceResult]) -> list[str]:
    """Write transcripts. Returns the reason for each failure."""
    try:
        for outcome in outcomes:
            for suffix, written in (("ndjson", outcome.transcript), ("stderr", outcome.errors)):
                if written:
                    (folder / f"{outcome.trace}.{suffix}").write_bytes(written)
    except OSError as error:
        return [f"not all transcripts are written: {unreadable(error, folder)}"]
    return []
