"""No run of eight words of the schema's prose is copied from upstream's schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from acpgen import resources

RUN = 8


def texts(value: object) -> Iterator[str]:
    """Every description, every resend note and every error's reason below a JSON value."""
    if isinstance(value, dict):
        for key, child in value.items():
            if key in {"description", "x-resend", "when"} and isinstance(child, str):
                yield child
            else:
                yield from texts(child)
    elif isinstance(value, list):
        for child in value:
            yield from texts(child)


def runs(folder: Path, pattern: str) -> set[tuple[str, ...]]:
    """Every run of eight words in the prose of schema files."""
    found = set()
    for path in folder.glob(pattern):
        for text in texts(json.loads(path.read_text("utf-8"))):
            words = re.findall(r"[a-z0-9_$']+", text.lower())
            found |= {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}
    return found


def test_no_run_of_eight_words_is_shared(upstream_schemas: Path) -> None:
    ours, theirs = runs(resources.SCHEMA, "*.json"), runs(upstream_schemas, "*/*.json")
    assert min(len(ours), len(theirs)) > 2_000
    assert ours & theirs == set()
