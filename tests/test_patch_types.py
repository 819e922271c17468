"""The types that patch what is stored are those that upstream describes so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from whole_schema import whole_schema

OMITTED_LEAVES = re.compile(r"\b(Omitted leaves|Omission leaves|Omitted means unchanged)\b")


def descriptions(schema: object) -> Iterator[str]:
    """What is said of the members of a type, those of its variants among them."""
    if isinstance(schema, list):
        for part in schema:
            yield from descriptions(part)
    elif isinstance(schema, dict):
        for member in schema.get("properties", {}).values():
            if isinstance(member, dict):
                yield " ".join(member.get("description", "").split())
        for part in schema.values():
            yield from descriptions(part)


def test_the_patches_are_those_of_upstream(upstream_schemas: Path) -> None:
    upstream = json.loads((upstream_schemas / "v2/schema.unstable.json").read_text("utf-8"))
    theirs = {
        name
        for name, schema in upstream["$defs"].items()
        if any(OMITTED_LEAVES.search(reported) for reported in descriptions(schema))
    }
    ours = {type_.name for type_ in whole_schema().types.values() if type_.patch}
    assert len(theirs) >= 9
    assert ours == theirs
