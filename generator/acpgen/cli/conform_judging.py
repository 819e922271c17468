"""Judging an agent, a client or a proxy: which traces are played, and what they show."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from acp_conformance.agent_timeouts import AgentTimeouts
from acp_conformance.client_plans import ALWAYS, CLIENT_PLANS
from acp_conformance.client_runs import AGENT, ClientTimeouts, judge_client
from acp_conformance.launchers import FOLDER, Programs, own_programs
from acp_conformance.proxy_traces import PROXY_TRACES, judge_proxy
from acp_conformance.remote_launcher import RemoteAgent
from acp_conformance.requirements import BY_ID, NEED_KEYS, SUPPORT, Role
from acp_conformance.trace_schedule import Schedule
from acp_conformance.trace_script import Script, remote_scripts, scripts
from acp_conformance.trace_selection import quick, within
from acp_conformance.verdict import RequirementVerdict, TraceResult, VerdictStatus, verdicts
from acpgen.cli.conform_arguments import ConformArguments, words
from acpgen.cli.conform_records import prepare, write_records
from acpgen.cli.report import fail, suggestion
from acpgen.cli.session_pages import write_failed_traces
from acpgen.cli.trace_playback import Playable, Shown, shown

__all__ = ["Judged", "judge", "played_scripts"]

MOST_JOBS: Final = 6
"""How many traces are played at once by default."""

PACE: Final = 10.0
"""Seconds that a run of a client or an answer through a proxy may take by default."""

GIVES_UP: Final = 2.0
"""Seconds of silence by default in which a client has to send again."""

_Trace = TypeVar("_Trace", bound=Playable)


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts, and the reasons why a trace was not played or written."""

    found: Sequence[RequirementVerdict]
    problems: Sequence[str]
    unusable: bool = False
    """True if the program did not start, or did not speak, so that nothing was observed."""
    results: Sequence[TraceResult] = ()
    jobs: int = 1
    timeouts: AgentTimeouts | None = None
    notes: Sequence[str] = field(default_factory=tuple)
    """What else was noticed, for standard error."""
    disturbed: Sequence[str] = ()
    """The traces that went otherwise beside others than alone."""


def judge(asked: ConformArguments) -> Judged:
    """Judge the program that arguments name.

    Raises:
        CommandFailure: an argument is wrong.
        StartError: the program can't be started.
    """
    asked.check()
    pages = None if asked.view is None else prepare(Path(asked.view))
    match asked.role:
        case Role.AGENT | Role.SERVER:
            return _judge_any_agent(asked, pages)
        case Role.CLIENT:
            return _judge_client(asked, pages)
        case Role.PROXY:
            return _judge_proxy(asked, pages)


def played_scripts(asked: ConformArguments) -> list[Script]:
    """The traces of an agent that arguments choose.

    Raises:
        CommandFailure: there is no such trace, or the budget is too small for any.
    """
    chosen = _chosen(_known_scripts(asked), asked.only)
    if asked.is_quick:
        chosen = quick(chosen)
        if not chosen:
            fail("--quick leaves out every trace that --trace names: leave one of them out")
    chosen = _with_support(chosen)
    if asked.budget is not None:
        chosen = within(chosen, asked.budget)
        if not chosen:
            fail(f"--budget {asked.budget} is less than any trace takes: see --dry-run")
    return chosen


def _known_scripts(asked: ConformArguments) -> tuple[Script, ...]:
    """The traces for an agent that is started, or for one at a URL."""
    return scripts() if asked.url is None else (*scripts(), *remote_scripts())


def _judge_any_agent(asked: ConformArguments, pages: Path | None) -> Judged:
    again = words("--restart-command", asked.restart)
    joins = words("--second-command", asked.second)
    if asked.url is None:
        programs = Programs(asked.command, again, joins, asked.variables)
        shares = joins is not None and not any(FOLDER in word for word in joins)
        schedule = Schedule(partial(own_programs, programs), shares_second=shares)
        return _judge_agent(asked, schedule, pages)
    with RemoteAgent(asked.url, asked.header_fields, again) as agent:
        judged = _judge_agent(asked, Schedule(lambda: nullcontext(agent)), pages)
    broken = ", ".join(f"{name} {count}" for name, count in sorted(agent.faults.items()))
    played = [f"faults of the transport that were played: {broken}"] if broken else []
    return replace(judged, notes=[*judged.notes, *played, *sorted(agent.notes)])


def _judge_agent(asked: ConformArguments, schedule: Schedule, pages: Path | None) -> Judged:
    played = played_scripts(asked)
    folder = None if asked.record is None else prepare(Path(asked.record))
    schedule = replace(schedule, limits=asked.limits, asked=asked.play_options, jobs=_jobs(asked))
    seen = shown(schedule.play(played), played)
    unwritten = [] if folder is None else write_records(folder, seen.outcomes)
    judged = _asked(asked, seen, played, _parts(_known_scripts(asked)), pages)
    return replace(
        judged,
        problems=[*judged.problems, *unwritten],
        jobs=schedule.jobs,
        timeouts=schedule.timeouts,
        notes=[
            *_noise(seen.outcomes),
            *_permissions(asked, seen.outcomes),
            *_disturbance(asked, schedule.disturbed),
        ],
        disturbed=sorted(schedule.disturbed),
    )


