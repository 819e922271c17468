"""Reports of parts of the input, put together as the report of all of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypedDict, cast

import jsonschema_rs

from acpgen import resources
from acpgen.findings import Finding, Severity
from acpgen.report.problem import Problem, ProblemKind
from acpgen.report.tally import Tally

_DERIVED = frozenset({ProblemKind.EMPTY, ProblemKind.OTHER_VERSION})
"""What is a problem only where it holds for all of the input."""

Row = Mapping[str, "str | int | None"]


class PartError(ValueError):
    """A text that is not a JSON report of acpgen; the message has the place and what is wrong."""


class _Input(TypedDict):
    file: str
    messages: int


class _Document(TypedDict):
    """What `schema/report.schema.json` describes, as far as it is merged."""

    findings: list[Row]
    command: str
    problems: list[Row]
    inputs: list[_Input]
    counts: Mapping[str, int | None]
    rules: list[Row]


@dataclass(frozen=True, slots=True)
class ReportPart:
    """One report: its findings, and everything that it counted."""

    findings: tuple[Finding, ...]
    tally: Tally


def read_part(text: bytes) -> ReportPart:
    """Read what `--format json` wrote.

    Raises:
        PartError: it is something else, or was cut off.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, json.JSONDecodeError) else "it can't be decoded"
        raise PartError(f"is not JSON: {reason}") from error
    fault = next(_validator().iter_errors(value), None)
    if fault is not None:
        place = "".join(f"/{token}" for token in fault.instance_path)
        where = f" at {place}" if place else ""
        raise PartError(f"is not a report of --format json{where}: {fault.message[:200]}")
    document = cast("_Document", value)
    return ReportPart(tuple(map(finding_of, document["findings"])), _tally(document))


def finding_of(row: Row) -> Finding:
    """Return the finding that a line of a report has."""
    return Finding(
        rule=_text(row["rule"]),
        severity=Severity(_text(row["severity"])),
        file=_text(row["file"]),
        pointer=_text(row["pointer"]),
        message=_text(row["message"]),
        line=_number(row["line"]),
        subject=_text(row["method"] or ""),
        code=_number(row["code"]),
        connection=row["connection"],
        number=_number(row["number"]),
    )


def findings_in(lines: Iterator[bytes]) -> Iterator[Finding]:
    """Yield the findings that `--format ndjson` wrote."""
    loads: Callable[[bytes], Row] = json.loads
    return map(finding_of, map(loads, lines))


def _tally(document: _Document) -> Tally:
    counts = document["counts"]
    tally = Tally(document["command"], judges=counts["refused"] is not None)
    tally.inputs = {each["file"]: each["messages"] for each in document["inputs"]}
    tally.refused = counts["refused"]
    tally.unjudged = counts["unjudged"] or 0
    tally.others = counts["other_version"] or 0
    tally.found = {
        (Severity(_text(row["severity"])), _text(row["rule"])): _number(row["count"]) or 0
        for row in document["rules"]
    }
    problems = (
        Problem(
            _text(row["file"]),
            _text(row["message"]),
            _number(row["line"]),
            ProblemKind(_text(row["kind"])),
        )
        for row in document["problems"]
    )
    tally.problems = [each for each in problems if each.kind not in _DERIVED]
    return tally


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    path = resources.ROOT / "schema" / "report.schema.json"
    return jsonschema_rs.Draft202012Validator(json.loads(path.read_text("utf-8")))


def _text(value: str | int | None) -> str:
    return str(value)


def _number(value: str | int | None) -> int | None:
    return value if isinstance(value, int) else None
