"""The prose of the schema is our own: no run of eight words is shared with upstream's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from acpgen import resources

RUN = 8
ALLOWED: frozenset[tuple[str, ...]] = frozenset()
"""Runs of words that can't be said otherwise. There are none."""


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


def runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9_$']+", text.lower())
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def shared(ours: Iterator[str], theirs: Iterator[str]) -> set[str]:
    known = {run for text in theirs for run in runs(text)}
    return {" ".join(run) for text in ours for run in (runs(text) & known) - ALLOWED}


def upstream_texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*/*.json")):
        yield from texts(json.loads(path.read_text("utf-8")))


def our_texts() -> Iterator[str]:
    for path in sorted(resources.SCHEMA.glob("*.json")):
        yield from texts(json.loads(path.read_text("utf-8")))
    for path in sorted(written_by_hand()):
        yield path.read_text("utf-8")


def written_by_hand() -> Iterator[Path]:
    """What holds prose besides the schema: templates, programs, and pages about the project."""
    yield from resources.TEMPLATES.rglob("*.jinja")
    for folder in ("generator", "runtime", "tests", "benchmarks"):
        yield from (resources.ROOT / folder).rglob("*.py")
    for folder in (".", "docs", "runtime", "schema"):
        yield from (resources.ROOT / folder).glob("*.md")


def test_no_run_of_eight_words_is_shared(upstream_schemas: Path) -> None:
    assert shared(our_texts(), upstream_texts(upstream_schemas)) == set()


def test_there_is_prose_to_compare(upstream_schemas: Path) -> None:
    assert sum(1 for _ in our_texts()) > 800
    assert sum(1 for _ in upstream_texts(upstream_schemas)) > 2000


def test_the_comparison_bites(upstream_schemas: Path) -> None:
    stolen = max(upstream_texts(upstream_schemas), key=len)
    assert shared(iter([stolen]), upstream_texts(upstream_schemas))
