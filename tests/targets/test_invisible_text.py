"""No generated file holds a character that turns the direction of writing, or a control."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets import TARGETS, Target
from small_schema import BASE, loaded, schema

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
ODD = "A \u202eword\u202c \u2066x\u2069 \u061c\u200f \x1b[31m \x07 \u2028 \u2029 \x85 \x9b."


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    note = {"description": ODD, "type": "string", "default": "d\u202e"}
    mood = {
        "description": ODD,
        "anyOf": [{"title": "up", "const": "u\u202ep", "description": ODD}, _rest()],
    }
    sent = {"to": "\u202e\x1b", "items": [{"type": "other"}], "note": "\u2066", "mood": "u\u202ep"}
    guided = [name for name, each in BASE["$defs"].items() if "x-docs" in each]
    definitions: dict[str, dict[str, Any]] = {name: {"x-docs": None} for name in guided}
    definitions |= {
        "SendRequest": {
            "x-docs": None,
            "description": ODD,
            "x-resend": ODD,
            "properties": {
                "note": note,
                "tempers": {"description": ODD, "type": "array", "items": _ref("Temper")},
            },
            "examples": [sent],
        },
        "Temper": mood,
    }
    path = tmp_path_factory.mktemp("odd") / "v9.json"
    return loaded({**schema(definitions), "x-protocol-version": 9}, path)


def _rest() -> dict[str, str]:
    return {"title": "other", "type": "string", "description": ODD}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_every_text_of_the_schema_is_written_visibly(target: Target, protocol: Protocol) -> None:
    tree = target.generate(protocol, Templates(Path(resources.TEMPLATES)))
    assert {path: seen for path, text in tree.items() if (seen := UNSEEN.findall(text))} == {}


def test_json_keeps_its_value(protocol: Protocol) -> None:
    (target,) = (target for target in TARGETS if target.name == "bundles")
    tree = target.generate(protocol, Templates(Path(resources.TEMPLATES)))
    documents = [json.loads(text) for text in tree.values()]
    assert {document["$defs"]["Temper"]["description"] for document in documents} == {ODD}
