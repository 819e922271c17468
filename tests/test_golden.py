"""A small invented protocol that has every feature, and the whole tree that follows from it.

After a wanted change: `ACPGEN_UPDATE_GOLDEN=1 pytest tests/test_golden.py`, then read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

from acpgen import resources
from acpgen.emit.manifest import NAME
from acpgen.emit.templates import Templates
from acpgen.lint import lint
from acpgen.load import load
from acpgen.model import (
    Array,
    ClosedEnum,
    Kind,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Ref,
    RetryClass,
    Scalar,
    Side,
    Union,
)
from acpgen.targets import TARGETS
from acpgen.types.structure import walk

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = GOLDEN / "schema" / "v9"
TREE = GOLDEN / "generated"


def generated() -> dict[str, str]:
    protocol, templates = load(SCHEMA), Templates(resources.TEMPLATES)
    trees = (target.generate(protocol, templates) for target in TARGETS)
    return {path: text for tree in trees for path, text in tree.items()}


def committed() -> dict[str, str]:
    paths = (p for p in TREE.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(TREE).as_posix(): p.read_text("utf-8") for p in paths}


def test_the_tree_is_as_committed() -> None:
    tree = generated()
    if os.environ.get("ACPGEN_UPDATE_GOLDEN"):
        for path in committed().keys() - tree.keys():
            (TREE / path).unlink()
        for path, text in tree.items():
            (TREE / path).parent.mkdir(parents=True, exist_ok=True)
            (TREE / path).write_text(text, "utf-8")
    assert committed() == tree
    assert NAME not in tree


def test_generating_twice_gives_the_same_bytes() -> None:
    assert generated() == generated()


def test_the_invented_schema_is_clean() -> None:
    assert [(f.rule, f.pointer) for f in lint(load(SCHEMA)) if f.rule != "untagged-variant"] == []


def test_it_has_every_feature_of_the_model() -> None:
    protocol = load(SCHEMA)
    parts = {type(part) for t in protocol.types.values() for part in walk(t.body)}
    assert parts == {
        Array, ClosedEnum, Map, Nullable, Object, OpenEnum, Ref, Scalar, Union,
    }  # fmt: skip
    assert {method.kind for method in protocol.methods} == set(Kind)
    assert {method.side for method in protocol.methods} == set(Side)
    assert {m.retry for m in protocol.methods} == set(RetryClass) - {RetryClass.EXTERNAL}
    assert any(type_.patch for type_ in protocol.types.values())
