"""Releases of upstream's against the schema: what is equal, and each kind of what is not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from acpgen import resources
from acpgen.findings import Finding
from acpgen.load import load
from acpgen.load.place_lines import located
from acpgen.model import Protocol
from acpgen.targets.bundles import bundles
from acpgen.upstream import (
    Comparison,
    Declared,
    Status,
    compare,
    read_declared,
    stale,
    undeclared,
)
from whole_schema import whole_schema

DECLARED = resources.ACCEPTED.with_name("upstream.toml")
STABILISED = "is in this release of upstream, and unstable here"
Edit = Callable[[dict[str, Any]], object]


@cache
def ours() -> Protocol:
    return whole_schema()


@cache
def declared() -> Declared:
    return read_declared(DECLARED)


@cache
def release() -> str:
    """The schema as upstream would release it whole: without what is declared to be ours."""
    schema = json.loads(bundles(ours())["schema/acp-v2.unstable.schema.json"])
    definitions = schema["$defs"]
    for name in [n for n, d in definitions.items() if d.get("x-docs-ignore")]:
        del definitions[name]
    for entry in declared().entries:
        if entry.status is Status.OURS_ONLY:
            del definitions[entry.definition]
    del definitions["PromptRequest"]["properties"]["idempotencyKey"]
    del definitions["PromptRequest"]["x-retry-class"], definitions["PromptRequest"]["x-resend"]
    del definitions["PromptRequest"]["x-docs"]
    kept = ("$schema", "title", "x-protocol-version", "$defs")
    return json.dumps({key: schema[key] for key in kept})


def compared(folder: Path, edit: Edit) -> tuple[list[Comparison], list[Finding]]:
    """What comes of a release that was edited, and what of it is not declared."""
    schema = json.loads(release())
    edit(schema["$defs"])
    file = folder / "release.json"
    file.write_text(json.dumps(schema, indent=1))
    theirs = load(file)
    comparisons = compare(theirs, schema, ours(), declared())
    found = [
        *undeclared(comparisons, theirs, ours(), declared()),
        *stale(comparisons, declared()),
    ]
    return comparisons, found


def test_a_finding_tells_its_line(tmp_path: Path) -> None:
    _, found = compared(tmp_path, change("PromptRequest/required", ["sessionId"]))
    (finding,) = located(found)
    text = (tmp_path / "release.json").read_text().splitlines()
    assert finding.line is not None
    assert text[finding.line - 1].strip() == '"required": ['


def lines(found: list[Finding]) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.pointer, finding.message) for finding in found]


def test_what_is_declared_is_not_a_finding(tmp_path: Path) -> None:
    comparisons, found = compared(tmp_path, lambda _: None)
    assert found == []
    assert Counter(c.status for c in comparisons if c.status is not Status.EQUAL) == {
        Status.OURS_ONLY: 3,
        Status.DIFFERENT: 1,
    }


@pytest.mark.parametrize("name", ["v2/schema.json", "v2/schema.unstable.json"])
def test_the_newest_releases_differ_in_nothing_else(upstream_schemas: Path, name: str) -> None:
    path = upstream_schemas / name
    theirs = load(path)
    comparisons = compare(theirs, json.loads(path.read_text("utf-8")), ours(), declared())
    assert [*undeclared(comparisons, theirs, ours(), declared())] == []
    assert [*stale(comparisons, declared())] == []
    definitions = json.loads(path.read_text("utf-8"))["$defs"]
    assert {c.name for c in comparisons if c.status is not Status.OURS_ONLY} == definitions.keys()


def test_a_stable_release_is_held_against_the_stable_part(upstream_schemas: Path) -> None:
    path = upstream_schemas / "v2" / "schema.json"
    schema = json.loads(path.read_text("utf-8"))
    names = {c.name for c in compare(load(path), schema, ours(), declared())}
    assert "ForkSessionRequest" in ours().types
    assert "ForkSessionRequest" not in names


def test_of_what_a_release_makes_stable_only_that_is_found(
    upstream_schemas: Path, tmp_path: Path
) -> None:
    """The ordinary next release: the stable file, with a method of the unstable one."""
    release, unstable = (
        json.loads((upstream_schemas / "v2" / name).read_text("utf-8"))
        for name in ("schema.json", "schema.unstable.json")
    )
    names = ("ArchiveSessionRequest", "ArchiveSessionResponse")
    release["$defs"] |= {name: unstable["$defs"][name] for name in names}
    file = tmp_path / "v2" / "schema.json"
    file.parent.mkdir()
    file.write_text(json.dumps(release, indent=1), "utf-8")
    theirs = load(file)
    comparisons = compare(theirs, release, ours(), declared())
    assert lines([*undeclared(comparisons, theirs, ours(), declared())]) == [
        ("upstream-theirs-only", f"/$defs/{name}", STABILISED) for name in names
    ]
    assert [*stale(comparisons, declared())] == []


def test_a_whole_release_that_lacks_something_unstable_is_still_the_whole(tmp_path: Path) -> None:
    gone = ("ForkSessionRequest", "ForkSessionResponse")

    def remove(definitions: dict[str, Any]) -> None:
        for name in gone:
            del definitions[name]

    comparisons, _ = compared(tmp_path, remove)
    lacking = {c.name for c in comparisons if c.status is Status.OURS_ONLY}
    declared_ = {e.definition for e in declared().entries if e.status is Status.OURS_ONLY}
    assert lacking == {*gone, *declared_}
    assert not [c for c in comparisons if c.status is Status.THEIRS_ONLY]


def test_what_only_upstream_has_is_found(tmp_path: Path) -> None:
    def add(definitions: dict[str, Any]) -> None:
        definitions["Novelty"] = {"type": "string"}
        definitions["SessionId"]["title"] = "T"

    _, found = compared(tmp_path, add)
    assert lines(found) == [
        ("upstream-theirs-only", "/$defs/Novelty", "is in this release of upstream, and not here"),
        ("upstream-different", "/$defs/SessionId/title", 'upstream has "T", here is nothing'),
    ]


def test_what_upstream_lacks_is_found_where_it_is_defined(tmp_path: Path) -> None:
    def remove(definitions: dict[str, Any]) -> None:
        text = json.dumps(definitions).replace("#/$defs/AuthMethodId", "#/$defs/SessionId")
        definitions.update(json.loads(text))
        del definitions["AuthMethodId"]

    _, found = compared(tmp_path, remove)
    (finding,) = [f for f in found if f.rule == "upstream-ours-only"]
    assert finding.pointer == "/$defs/AuthMethodId"
    assert Path(finding.file).parent == resources.SCHEMA
    assert json.loads(Path(finding.file).read_text())["$defs"]["AuthMethodId"]


def change(path: str, value: object) -> Edit:
    def edit(definitions: dict[str, Any]) -> None:
        *way, last = path.split("/")
        place: Any = definitions
        for name in way:
            place = place[int(name) if isinstance(place, list) else name]
        place[last] = value

    return edit


@pytest.mark.parametrize(
    ("path", "value", "place", "message"),
    [
        (
            "NewSessionRequest/properties/mcpServers/maxItems",
            2,
            "NewSessionRequest/properties/mcpServers/maxItems",
            "upstream has 2, here is nothing",
        ),
        (
            "PromptRequest/required",
            ["sessionId"],
            "PromptRequest/required/prompt",
            "upstream has nothing, here is true",
        ),
        (
            "ToolCallStatus/anyOf/0/const",
            "waiting",
            "ToolCallStatus/anyOf/0/const",
            'upstream has "waiting", here is "pending"',
        ),
        (
            "PromptResponse/properties/messageId/$ref",
            "#/$defs/SessionId",
            "PromptResponse/properties/messageId/$ref",
            'upstream has "#/$defs/SessionId", here is "#/$defs/MessageId"',
        ),
        (
            "NewSessionRequest/properties/mcpServers/x-deserialize-default-on-error",
            True,
            "NewSessionRequest/properties/mcpServers/x-deserialize-default-on-error",
            "upstream has true, here is nothing",
        ),
    ],
)
def test_each_kind_of_difference_is_found(
    tmp_path: Path, path: str, value: object, place: str, message: str
) -> None:
    _, found = compared(tmp_path, change(path, value))
    assert lines(found) == [("upstream-different", f"/$defs/{place}", message)]


def test_prose_and_what_says_nothing_is_left_out(tmp_path: Path) -> None:
    def reword(definitions: dict[str, Any]) -> None:
        definitions["SessionId"]["description"] = "Another text."
        definitions["PromptResponse"]["examples"] = [{"messageId": "m"}]
        definitions["NewSessionRequest"].pop("x-errors")

    _, found = compared(tmp_path, reword)
    assert found == []


def test_a_member_called_like_a_keyword_counts(tmp_path: Path) -> None:
    def add(definitions: dict[str, Any]) -> None:
        definitions["PromptResponse"]["properties"]["description"] = {"type": "string"}

    _, found = compared(tmp_path, add)
    assert lines(found) == [
        (
            "upstream-different",
            "/$defs/PromptResponse/properties/description",
            'upstream has {"type": "string"}, here is nothing',
        )
    ]


def test_an_entry_that_upstream_has_overtaken_is_stale(tmp_path: Path) -> None:
    def adopt(definitions: dict[str, Any]) -> None:
        bundle = json.loads(bundles(ours())["schema/acp-v2.unstable.schema.json"])["$defs"]
        definitions["IdempotencyKey"] = deepcopy(bundle["IdempotencyKey"])
        definitions["PromptRequest"] = deepcopy(bundle["PromptRequest"])

    _, found = compared(tmp_path, adopt)
    assert lines(found) == [
        ("stale-declaration", "", "IdempotencyKey is not ours-only; remove the entry"),
        (
            "stale-declaration",
            "",
            "PromptRequest is not different at /properties/idempotencyKey in the values declared; "
            "correct or remove the entry",
        ),
    ]
