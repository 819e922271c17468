"""The schema's structure is upstream's, definition by definition, but for what is listed here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acpgen import resources

DEFINITIONS_ADDED = {
    "IdempotencyKey": "the RFD",
    "SessionOptionsRequest": "the RFD's audit names session/options; no release has it yet",
    "SessionOptionsResponse": "the RFD's audit names session/options; no release has it yet",
}
MEMBERS_ADDED = {("PromptRequest", "idempotencyKey"): "the RFD"}
SAYS_NOTHING = {
    "unevaluatedProperties": "true is what every schema without it says",
    "x-patch": "ours: upstream tells patch types apart in prose only",
    "x-retry-class": "ours",
    "x-resend": "ours",
    "x-docs": "ours",
    "x-stability": "ours: upstream publishes two files instead",
    "description": "prose is ours",
    "examples": "ours",
}
FILES = {"schema.json": "acp-v2.schema.json", "schema.unstable.json": "acp-v2.unstable.schema.json"}


def normal(schema: Any) -> Any:
    """A schema without what says nothing about instances, one spelling for equal meanings."""
    if isinstance(schema, list):
        return [normal(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in SAYS_NOTHING:
            continue
        if key == "properties":
            out[key] = {name: normal(member) for name, member in value.items()}
        elif key in {"default", "const", "enum"}:
            out[key] = value
        elif key == "required":
            out[key] = sorted(value)
        else:
            out[key] = normal(value)
    if set(out.get("allOf", [{}])[0]) == {"$ref"} and len(out["allOf"]) == 1:
        out["$ref"] = out.pop("allOf")[0]["$ref"]
    if "not" in out and "anyOf" in out["not"]:
        out["not"]["anyOf"].sort(key=lambda branch: json.dumps(branch, sort_keys=True))
    return out


def definitions(path: Path) -> dict[str, Any]:
    schema = json.loads(path.read_text("utf-8"))
    return {n: d for n, d in schema["$defs"].items() if not d.get("x-docs-ignore")}


@pytest.mark.parametrize("name", FILES)
def test_every_definition_of_upstream_is_here(upstream_schemas: Path, name: str) -> None:
    theirs = definitions(upstream_schemas / "v2" / name)
    ours = definitions(resources.GENERATED / "schema" / FILES[name])
    assert theirs.keys() - ours.keys() == set()
    assert ours.keys() - theirs.keys() <= DEFINITIONS_ADDED.keys()


@pytest.mark.parametrize("name", FILES)
def test_every_definition_has_the_structure_of_upstream(upstream_schemas: Path, name: str) -> None:
    theirs = definitions(upstream_schemas / "v2" / name)
    ours = definitions(resources.GENERATED / "schema" / FILES[name])
    for type_, member in MEMBERS_ADDED:
        del ours[type_]["properties"][member]
    differ = [d for d in theirs if normal(theirs[d]) != normal(ours[d])]
    assert differ == []


def test_the_comparison_bites(upstream_schemas: Path) -> None:
    theirs = definitions(upstream_schemas / "v2" / "schema.json")
    changed = json.loads(json.dumps(theirs["PromptRequest"]))
    changed["properties"]["prompt"]["minItems"] = 2
    assert normal(changed) != normal(theirs["PromptRequest"])


def test_all_additions_are_there() -> None:
    ours = definitions(resources.GENERATED / "schema" / FILES["schema.unstable.json"])
    assert ours.keys() >= DEFINITIONS_ADDED.keys()
    assert all(member in ours[type_]["properties"] for type_, member in MEMBERS_ADDED)
