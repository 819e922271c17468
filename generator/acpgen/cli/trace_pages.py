"""Pages about the traces of the conformance kit, and the traces of a requirement."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from acp_conformance.client_plans import CLIENT_PLANS, ClientPlan
from acp_conformance.proxy_traces import PROXY_TRACES
from acp_conformance.requirements import ASKED, BY_ID
from acp_conformance.step_sentences import plan_sentences, sentences
from acp_conformance.trace_costs import cost_of
from acp_conformance.trace_script import Script, remote_scripts, scripts
from acpgen.cli.trace_playback import Playable

__all__ = ["requirement_page", "trace_names", "trace_page"]

WIDTH = 100

_BRACKETS = (
    "An expectation proves the requirements in its brackets. If one without brackets is not met,"
    " the rest is not exercised."
)


def trace_names() -> list[str]:
    """The names of all traces and plans."""
    return [each.name for each in _all()]


def trace_page(name: str) -> str | None:
    """The page of a trace or a plan: what happens, and what that proves. None if there is none."""
    for script in _scripts():
        if script.name == name:
            return _script_page(script)
    for plan in CLIENT_PLANS:
        if plan.name == name:
            return _plan_page(plan)
    for trace in PROXY_TRACES:
        if trace.name == name:
            return _page(f"{name} (trace for a proxy)", [trace.title], trace.proves)
    return None


def requirement_page(id_: str) -> str:
    """The page of a requirement: a sentence, that of its source, its level, and its traces."""
    asked = BY_ID[id_]
    names = [each.name for each in _all() if id_ in each.proves]
    paragraphs = (
        asked.text,
        asked.cited,
        f"Level: {asked.level}, for the {asked.role}.",
        f"Traces: {', '.join(names)}.",
    )
    return "\n\n".join(map(_wrapped, paragraphs))


def _all() -> Sequence[Playable]:
    return (*_scripts(), *CLIENT_PLANS, *PROXY_TRACES)


def _scripts() -> Sequence[Script]:
    return (*scripts(), *remote_scripts())


def _script_page(script: Script) -> str:
    kind = "server" if script.is_remote else "agent"
    cost = cost_of(script)
    least, most = cost.prompts
    prompts = f"{most}" if least == most else f"{least} to {most}"
    sums = f"Prompts: {prompts}. Starts of the agent: {cost.starts[1]} at most."
    return _page(
        f"{script.name} (trace for {'a' if script.is_remote else 'an'} {kind})",
        [script.title, "\n".join(_step_lines(script)), _BRACKETS, sums],
        script.proves,
    )


def _step_lines(script: Script) -> Iterator[str]:
    for number, (step, text) in enumerate(zip(script.steps, sentences(script), strict=True), 1):
        proves = f"  [{', '.join(step.proves)}]" if step.proves else ""
        yield _wrapped(f"{number:3}  {text}{proves}", "     ")


def _plan_page(plan: ClientPlan) -> str:
    lines = (_wrapped(f"  {text}", "    ") for text in plan_sentences(plan))
    return _page(f"{plan.name} (plan for a client)", ["\n".join(lines)], plan.proves)


def _page(head: str, paragraphs: Sequence[str], proves: Iterable[str]) -> str:
    ids = [asked.id for asked in ASKED if asked.id in {*proves}]
    own = [text if "\n" in text else _wrapped(text) for text in paragraphs]
    return "\n\n".join([head, *own, _wrapped(f"Can prove: {', '.join(ids)}.")])


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
