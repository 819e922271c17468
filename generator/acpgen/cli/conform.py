"""`acpgen conform`: judge an agent, a client or a proxy by the requirements on idempotency keys."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Final

import typer

from acp_conformance.agent_timeouts import SILENCE
from acp_conformance.expected_failures import ExpectationError, expected_failures
from acp_conformance.launchers import StartError
from acp_conformance.play_options import REPLACEABLE, Permission
from acp_conformance.requirements import Level, Role
from acp_conformance.run_report import RunReport
from acp_conformance.stray_processes import adopt_orphans, kill_orphans
from acp_conformance.trace_selection import named
from acp_conformance.verdict import (
    RequirementVerdict,
    gaps,
    passing,
    status_of,
    with_advice,
    with_expected,
)
from acp_conformance.verdict_report import FORMATS
from acpgen import __version__
from acpgen.cli import conform_options as opt
from acpgen.cli.conform_arguments import ConformArguments
from acpgen.cli.conform_costs import plain_costs, structured_costs
from acpgen.cli.conform_judging import Judged, judge, played_scripts
from acpgen.cli.conform_list import plain_list, structured_list
from acpgen.cli.conform_options import FailLevel, VerdictForm
from acpgen.cli.report import CommandFailure, Exit, fail, note, unreadable
from acpgen.cli.trace_playback import stoppable
from acpgen.findings import escaped


def conform(
    command: opt.Command = None,
    url: opt.Url = None,
    header: opt.Headers = None,
    client: opt.AsClient = False,
    proxy: opt.AsProxy = False,
    restart: opt.Restart = None,
    second: opt.Second = None,
    cwd: opt.Cwd = None,
    env: opt.Env = None,
    login: opt.Login = None,
    permission: opt.GivenPermission = Permission.CANCELLED,
    prompt_hold: opt.PromptHold = None,
    prompt_work: opt.PromptWork = None,
    prompt_fail: opt.PromptFail = None,
    form: opt.Form = VerdictForm.TEXT,
    timeout: opt.Timeout = None,
    silence: opt.Silence = None,
    only: opt.Only = None,
    quick: opt.Quick = False,
    budget: opt.Budget = None,
    jobs: opt.Jobs = None,
    record: opt.Record = None,
    view: opt.View = None,
    level: opt.AtLeast = FailLevel.MUST,
    expected: opt.Expected = None,
    strict: opt.Strict = False,
    list_: opt.Listing = False,
    dry_run: opt.DryRun = False,
) -> None:
    """Play traces with lost answers, crashes and retries, and report which requirements hold.

    Each requirement of the RFD on idempotency keys gets a verdict: pass, partly, fail, advice, or
    not exercised. A failure comes with the sentence of the RFD, what was expected, sent and
    received, the steps before it, and the command that plays its trace again. An agent
    speaks ACP v2 over standard input and output, is killed and started again, and has to find the
    sessions that it stored; use one with nothing to lose. With --url the agent is already running:
    the kit opens connections to it, and --restart-command kills it. A few traces need test prompts,
    such as "acp-conformance: hold 1000ms": the README of the traces lists them, and --prompt-hold
    and the like replace them. Prompts cost money with a real model: see --dry-run. A client starts
    the agent, sends again what is pending, submits the text unless it is empty, and ends. A proxy
    starts the agent and forwards standard input and output. Exit status: 0 if nothing fails and the
    core was exercised, which is support-keys and insert-once of an agent, client-same-key and
    client-resends of a client, all of a proxy; 1 if something fails, or passes that was expected to
    fail; 2 if there is no verdict.
    """
    if list_:
        if quick:
            fail("--list has all traces: leave out --quick, or give --quick --dry-run instead")
        _print_list(form, client=client, proxy=proxy)
        raise typer.Exit(Exit.CLEAN)
    texts = dict(zip(REPLACEABLE, (prompt_hold, prompt_work, prompt_fail), strict=True))
    asked = ConformArguments(
        command=command or [],
        url=url,
        headers=header or [],
        role=Role.CLIENT if client else Role.PROXY if proxy else Role.AGENT,
        restart=restart,
        second=second,
        cwd=cwd,
        env=env or [],
        login=login,
        permission=permission,
        prompts={verb: text for verb, text in texts.items() if text is not None},
        timeout=timeout,
        silence=silence,
        only=named(only or []),
        is_quick=quick,
        budget=budget,
        jobs=jobs,
        record=record,
        view=view,
    )
    if dry_run:
        _print_costs(asked, form)
        raise typer.Exit(Exit.CLEAN)
    begin = monotonic()
    try:
        if client and proxy:
            fail("--client and --proxy exclude each other: give one of them")
        known = _expected(expected, asked.roles)
        with stoppable(), _no_strays(asked):
            judged = _judged(asked)
    except CommandFailure as end:
        sys.stdout.write(FORMATS[form](RunReport((), end.lines, version=__version__)))
        raise
    found = with_expected(with_advice(judged.found, Level[level.name]), known)
    run = RunReport(
        found=found,
        problems=_problems(judged, found, strict=strict),
        results=judged.results,
        version=__version__,
        seconds=monotonic() - begin,
        jobs=judged.jobs,
        timeouts=judged.timeouts,
        replay=asked.replay,
        unexpected=passing(found, known),
        disturbed=judged.disturbed,
    )
    _print_notes(run, judged.notes, {id_: f"{expected}:{line}" for id_, line in known.items()})
    if not judged.unusable or form is not VerdictForm.TEXT:
        sys.stdout.write(FORMATS[form](run))
    raise typer.Exit(_status(run, judged, strict=strict))


def _problems(
    judged: Judged, found: Sequence[RequirementVerdict], *, strict: bool
) -> Sequence[str]:
    if judged.unusable or status_of(found, strict=strict) != Exit.UNKNOWN:
        return judged.problems
    missing = gaps(found, strict=strict)
    return [*judged.problems, f"no verdict: {_few(missing, len(found), strict=strict)}"]


def _print_notes(run: RunReport, notes: Sequence[str], places: Mapping[str, str]) -> None:
    """Print on standard error what is not a finding.

    `places` are the lines of expected failures.
    """
    stale = [f"{places[id_]}: {id_} passes now: remove this line" for id_ in run.unexpected]
    for text in (*notes, *stale, *run.problems):
        note(f"acpgen: {escaped(text)}")


def _status(run: RunReport, judged: Judged, *, strict: bool) -> int:
    if run.unexpected:
        return Exit.FINDINGS
    status = status_of(run.found, strict=strict)
    return status or (Exit.UNKNOWN if judged.problems else Exit.CLEAN)


def _judged(asked: ConformArguments) -> Judged:
    try:
        return judge(asked)
    except StartError as error:
        fail(str(error))


@contextmanager
def _no_strays(asked: ConformArguments) -> Iterator[None]:
    """Leave nothing running that was started in the block, except a server behind a URL."""
    if asked.url is not None:
        yield
        return
    before = adopt_orphans()
    try:
        yield
    finally:
        kill_orphans(before)


def _expected(path: Path | None, roles: Sequence[Role]) -> dict[str, int]:
    if path is None:
        return {}
    try:
        return expected_failures(path, roles)
    except ExpectationError as error:
        fail(str(error))
    except UnicodeDecodeError:
        fail(f"{path}: is not UTF-8")
    except OSError as error:
        fail(unreadable(error, path))


def _print_list(form: VerdictForm, *, client: bool, proxy: bool) -> None:
    """Print the requirements and traces of the roles that options name, or else of all."""
    if form is VerdictForm.JUNIT:
        fail("--list has no junit: give --format text or json")
    named = [role for role, given in ((Role.CLIENT, client), (Role.PROXY, proxy)) if given]
    write = plain_list if form is VerdictForm.TEXT else structured_list
    sys.stdout.write(write(named or [*Role]))


def _print_costs(asked: ConformArguments, form: VerdictForm) -> None:
    """Print what the chosen traces of an agent cost."""
    if asked.role is not Role.AGENT:
        fail("--dry-run is for agents only")
    if form is VerdictForm.JUNIT:
        fail("--dry-run has no junit: give --format text or json")
    asked.check_values()
    write = plain_costs if form is VerdictForm.TEXT else structured_costs
    quiet = SILENCE if asked.silence is None else asked.silence
    sys.stdout.write(write(played_scripts(asked), quiet))


_FEW: Final = 4


def _few(missing: Sequence[str], all_: int, *, strict: bool) -> str:
    if len(missing) == all_:
        return "nothing was exercised" + " in full" * strict
    if len(missing) > _FEW:
        named = f"{len(missing)} of {all_} requirements"
    else:
        *first, last = missing
        named = f"{', '.join(first)} and {last}" if first else last
    were = "was" if len(missing) == 1 else "were"
    return f"{named} {were} not exercised" + " in full" * strict
