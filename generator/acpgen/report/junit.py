"""Reports for build servers: JUnit XML, as Jenkins and GitLab read it.

A suite is a file. Its first case is that it was read to its end; each message with findings is one
more, which fails if one of them is an error. The numbers come first in JUnit, so that all findings
are held until the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.etree import ElementTree as ET

from acpgen.findings import Finding, Severity, printable, text
from acpgen.report.problem import Problem
from acpgen.report.tally import Tally


class Suites:
    """One document."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._messages: dict[str, list[Sequence[Finding]]] = {}

    def begin(self) -> None:
        """Nothing can be written yet."""

    def message(self, findings: Sequence[Finding]) -> None:
        """Keep the findings."""
        self._messages.setdefault(findings[0].file, []).append(findings)

    def end(self, tally: Tally) -> None:
        """Write everything."""
        problems: dict[str, list[Problem]] = {}
        for problem in tally.problems:
            problems.setdefault(problem.file, []).append(problem)
        root = ET.Element("testsuites", name=f"acpgen {tally.command}")
        for file in dict.fromkeys((*tally.inputs, *self._messages, *problems)):
            root.append(_suite(file, self._messages.get(file, []), problems.get(file, [])))
        ET.indent(root)
        body = ET.tostring(root, encoding="unicode")
        self._write(f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n')


def _suite(
    file: str, messages: Sequence[Sequence[Finding]], problems: Sequence[Problem]
) -> ET.Element:
    name = printable(file)
    failures = sum(any(map(_is_error, findings)) for findings in messages)
    suite = ET.Element(
        "testsuite",
        name=name,
        tests=str(len(messages) + 1),
        failures=str(failures),
        errors=str(int(bool(problems))),
        skipped="0",
    )
    reading = ET.SubElement(suite, "testcase", classname=name, name="is read to its end")
    if problems:
        error = ET.SubElement(reading, "error", message=printable(problems[0].message))
        error.text = "".join(f"{printable(p.place)}: {printable(p.message)}\n" for p in problems)
    for findings in messages:
        suite.append(_case(name, findings))
    return suite


def _case(suite: str, findings: Sequence[Finding]) -> ET.Element:
    first = min(findings, key=lambda finding: finding.severity.rank)
    line = "" if first.line is None else f"line {first.line}"
    name = " ".join(filter(None, (line, printable(first.subject)))) or first.rule
    case = ET.Element("testcase", classname=suite, name=name)
    if first.severity is Severity.ERROR:
        place = f"{printable(first.pointer)}: " if first.pointer else ""
        message = f"{place}{printable(first.message)}"
        shown = ET.SubElement(case, "failure", type=first.rule, message=message)
    else:
        shown = ET.SubElement(case, "system-out")
    shown.text = text(findings)
    return case


def _is_error(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR
