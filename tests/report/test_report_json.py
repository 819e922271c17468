"""The JSON document and the JSON lines: whole outputs, held to their schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from acpgen import resources
from acpgen.findings import Finding, Severity
from acpgen.report.document import FORMAT
from report_samples import ALL, FULL, HOSTILE, RECOVERED, rendered

SCHEMA: dict[str, Any] = json.loads((resources.ROOT / "schema/report.schema.json").read_text())


def strict(schema: Any) -> Any:
    """The schema without the liberty to add members, as the present version has none to add."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {**{name: strict(value) for name, value in schema.items()}, **closed}


DOCUMENT = jsonschema.Draft202012Validator(strict(SCHEMA))
FINDING = jsonschema.Draft202012Validator(
    {"$defs": strict(SCHEMA["$defs"]), "$ref": "#/$defs/Finding"}
)


def document(*messages: list[Finding], **options: Any) -> dict[str, Any]:
    """A report as JSON, which is as its schema says and has its members in that order."""
    found: dict[str, Any] = json.loads(rendered("json", messages, **options))
    DOCUMENT.validate(found)
    assert list(found) == list(SCHEMA["properties"])
    for row in found["findings"]:
        assert list(row) == list(SCHEMA["$defs"]["Finding"]["properties"])
    return found


def test_the_whole_document() -> None:
    printed = rendered("json", [[FULL, RECOVERED], [FULL]], problems=[("b", "is a directory", 2)])
    version = json.loads(printed)["tool"]["version"]
    assert printed.replace(json.dumps(version), '"V"') == (
        "{\n"
        '  "format": "acpgen.report/1",\n'
        '  "tool": {"name": "acpgen", "version": "V"},\n'
        '  "findings": [\n'
        '    {"file": "a.ndjson", "line": 3, "number": null, "connection": "b", '
        '"method": "session/list", '
        '"severity": "error", "rule": "type", "code": -32602, "pointer": "/params/cwd", '
        '"message": "must be a string"},\n'
        '    {"file": "a.ndjson", "line": 4, "number": null, "connection": 7, '
        '"method": "session/list", '
        '"severity": "recovered", "rule": "type", "code": null, "pointer": "/params/cwd", '
        '"message": "must be a string"},\n'
        '    {"file": "a.ndjson", "line": 3, "number": null, "connection": "b", '
        '"method": "session/list", '
        '"severity": "error", "rule": "type", "code": -32602, "pointer": "/params/cwd", '
        '"message": "must be a string"}\n'
        "  ],\n"
        '  "command": "validate",\n'
        '  "complete": false,\n'
        '  "problems": [{"file": "b", "line": 2, "kind": "unread", "message": "is a directory"}],\n'
        '  "inputs": [{"file": "a.ndjson", "messages": 3}],\n'
        '  "counts": {"messages": 3, "accepted": 1, "refused": 2, "unjudged": 0, '
        '"other_version": 0, "errors": 2, '
        '"recovered": 1, "warnings": 0, "notes": 0},\n'
        '  "rules": [{"rule": "type", "severity": "error", "count": 2}, '
        '{"rule": "type", "severity": "recovered", "count": 1}]\n'
        "}\n"
    )


def test_nothing_found() -> None:
    found = document()
    assert (found["findings"], found["complete"], found["problems"]) == ([], True, [])
    assert found["inputs"] == [{"file": "clean.json", "messages": 1}]


def test_every_member_of_a_finding_is_there() -> None:
    rows = document(*([finding] for finding in ALL))["findings"]
    assert len(rows) == len(ALL)
    names = {*Finding.__slots__} - {"subject"} | {"method"}
    assert set(SCHEMA["$defs"]["Finding"]["properties"]) == names
    assert (rows[2]["line"], rows[2]["method"], rows[2]["connection"]) == (None, None, None)


def test_names_are_exact_at_any_length() -> None:
    (row,) = document([HOSTILE])["findings"]
    assert (row["file"], row["pointer"], row["method"], row["message"]) == (
        HOSTILE.file,
        HOSTILE.pointer,
        HOSTILE.subject,
        HOSTILE.message,
    )


def test_a_summary_has_the_numbers_only() -> None:
    found = document([FULL], [RECOVERED], counts_only=True)
    assert found["findings"] == []
    assert [row["count"] for row in found["rules"]] == [1, 1]


def test_lines_are_findings() -> None:
    lines = rendered("ndjson", [[FULL, RECOVERED], [HOSTILE]]).splitlines()
    assert all(line.isprintable() for line in lines)
    rows = [json.loads(line) for line in lines]
    for row in rows:
        FINDING.validate(row)
    assert rows == document([FULL, RECOVERED], [HOSTILE])["findings"]
    assert rendered("ndjson", []) == ""


def test_the_schema_says_what_it_is_for() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["format"]["const"] == FORMAT
    assert SCHEMA["$defs"]["Severity"]["enum"] == [severity.value for severity in Severity]
    assert all(part["required"] == list(part["properties"]) for part in objects(SCHEMA))


def objects(schema: Any) -> list[dict[str, Any]]:
    """The parts of a schema that have members."""
    parts = schema if isinstance(schema, list) else list(schema.values())
    below = [each for part in parts if isinstance(part, dict | list) for each in objects(part)]
    return [schema, *below] if isinstance(schema, dict) and "required" in schema else below


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "acpgen.report/2"),
        (("complete",), "true"),
        (("counts", "errors"), -1),
        (("findings", 0, "severity"), "fatal"),
        (("findings", 0, "pointer"), "params"),
        (("findings", 0, "line"), 0),
    ],
)
def test_the_schema_bites(path: tuple[str | int, ...], value: object) -> None:
    found: Any = document([FULL])
    place = found
    for token in path[:-1]:
        place = place[token]
    place[path[-1]] = value
    assert not DOCUMENT.is_valid(found)
