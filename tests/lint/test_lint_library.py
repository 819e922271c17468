"""The rules as a whole: on the canonical schema, on releases, documented, accepted for a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from acp_v2.models import AcpModel
from acpgen import resources
from acpgen.findings import Finding, Severity
from acpgen.lint import lint
from acpgen.lint.accepted import AcceptedError, read_accepted
from acpgen.lint.rules.names import RESERVED, WIRE_METHODS
from acpgen.load import load
from acpgen.model import Stability, TypeName
from acpgen.targets.bundles import bundle, bundles
from acpgen.types.samples import Samples
from acpgen.types.stability import stable
from proofs import a_few
from small_schema import loaded, schema
from whole_schema import released_schema, whole_schema


def test_the_canonical_schema_is_clean() -> None:
    assert lint(whole_schema(), read_accepted(resources.ACCEPTED)) == []


def test_every_acceptance_is_needed() -> None:
    accepted = read_accepted(resources.ACCEPTED)
    found = {(f.rule, f.pointer) for f in lint(whole_schema())}
    assert {(entry.rule, entry.pointer) for entry in accepted.entries} <= found


@pytest.mark.parametrize(
    "name",
    a_few(
        ["v1/schema.json", "v2/schema.json", "v2/schema.unstable.json"],
        ["v2/schema.json"],
        "lints each release",
    ),
)
def test_every_method_of_a_release_lacks_a_class(upstream_schemas: Path, name: str) -> None:
    protocol = released_schema(upstream_schemas / name)
    lines = (upstream_schemas / name).read_text("utf-8").splitlines()
    found = [f for f in lint(protocol) if f.rule == "missing-retry-class"]
    assert [(f.subject, f.pointer) for f in sorted(found, key=lambda f: f.pointer)] == [
        (m.name, f"/$defs/{m.params}") for m in sorted(protocol.methods, key=lambda m: m.params)
    ]
    for finding in found:
        assert finding.line is not None
        assert finding.pointer.rpartition("/")[2] in lines[finding.line - 1]


def test_a_release_is_not_asked_for_prose_or_examples(upstream_schemas: Path) -> None:
    rules = {f.rule for f in lint(released_schema(upstream_schemas / "v2" / "schema.json"))}
    assert rules == {"missing-retry-class"}


@pytest.mark.parametrize(
    "name",
    a_few(["v1/schema.json", "v1/schema.unstable.json"], ["v1/schema.json"], "lints each release"),
)
def test_a_release_of_v1_lacks_classes_only(upstream_schemas: Path, name: str) -> None:
    assert {f.rule for f in lint(released_schema(upstream_schemas / name))} == {
        "missing-retry-class"
    }


def test_our_own_releases_are_clean(tmp_path: Path) -> None:
    for path, text in bundles(whole_schema()).items():
        file = tmp_path / Path(path).name
        file.write_text(text, "utf-8")
        assert lint(load(file)) == []


def test_a_file_is_asked_for_both_when_it_lies_in_a_folder(
    upstream_schemas: Path, tmp_path: Path
) -> None:
    text = (upstream_schemas / "v2" / "schema.json").read_text("utf-8")
    (tmp_path / "main.json").write_text(text, "utf-8")
    rules = {f.rule for f in lint(load(tmp_path))}
    assert rules >= {"missing-prose", "missing-example"}


def test_the_reserved_names_are_those_of_the_derived_envelope() -> None:
    protocol = whole_schema()
    schema = bundle(protocol, Stability.UNSTABLE)
    assert isinstance(schema["$defs"], dict)
    derived = schema["$defs"].keys() - protocol.types.keys()
    assert derived | {"AnyEnvelope"} == RESERVED


def test_what_models_do_is_reserved() -> None:
    ours = {name for name in vars(AcpModel) if not name.startswith(("_", "model_"))}
    assert ours - vars(BaseModel).keys() == WIRE_METHODS


PETS = {
    "Pet": {
        "description": "A pet.",
        "anyOf": [
            {"title": "a", "description": "A cat.", "type": "object", "properties": {}},
            {"title": "b", "description": "A dog.", "type": "object", "properties": {}},
        ],
    }
}


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    """A schema with two findings on one definition: untagged, and part of no message."""
    folder = tmp_path / "pets"
    folder.mkdir()
    (folder / "main.json").write_text(json.dumps({"$defs": PETS}, indent=2), "utf-8")
    return folder


def accept(folder: Path, text: str) -> Path:
    file = folder.parent / "accepted.toml"
    file.write_text(text, "utf-8")
    return file


ENTRY = '[[accepted]]\nrule = "{}"\npointer = "/$defs/Pet/anyOf"\nreason = "Old."\n'


def rules_of(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def test_an_acceptance_hides_its_finding_only(pets: Path) -> None:
    entry = (
        '[[accepted]]\nrule = "untagged-variant"\npointer = "/$defs/Pet/anyOf"\nreason = "Old."\n'
    )
    accepted = read_accepted(accept(pets, entry))
    assert rules_of(lint(load(pets))) == ["unreachable-type", "untagged-variant"]
    assert rules_of(lint(load(pets), accepted)) == ["unreachable-type"]


def test_an_acceptance_of_another_rule_hides_nothing(pets: Path) -> None:
    found = lint(load(pets), read_accepted(accept(pets, ENTRY.format("ordinal-name"))))
    assert sorted(rules_of(found)) == ["stale-acceptance", "unreachable-type", "untagged-variant"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[accepted]\n", "is not TOML"),
        ("[[acepted]]\n", "must hold"),
        ("[[accepted]]\nrule = 5\n", "must hold"),
        ('[[accepted]]\nwhy = "x"\n', "must hold"),
        ('accepted = "all"\n', "must hold"),
    ],
)
def test_a_file_that_is_none_of_acceptances_is_refused(
    pets: Path, text: str, complaint: str
) -> None:
    file = accept(pets, text)
    with pytest.raises(AcceptedError, match=complaint) as caught:
        read_accepted(file)
    assert str(file) in str(caught.value)


def test_acceptances_without_headings_have_no_line(pets: Path) -> None:
    accepted = read_accepted(accept(pets, 'accepted = [{ rule = "ordinal-name" }]\n'))
    assert [entry.line for entry in accepted.entries] == [None]


def test_a_place_that_an_inlined_member_brings_has_the_line_of_the_member(tmp_path: Path) -> None:
    branches: list[object] = [{"title": t, "type": "object", "properties": {}} for t in ("a", "b")]
    member = {"$ref": "#/$defs/Pet"}
    definitions = {
        "Pet": {"x-inline": True, "anyOf": branches},
        "It": {"type": "object", "properties": {"pet": member}},
    }
    (tmp_path / "main.json").write_text(json.dumps({"$defs": definitions}, indent=2), "utf-8")
    (finding,) = (f for f in lint(load(tmp_path)) if f.rule == "untagged-variant")
    assert finding.pointer == "/$defs/It/properties/pet/anyOf"
    lines = (tmp_path / "main.json").read_text("utf-8").splitlines()
    assert finding.line is not None
    assert '"pet": {' in lines[finding.line - 1]


def test_an_example_is_not_quoted(tmp_path: Path) -> None:
    key = {"type": "string", "maxLength": 255, "examples": ["secret" * 50]}
    (tmp_path / "main.json").write_text(json.dumps({"$defs": {"IdempotencyKey": key}}), "utf-8")
    (finding,) = (f for f in lint(load(tmp_path)) if f.rule == "invalid-example")
    assert finding.severity is Severity.ERROR
    assert "secret" not in finding.message


def test_every_object_without_a_name_is_reported(tmp_path: Path) -> None:
    nameless = {"type": "object", "properties": {"first": {"type": "string"}}}
    text = {"type": "object", "properties": dict.fromkeys(("name", "place", "size"), nameless)}
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"$defs": {"Text": text}}), "utf-8")
    found = [finding.pointer for finding in lint(load(schema)) if finding.rule == "no-model"]
    assert found == [f"/$defs/Text/properties/{name}" for name in ("name", "place", "size")]


def test_an_open_enumeration_may_have_no_stable_value(tmp_path: Path) -> None:
    mark = {"x-stability": "unstable"}
    values = [
        {"title": "calm", "description": "Calm.", "type": "string", "const": "calm", **mark},
        {"title": "other", "description": "Others.", "type": "string"},
    ]
    temper = {"description": "A temper.", "anyOf": values}
    sent = {"description": "Its temper.", "$ref": "#/$defs/Temper"}
    request = {
        "properties": {"temper": sent},
        "required": ["to", "items", "temper"],
        "examples": [{"to": "x", "items": [{"type": "other"}], "temper": "calm"}],
    }
    protocol = loaded(schema({"SendRequest": request, "Temper": temper}), tmp_path / "s.json")
    assert "Temper" not in {finding.subject for finding in lint(protocol)}
    kept = stable(protocol)
    assert Samples(kept).least(kept.types[TypeName("Temper")].body) not in ("calm", None)
