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
        lines.append(f"{each.status:13}  {asked.level:6}  {asked.id}: {asked.text}")
        if each.status is not VerdictStatus.PASS:
            lines += [f"{'':15}{_printable(detail)}" for detail in each.details]
    counts = Counter(each.status for each in found)
    lines.append(", ".join(f"{counts[status]} {_COUNTED[status]}" for status in VerdictStatus))
    return "\n".join(lines) + "\n"


def structured(found: Sequence[RequirementVerdict], problems: Sequence[str] = ()) -> str:
    """One JSON document: each requirement with its status and observations, and the problems."""
    counts = Counter(each.status for each in found)
    entries = [
        {
            "id": each.requirement.id,
            "role": each.requirement.role,
            "level": each.requirement.level,
            "section": each.requirement.section,
            "text": each.requirement.text,
            "status": each.status,
            "traces": [*each.traces],
            "details": [*each.details],
        }
        for each in found
    ]
    document = {
        "requirements": entries,
        "summary": {status.value: counts[status] for status in VerdictStatus},
        "complete": not problems,
        "problems": [{"message": problem} for problem in problems],
    }
    return json.dumps(document, indent=2) + "\n"


def junit(found: Sequence[RequirementVerdict], problems: Sequence[str] = ()) -> str:
    """One suite with a case for each requirement. A requirement that was not exercised is skipped.

    Problems are the error of one more case.
    """
    counts = Counter(each.status for each in found)
    root = ET.Element("testsuites", name="acpgen conform")
    suite = ET.SubElement(
        root,
        "testsuite",
        name="idempotency keys",
        tests=str(len(found) + bool(problems)),
        failures=str(counts[VerdictStatus.FAIL]),
        errors=str(int(bool(problems))),
        skipped=str(counts[VerdictStatus.NOT_EXERCISED]),
    )
    for each in found:
        asked = each.requirement
        case = ET.SubElement(suite, "testcase", classname=asked.role.value, name=asked.id)
        seen = "\n".join(map(_printable, each.details))
        if each.status is VerdictStatus.FAIL:
            failure = ET.SubElement(case, "failure", type=asked.level.value, message=asked.text)
            failure.text = seen
        elif each.status is VerdictStatus.NOT_EXERCISED:
            ET.SubElement(case, "skipped", message=seen)
    if problems:
        case = ET.SubElement(suite, "testcase", classname="conform", name="can be told")
        ET.SubElement(case, "error", message="\n".join(map(_printable, problems)))
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


_COUNTED: Final[Mapping[VerdictStatus, str]] = {
    VerdictStatus.PASS: "passed",
    VerdictStatus.FAIL: "failed",
    VerdictStatus.NOT_EXERCISED: "not exercised",
}

FORMATS: Final[Mapping[str, Callable[[Sequence[RequirementVerdict], Sequence[str]], str]]] = {
    "text": plain,
    "json": structured,
    "junit": junit,
}
"""The function that prints verdicts, by the name of the format."""
