"""Prints a run as text for people, JSON for programs, or JUnit XML for build servers.

Problems say why there is no verdict, or an incomplete one. People read them on standard error.
"""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final
from xml.etree import ElementTree as ET

from acp_conformance.failure_report import failure_lines, structured_failure
from acp_conformance.run_report import RunReport
from acp_conformance.verdict import RequirementVerdict, TraceResult, VerdictStatus

__all__ = ["FORMATS", "junit", "plain", "structured"]

TOOL: Final = "acpgen"

WIDTH: Final = 100

LONG: Final = 120
"""How many characters a reason has that is printed only once."""


def plain(run: RunReport) -> str:
    """One line for each requirement, indented lines for the observations, and the counts.

    Empty without verdicts.
    """
    if not run.found:
        return ""
    printed: dict[str, str] = {}
    chosen = [each for each in run.found if not each.is_unchosen]
    lines = [line for each in chosen for line in _plain_lines(run, each, printed)]
    if others := [each.requirement.id for each in run.found if each.is_unchosen]:
        head = f"not exercised  {len(others)}, since no trace about them was chosen: "
        lines += textwrap.wrap(
            ", ".join(others),
            WIDTH,
            initial_indent=head,
            subsequent_indent=" " * 15,
            break_on_hyphens=False,
        )
    counts = Counter(each.word for each in run.found)
    shown = [word for word in _COUNTED if counts[word] or word not in _SELDOM]
    lines.append(", ".join(f"{counts[word]} {_COUNTED[word]}" for word in shown))
    return "\n".join(lines) + "\n"


def _plain_lines(
    run: RunReport, found: RequirementVerdict, printed: dict[str, str]
) -> Iterator[str]:
    """The lines about a requirement. `printed` has the long reasons so far, each with an id."""
    asked = found.requirement
    yield f"{found.word:13}  {asked.level:6}  {asked.id}: {asked.text}"
    if found.status is VerdictStatus.PASS:
        return
    for text in _seen(run, found):
        traces, colon, reason = text.partition(": ")
        first = printed.setdefault(reason, asked.id) if len(reason) > LONG else asked.id
        shown = text if first == asked.id else f"{traces}{colon}the reason is that of {first}"
        yield f"{'':15}{_printable(shown)}"


def _seen(run: RunReport, found: RequirementVerdict) -> Iterator[str]:
    """The lines about a requirement that did not pass. What was seen is shown of one trace."""
    asked = found.requirement
    if found.status is not VerdictStatus.FAIL:
        yield from found.details
        return
    yield asked.cited
    failures = run.failures(found)
    for number, detail in enumerate(found.details):
        yield detail
        if number == 0 and failures:
            yield from (f"  {line}" for line in failure_lines(failures[0]))
    if cause := run.cause(found):
        yield f"likely cause: {cause}"


def structured(run: RunReport) -> str:
    """One JSON document: the agent, each requirement, each trace, and the problems."""
    counts = Counter(each.status for each in run.found)
    document = {
        "tool": {"name": TOOL, "version": run.version},
        "agent": {"name": run.agent.name, "version": run.agent.version} if run.agent.name else None,
        "run": {
            "seconds": round(run.seconds, 3),
            "jobs": run.jobs,
            "timeout": None if run.timeouts is None else round(run.timeouts.answer, 3),
            "silence": None if run.timeouts is None else round(run.timeouts.quiet, 3),
            "prompts": run.prompts,
            "starts": run.starts,
            "permissions": run.permissions,
            "noise": run.noise,
            "disturbed": [*run.disturbed],
        },
        "requirements": [_structured_requirement(run, each) for each in run.found],
        "traces": [_structured_trace(run, each) for each in run.results],
        "summary": {
            **{status.value: counts[status] for status in VerdictStatus},
            "advice": sum(each.advice for each in run.found),
            "expected": sum(each.expected for each in run.found),
        },
        "unexpected": [*run.unexpected],
        "complete": not run.problems,
        "problems": [{"message": problem} for problem in run.problems],
    }
    return json.dumps(document, indent=2) + "\n"


