"""Prints verdicts as text for people, JSON for programs, or JUnit XML for build servers.

`problems` say why there is no verdict, or an incomplete one. People read them on standard error.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from acp_conformance.verdict import RequirementVerdict, VerdictStatus

__all__ = ["FORMATS", "junit", "plain", "structured"]


def plain(found: Sequence[RequirementVerdict], problems: Sequence[str] = ()) -> str:
    """One line for each requirement, indented lines for the observations, and the counts.

    Empty without verdicts.
    """
    del problems
    if not found:
        return ""
    lines: list[str] = []
    for each in found:
        asked = each.requirement
        lines.append(f"{_word(each):13}  {asked.level:6}  {asked.id}: {asked.text}")
        if each.status is VerdictStatus.FAIL:
            lines.append(f'{"":15}RFD, {asked.section}: "{asked.sentence}"')
        if each.status is not VerdictStatus.PASS:
            lines += [f"{'':15}{_printable(detail)}" for detail in each.details]
    counts = Counter(map(_word, found))
    shown = [word for word in _COUNTED if counts[word] or word not in _SELDOM]
    lines.append(", ".join(f"{counts[word]} {_COUNTED[word]}" for word in shown))
    return "\n".join(lines) + "\n"


def structured(found: Sequence[RequirementVerdict], problems: Sequence[str] = ()) -> str:
    """One JSON document: each requirement with its status and observations, and the problems."""
    counts = Counter(each.status for each in found)
    advice = sum(each.advice for each in found)
    entries = [
        {
            "id": each.requirement.id,
            "role": each.requirement.role,
            "level": each.requirement.level,
            "section": each.requirement.section,
            "text": each.requirement.text,
            "sentence": each.requirement.sentence,
            "status": each.status,
            "advice": each.advice,
            "traces": [*each.traces],
            "details": [*each.details],
        }
        for each in found
    ]
    document = {
        "requirements": entries,
        "summary": {**{status.value: counts[status] for status in VerdictStatus}, "advice": advice},
        "complete": not problems,
        "problems": [{"message": problem} for problem in problems],
    }
    return json.dumps(document, indent=2) + "\n"


def junit(found: Sequence[RequirementVerdict], problems: Sequence[str] = ()) -> str:
    """One suite with a case for each requirement. Neither a pass nor a failure means skipped.

    Problems are the error of one more case.
    """
    counts = Counter(map(_word, found))
    root = ET.Element("testsuites", name="acpgen conform")
    suite = ET.SubElement(
        root,
        "testsuite",
        name="idempotency keys",
        tests=str(len(found) + bool(problems)),
        failures=str(counts["fail"]),
        errors=str(int(bool(problems))),
        skipped=str(sum(counts[word] for word in _SKIPPED)),
    )
    for each in found:
        asked = each.requirement
        case = ET.SubElement(suite, "testcase", classname=asked.role.value, name=asked.id)
        seen = "\n".join(map(_printable, each.details))
        if each.status is VerdictStatus.FAIL and not each.advice:
            failure = ET.SubElement(case, "failure", type=asked.level.value, message=asked.text)
            failure.text = seen
        elif _word(each) in _SKIPPED:
            prefix = f"{_word(each)}: " if _word(each) in _SELDOM else ""
            ET.SubElement(case, "skipped", message=f"{prefix}{seen}")
    if problems:
        case = ET.SubElement(suite, "testcase", classname="conform", name="can be told")
        ET.SubElement(case, "error", message="\n".join(map(_printable, problems)))
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _word(found: RequirementVerdict) -> str:
    return "advice" if found.advice else found.status.value


_COUNTED: Final[Mapping[str, str]] = {
    "pass": "passed",
    "partly": "passed partly",
    "fail": "failed",
    "advice": "as advice",
    "not exercised": "not exercised",
}

_SELDOM: Final = ("partly", "advice")
"""The counts that are printed only if they are not zero."""

_SKIPPED: Final = ("partly", "advice", "not exercised")
"""What JUnit calls skipped: neither a pass nor a failure."""

FORMATS: Final[Mapping[str, Callable[[Sequence[RequirementVerdict], Sequence[str]], str]]] = {
    "text": plain,
    "json": structured,
    "junit": junit,
}
"""The function that prints verdicts, by the name of the format."""
