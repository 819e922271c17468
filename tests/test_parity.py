"""The schema's structure is upstream's, definition by definition, but for what is listed here."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from acpgen import resources

DECLARED = tomllib.loads(resources.ACCEPTED.with_name("upstream.toml").read_text("utf-8"))
SAYS_NOTHING = DECLARED["keywords"] | DECLARED["ours"]
DEFINITIONS_ADDED = {e["definition"] for e in DECLARED["declared"] if e["rule"] == "ours-only"}
DIFFERENT = {e["definition"]: e["pointer"] for e in DECLARED["declared"] if "pointer" in e}
ENVELOPE_DERIVED = {name for name, pointer in DIFFERENT.items() if not pointer}
MEMBERS_ADDED = {
    (name, pointer.removeprefix("/properties/")) for name, pointer in DIFFERENT.items() if pointer
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


def definitions(path: Path, *, envelope: bool = False) -> dict[str, Any]:
    schema = json.loads(path.read_text("utf-8"))
    return {n: d for n, d in schema["$defs"].items() if d.get("x-docs-ignore", False) == envelope}


@pytest.mark.parametrize("name", FILES)
def test_every_definition_of_upstream_is_here(upstream_schemas: Path, name: str) -> None:
    theirs = definitions(upstream_schemas / "v2" / name)
    ours = definitions(resources.GENERATED / "schema" / FILES[name])
    assert theirs.keys() - ours.keys() == set()
    assert ours.keys() - theirs.keys() <= DEFINITIONS_ADDED


@pytest.mark.parametrize("name", FILES)
def test_every_definition_has_the_structure_of_upstream(upstream_schemas: Path, name: str) -> None:
    theirs = definitions(upstream_schemas / "v2" / name)
    ours = definitions(resources.GENERATED / "schema" / FILES[name])
    for type_, member in MEMBERS_ADDED:
        del ours[type_]["properties"][member]
    differ = [d for d in theirs if normal(theirs[d]) != normal(ours[d])]
    assert differ == []


def test_only_the_envelope_is_derived(upstream_schemas: Path) -> None:
    release = upstream_schemas / "v2" / "schema.unstable.json"
    bundle = resources.GENERATED / "schema" / FILES["schema.unstable.json"]
    theirs, ours = definitions(release, envelope=True), definitions(bundle, envelope=True)
    assert theirs.keys() == ENVELOPE_DERIVED
    assert theirs.keys() <= ours.keys()
    assert all(theirs[name] != ours[name] for name in theirs)


def test_the_comparison_bites(upstream_schemas: Path) -> None:
    theirs = definitions(upstream_schemas / "v2" / "schema.json")
    changed = json.loads(json.dumps(theirs["PromptRequest"]))
    changed["properties"]["prompt"]["minItems"] = 2
    assert normal(changed) != normal(theirs["PromptRequest"])


def test_every_entry_says_why() -> None:
    rules = {entry["rule"] for entry in DECLARED["declared"]}
    assert rules == {"ours-only", "different"}
    assert all(entry["reason"] for entry in DECLARED["declared"])
    assert {("PromptRequest", "idempotencyKey")} == MEMBERS_ADDED


def test_all_additions_are_there() -> None:
    ours = definitions(resources.GENERATED / "schema" / FILES["schema.unstable.json"])
    assert ours.keys() >= DEFINITIONS_ADDED
    assert all(member in ours[type_]["properties"] for type_, member in MEMBERS_ADDED)