def _structured_requirement(run: RunReport, found: RequirementVerdict) -> dict[str, object]:
    asked = found.requirement
    return {
        "id": asked.id,
        "role": asked.role,
        "level": asked.level,
        "source": asked.source,
        "section": asked.section,
        "text": asked.text,
        "sentence": asked.sentence,
        "status": found.status,
        "advice": found.advice,
        "expected": found.expected,
        "seconds": round(run.seconds_of(found), 3),
        "traces": [*found.traces],
        "details": [*found.details],
        "failures": [structured_failure(each) for each in run.failures(found)],
        "cause": run.cause(found) or None,
    }


def _structured_trace(run: RunReport, result: TraceResult) -> dict[str, object]:
    return {
        "name": result.trace,
        "seconds": round(result.facts.seconds, 3),
        "prompts": result.facts.prompts,
        "starts": result.facts.starts,
        "permissions": result.facts.permissions,
        "noise": result.unparsed,
        "kept": sorted(result.kept),
        "broken": sorted(dict(result.broken)),
        "open": sorted(result.open),
        "reason": result.reason or None,
        "replay": run.replay.of(result.trace) or None,
    }


def junit(run: RunReport) -> str:
    """One suite with a case for each requirement. Neither a pass nor a failure means skipped.

    Problems are the error of one more case.
    """
    counts = Counter(each.word for each in run.found)
    root = ET.Element("testsuites", name="acpgen conform")
    suite = ET.SubElement(
        root,
        "testsuite",
        name="idempotency keys",
        tests=str(len(run.found) + bool(run.problems)),
        failures=str(counts["fail"] + len(run.unexpected)),
        errors=str(int(bool(run.problems))),
        skipped=str(sum(counts[word] for word in _SKIPPED)),
        time=f"{run.seconds:.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(run).items():
        ET.SubElement(properties, "property", name=name, value=_printable(value))
    for each in run.found:
        _case(run, suite, each)
    if run.problems:
        case = ET.SubElement(suite, "testcase", classname="conform", name="can be judged")
        ET.SubElement(case, "error", message="\n".join(map(_printable, run.problems)))
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _properties(run: RunReport) -> dict[str, str]:
    return {
        "tool": f"{TOOL} {run.version}".strip(),
        "agent": f"{run.agent.name} {run.agent.version}".strip(),
        "prompts": str(run.prompts),
        "starts": str(run.starts),
        "permissions": str(run.permissions),
        "noise": str(run.noise),
        **({"disturbed": ", ".join(run.disturbed)} if run.disturbed else {}),
    }


def _case(run: RunReport, suite: ET.Element, found: RequirementVerdict) -> None:
    asked = found.requirement
    seconds = f"{run.seconds_of(found):.3f}"
    case = ET.SubElement(suite, "testcase", classname=asked.role.value, name=asked.id, time=seconds)
    seen = "\n".join(map(_printable, _seen(run, found)))
    if found.word == "fail":
        failure = ET.SubElement(case, "failure", type=asked.level.value, message=asked.text)
        failure.text = seen
    elif found.word in _SKIPPED:
        prefix = f"{found.word}: " if found.word in _SELDOM else ""
        ET.SubElement(case, "skipped", message=f"{prefix}{seen}")
    elif asked.id in run.unexpected:
        ET.SubElement(case, "failure", type="expected-failures", message=_UNEXPECTED)


_UNEXPECTED: Final = "it was expected to fail, and passes: remove it from the expected failures"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


_COUNTED: Final[Mapping[str, str]] = {
    "pass": "passed",
    "partly": "passed partly",
    "fail": "failed",
    "expected": "failed as expected",
    "advice": "as advice (broken, and weaker than --level)",
    "not exercised": "not exercised",
}

_SELDOM: Final = ("partly", "expected", "advice")
"""The counts that are printed only if they are not zero."""

_SKIPPED: Final = ("partly", "expected", "advice", "not exercised")
"""What JUnit calls skipped: neither a pass nor a failure."""

FORMATS: Final[Mapping[str, Callable[[RunReport], str]]] = {
    "text": plain,
    "json": structured,
    "junit": junit,
}
"""The function that prints a run, by the name of the format."""