def _jobs(asked: ConformArguments) -> int:
    if asked.jobs is not None:
        return asked.jobs
    if asked.url is not None or asked.budget is not None:
        return 1
    return min(MOST_JOBS, 3 * (os.cpu_count() or 1))


def _noise(outcomes: Sequence[TraceResult]) -> list[str]:
    noisy = [outcome for outcome in outcomes if outcome.unparsed]
    if not noisy:
        return []
    count = sum(outcome.unparsed for outcome in noisy)
    text = "lines of the agent are not messages"
    if count == 1:
        text = "line of the agent is not a message"
    traces = noisy[0].trace if len(noisy) == 1 else f"{len(noisy)} traces, such as {noisy[0].trace}"
    return [f"{count} {text}, in {traces}"]


def _disturbance(asked: ConformArguments, disturbed: Sequence[str]) -> list[str]:
    if not disturbed:
        return []
    count = "1 trace" if len(disturbed) == 1 else f"{len(disturbed)} traces"
    seen = f"{count}, such as {disturbed[0]}, went otherwise beside others than alone"
    programs = (asked.command, words("--restart-command", asked.restart) or ())
    if any(FOLDER in word for program in programs for word in program):
        why = f"they seem to share something outside of {FOLDER}"
    else:
        why = f"they seem to share a store: {FOLDER} in the command gives each a folder of its own"
    return [f"{seen}, so everything was played again alone; {why}"]


def _permissions(asked: ConformArguments, outcomes: Sequence[TraceResult]) -> list[str]:
    count = sum(outcome.facts.permissions for outcome in outcomes)
    times = "once" if count == 1 else f"{count} times"
    answer = f"the answer was {asked.permission}, see --permission"
    return [f"the agent asked for permission {times}: {answer}"] if count else []


def _judge_client(asked: ConformArguments, pages: Path | None) -> Judged:
    _demand(AGENT, asked.command)
    played = _chosen(CLIENT_PLANS, asked.only)
    run = PACE if asked.timeout is None else asked.timeout
    hold = GIVES_UP if asked.silence is None else asked.silence
    outcomes = judge_client(asked.command, played, ClientTimeouts(run, hold))
    parts = _parts(CLIENT_PLANS, but=frozenset(ALWAYS))
    return _asked(asked, shown(outcomes, played), played, parts, pages)


def _judge_proxy(asked: ConformArguments, pages: Path | None) -> Judged:
    _demand(AGENT, asked.command)
    played = _chosen(PROXY_TRACES, asked.only)
    outcomes = judge_proxy(asked.command, played, PACE if asked.timeout is None else asked.timeout)
    return _asked(asked, shown(outcomes, played), played, _parts(PROXY_TRACES), pages)


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
    asked: ConformArguments,
    seen: Shown,
    played: Sequence[Playable],
    parts: Mapping[str, Sequence[str]],
    pages: Path | None,
) -> Judged:
    """The verdicts to print: with `--trace`, those on what it names, and all failures."""
    unwritten = [] if pages is None else write_failed_traces(pages, seen.outcomes, asked.replay)
    only = asked.only
    summary = set(only).union(*(each.proves for each in played if each.name in only))
    has_server = asked.role is Role.AGENT and any(BY_ID[id_].role is Role.SERVER for id_ in parts)
    roles = (asked.role, Role.SERVER) if has_server else (asked.role,)
    found = [
        verdict
        for role in roles
        for verdict in verdicts(seen.outcomes, role, parts)
        if not only or verdict.requirement.id in summary or verdict.status is VerdictStatus.FAIL
    ]
    problems = [*([seen.cut] if seen.cut else []), *unwritten]
    return Judged(found, problems, seen.unusable, seen.outcomes)


def _demand(word: str, command: Sequence[str]) -> None:
    if word not in command:
        fail(f"COMMAND has no {word}: put it where the agent's command goes")


def _chosen(all_: Sequence[_Trace], names: Sequence[str]) -> list[_Trace]:
    known = {each.name for each in all_}.union(*(each.proves for each in all_))
    for name in names:
        if name not in known:
            meant = _elsewhere(name) or suggestion(name, known, "--list prints them all")
            fail(f"there is no trace or requirement {name}: {meant}")
    return [each for each in all_ if not names or {each.name, *each.proves} & {*names}]


def _elsewhere(name: str) -> str | None:
    """Hint when the named requirement belongs to another role (agent, client or proxy)."""
    asked = BY_ID.get(name)
    return None if asked is None else f"it is a requirement for {_ARTICLE[asked.role]} {asked.role}"


_ARTICLE: Final = {"agent": "an", "server": "a", "client": "a", "proxy": "a"}
