"""JUnit XML: what Jenkins and GitLab look for, and text that XML can't hold."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from acpgen.findings import text
from report_samples import ALL, BARE, FULL, HOSTILE, RECOVERED, rendered


def suites(*args: Any, **options: Any) -> list[ET.Element]:
    """The suites in a document, each with as many cases and failures as it says."""
    root = ET.fromstring(rendered("junit", *args, **options).encode())
    assert root.tag == "testsuites"
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert suite.get("errors") == str(len(suite.findall("testcase/error")))
    return list(root)


def test_a_whole_document() -> None:
    assert rendered("junit", [[FULL, RECOVERED]]) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="acpgen validate">\n'
        '  <testsuite name="a.ndjson" tests="2" failures="1" errors="0" skipped="0">\n'
        '    <testcase classname="a.ndjson" name="is read to its end" />\n'
        '    <testcase classname="a.ndjson" name="line 3 session/list">\n'
        '      <failure type="type" message="/params/cwd: must be a string">'
        f"{text([FULL, RECOVERED])}</failure>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_a_file_without_findings_passes() -> None:
    (suite,) = suites([])
    (case,) = suite
    assert (suite.get("name"), case.get("name"), len(case)) == (
        "clean.json",
        "is read to its end",
        0,
    )


def test_only_errors_fail() -> None:
    (suite,) = suites([[RECOVERED]])
    assert suite.findtext("testcase/system-out") == text([RECOVERED])
    assert suite.find("testcase/failure") is None


def test_the_worst_finding_of_a_message_names_it() -> None:
    (suite,) = suites([[RECOVERED, FULL]])
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.text == text([RECOVERED, FULL])


def test_each_file_is_a_suite() -> None:
    names = [suite.get("name") for suite in suites([[FULL], [BARE], [FULL]])]
    assert names == ["a.ndjson", "main.json"]


def test_what_could_not_be_read_is_an_error() -> None:
    clean, broken = suites([], problems=[("b", "is a directory", None), ("b", "is cut", 3)])
    assert clean.get("errors") == "0"
    error = broken.find("testcase/error")
    assert error is not None
    assert (error.get("message"), error.text) == (
        "is a directory",
        "b: is a directory\nb:3: is cut\n",
    )


def test_text_that_xml_cannot_hold_is_escaped() -> None:
    (suite,) = suites([[HOSTILE]])
    reported = suite.findtext("testcase/system-out")
    assert reported == text([HOSTILE])
    assert suite.get("name") == r"a\nb ü.json"


def test_every_sort_of_finding_is_reported_once() -> None:
    printed = rendered("junit", [[finding] for finding in ALL])
    reported = "".join(ET.fromstring(printed.encode()).itertext())
    lines = [line.strip() for line in reported.splitlines() if line.strip()]
    assert sorted(lines) == sorted(text(ALL).splitlines())
