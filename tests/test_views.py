"""What targets see of a protocol: enough, and nothing that they don't depend on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.load import load
from acpgen.model import JsonValue, Protocol, Scalar, ScalarType
from acpgen.targets import TARGETS, Target
from acpgen.types.fingerprint import digest
from acpgen.types.views import everything, methods_only, without_docs
from whole_schema import whole_schema

GOLDEN = Path(__file__).parent / "golden" / "schema" / "v9"


@pytest.fixture(scope="module")
def protocol() -> Protocol:
    return load(GOLDEN)


def reworded(value: JsonValue) -> JsonValue:
    """A schema that says everything in other words."""
    match value:
        case list():
            return [reworded(each) for each in value]
        case dict():
            described = value.get("description")
            words = {"description": f"Well: {described}"} if isinstance(described, str) else {}
            return {name: reworded(each) for name, each in value.items()} | words
        case _:
            return value


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    """The protocol in other words."""
    folder = tmp_path_factory.mktemp("words") / "v9"
    folder.mkdir()
    for file in GOLDEN.glob("*.json"):
        (folder / file.name).write_text(json.dumps(reworded(json.loads(file.read_text()))))
    return load(folder)


def placeless(protocol: Protocol) -> str:
    """A protocol as text, whatever folder it was loaded from."""
    return repr(replace(protocol, source="")).replace(protocol.source, "")


def test_other_words_are_the_same_without_words(protocol: Protocol, elsewhere: Protocol) -> None:
    assert placeless(elsewhere) != placeless(protocol)
    assert placeless(without_docs(elsewhere)) == placeless(without_docs(protocol))


@pytest.mark.parametrize("name", ["checkers", "vectors"])
def test_what_needs_no_words_is_the_same_in_other_words(
    name: str, protocol: Protocol, elsewhere: Protocol
) -> None:
    (target,) = (target for target in TARGETS if target.name == name)
    templates = Templates(resources.TEMPLATES)
    assert target.generate(elsewhere, templates) == target.generate(protocol, templates)


def test_without_words_a_change_of_any_type_is_seen(protocol: Protocol) -> None:
    for name, type_ in protocol.types.items():
        other = replace(type_, body=Scalar(ScalarType.STRING, max_length=3))
        changed = replace(protocol, types={**protocol.types, name: other})
        assert without_docs(changed) != without_docs(protocol), name


def test_calls_have_all_methods_and_the_type_of_the_key(protocol: Protocol) -> None:
    seen = methods_only(protocol)
    assert seen.methods == protocol.methods
    assert list(seen.types) == ["IdempotencyKey"]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_part_that_a_target_sees_is_all_that_it_needs(
    target: Target, protocol: Protocol
) -> None:
    templates = Templates(resources.TEMPLATES)
    assert target.generate(protocol, templates) == target.make(protocol, templates)


def test_most_targets_see_a_part_only() -> None:
    assert {target.name for target in TARGETS if target.view is everything} == {
        "bundles",
        "go",
        "models",
        "normalized",
        "openrpc",
        "overlay",
        "pages",
        "typescript",
    }


def test_a_bundle_is_the_same_schema_as_its_sources() -> None:
    sources = whole_schema()
    bundled = load(resources.GENERATED / "schema" / "acp-v2.unstable.schema.json")
    assert digest(without_docs(bundled)) == digest(without_docs(sources))
    assert digest(methods_only(bundled)) == digest(methods_only(sources))
    assert digest(methods_only(sources)) != digest(without_docs(sources))
