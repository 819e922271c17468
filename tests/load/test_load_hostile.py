"""Whatever a schema says, it is refused with a finding or generated from: never a traceback.

Each round changes a few random places of the invented schema. `HOSTILE_ROUNDS=5000 pytest` looks
further than a test run has time for.
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.emit.tree import compare
from acpgen.findings import Severity
from acpgen.lint import lint
from acpgen.load import SchemaError, load
from acpgen.targets import TARGETS
from acpgen.targets.vectors.proof import UnprovenError
from proofs import a_few

SOURCE = Path(__file__).parents[1] / "golden" / "schema" / "v9"
SCHEMA = {path.name: json.loads(path.read_text("utf-8")) for path in SOURCE.glob("*.json")}
ROUNDS = int(os.environ.get("HOSTILE_ROUNDS", "25"))
TEMPLATES = Templates(resources.TEMPLATES)

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.0, 1.5, 2**64, [], {}, [None], [{}], "", "x", "_x", "{{ x }}"),
    "../../x",
    *(
        "'''",
        "*/",
        "\\",
        "\n",
        "class",
        "None",
        "\u00e9",
        "a" * 300,
        "keyed",
        "carried",
        "unstable",
    ),
    *({"type": "null"}, {"type": "string"}, {"const": 1}, {"enum": ["a"]}, {"$ref": "#/$defs/No"}),
    {"anyOf": [{"type": "string"}, {"type": "null"}]},
)
NAMES = (
    *("class", "none", "A", "_meta", "idempotencyKey", "to_wire", "", "a b", "Field", "Error"),
    *("$ref", "anyOf", "oneOf", "allOf", "enum", "const", "type", "required", "properties"),
    *("x-stability", "x-fallback", "x-inline", "IdempotencyKey", "RequestId", "\u00e9"),
)

Place = tuple[str | int, ...]


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Every place below a value."""
    match value:
        case dict():
            items = list(value.items())
        case list():
            items = list(enumerate(value))
        case _:
            return
    for token, child in items:
        yield (*place, token)
        yield from places(child, (*place, token))


def at(value: Any, place: Place) -> Any:
    for token in place:
        value = value[token]
    return value


def change(schema: dict[str, Any], chance: random.Random) -> None:
    """Remove, replace, copy, rename or repeat something."""
    document = schema[chance.choice(sorted(schema))]
    everywhere = list(places(document))
    place = chance.choice(everywhere)
    parent, token = at(document, place[:-1]), place[-1]
    match chance.choice(("remove", "replace", "copy", "rename")):
        case "remove":
            del parent[token]
        case "replace":
            parent[token] = copy.deepcopy(chance.choice(VALUES))
        case "copy":
            parent[token] = copy.deepcopy(at(document, chance.choice(everywhere)))
        case "rename" if isinstance(parent, dict):
            parent[chance.choice(NAMES)] = parent.pop(token)
        case _:
            parent.append(copy.deepcopy(parent[token]))


def outcome(folder: Path) -> str:
    """How far a schema gets. What lint lets pass, no target refuses.

    But for one thing, of which no rule knows: vectors that the bundled schema contradicts. Any
    other exception is the test's.
    """
    try:
        protocol = load(folder)
    except SchemaError as error:
        return "refused by load" if error.findings else "refused without a finding"
    if any(finding.severity is Severity.ERROR for finding in lint(protocol)):
        return "refused by lint"
    try:
        for target in TARGETS:
            compare(folder / "out", target.generate(protocol, TEMPLATES), target.owns)
    except UnprovenError:
        return "refused by a target"
    return "generated"


@pytest.mark.parametrize("seed", a_few(range(6), {0}, "generates from many schemas"))
def test_a_hostile_schema_is_refused_or_generated_from(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    found = set()
    for _ in range(ROUNDS):
        schema = copy.deepcopy(SCHEMA)
        for _ in range(chance.choice((1, 1, 2))):
            change(schema, chance)
        folder = tmp_path / "v9"
        folder.mkdir(exist_ok=True)
        for name, document in schema.items():
            (folder / name).write_text(json.dumps(document), "utf-8")
        found.add(outcome(folder))
    assert {"refused by load", "generated"} <= found
    assert "refused without a finding" not in found
