"""Validators read one set of definitions, and differ in nothing from ones that stand alone."""

from __future__ import annotations

import jsonschema_rs
import pytest

from acpgen.emit.jsonschema import JsonSchema
from acpgen.emit.validators import Validators

DEFINITIONS: JsonSchema = {
    "Leaf": {"type": "string", "maxLength": 2},
    "Link": {"type": "string", "format": "uri"},
    "Tree": {"properties": {"leaf": {"$ref": "#/$defs/Leaf"}, "next": {"$ref": "#/$defs/Tree"}}},
    "a/b ~%": {"type": "null"},
}


def test_references_lead_from_one_definition_to_the_next() -> None:
    tree = Validators(DEFINITIONS).of("Tree")
    assert tree.is_valid({"leaf": "ab", "next": {"leaf": "ab"}})
    assert not tree.is_valid({"leaf": "ab", "next": {"leaf": "abc"}})
    (error,) = tree.iter_errors({"next": {"leaf": "abc"}})
    assert list(error.instance_path) == ["next", "leaf"]


@pytest.mark.parametrize("formats", [False, True])
def test_formats_are_asserted_if_asked_for(formats: bool) -> None:
    assert Validators(DEFINITIONS, formats=formats).of("Link").is_valid("no uri") is not formats


def test_a_mask_stands_where_the_instance_would() -> None:
    (error,) = Validators(DEFINITIONS, mask="the value").of("Leaf").iter_errors("secret")
    assert error.message.startswith("the value ")
    (error,) = Validators(DEFINITIONS).of("Leaf").iter_errors("shown")
    assert error.message.startswith('"shown" ')


def test_any_name_will_do() -> None:
    validator = Validators(DEFINITIONS).of("a/b ~%")
    assert validator.is_valid(None)
    assert not validator.is_valid(1)


def test_a_name_without_definition_has_no_validator() -> None:
    with pytest.raises(jsonschema_rs.ValidationError, match="'/%24defs/Twig' does not exist"):
        Validators(DEFINITIONS).of("Twig")
