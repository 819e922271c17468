"""The index of the search, so that methods come before the types that have their names.

Zensical ranks a title by how early it has a word, so the titles of types and of guides begin with
what the page is. A page of another version, or of a source file, is not found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

_UNSEARCHED = ("versions/", "source/")


class Item(TypedDict):
    """What the search finds: a page, or a part of one."""

    location: str
    level: int
    title: str
    path: list[str]


def rewrite(site: Path) -> None:
    """Reorder the index of a built site.

    Raises:
        OSError: the site has no index.
        ValueError: the index is not JSON.
    """
    index = json.loads((site / "search.json").read_text("utf-8"))
    index["items"] = ranked(index["items"])
    text = json.dumps(index, ensure_ascii=False)
    (site / "search.json").write_text(text, "utf-8")
    (site / "search.js").write_text(f"var __index = {text}", "utf-8")


def ranked(items: Iterable[Item]) -> list[Item]:
    """The items in the order of pages: methods of sessions, other methods, all else."""
    found = [_named(item) for item in items if not item["location"].startswith(_UNSEARCHED)]
    return sorted(found, key=_order)


def _order(item: Item) -> tuple[bool, bool]:
    location = item["location"]
    return not location.startswith("methods/session-"), not location.startswith("methods/")


def _named(item: Item) -> Item:
    location, title, path = item["location"], item["title"], item["path"]
    if location.startswith("types/"):
        title, path = f"A type: {title.removeprefix('Types: ')}", ["Types"]
    elif location.startswith("keyed-prompts/"):
        title = f"In the guide: {title}"
    elif location.startswith("methods/") and item["level"] == 1:
        path = ["Methods"]
    elif location == "errors.html":
        title = "Errors and their codes"
    return {**item, "title": title, "path": path}
