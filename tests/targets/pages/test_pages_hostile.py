"""Descriptions can't break a page: neither its tables and links, nor its reading as MDX."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import unavailable
from page_reader import Reader, Tree

MESSAGE = re.compile(r'^    "message": ".*"$', re.MULTILINE)

MDX = Path(__file__).parents[2] / "mdx"


def test_no_description_is_markup(hostile_tree: Tree, reader: Reader) -> None:
    for path, text in hostile_tree.items():
        kinds = set(reader.read(text).kinds)
        assert not kinds & {"html_block", "html_inline", "image", "s_open", "code_block"}, path


def test_headings_tables_and_links_stay(tree: Tree, hostile_tree: Tree, reader: Reader) -> None:
    assert set(hostile_tree) == set(tree)
    for path, text in hostile_tree.items():
        spoiled, clean = reader.read(text), reader.read(tree[path])
        assert spoiled.headings[1:] == clean.headings[1:], path
        assert [[len(row) for row in table] for table in spoiled.tables] == [
            [len(row) for row in table] for table in clean.tables
        ], path
        assert spoiled.links == clean.links, path
        # The message of an error is text of the schema, as JSON.
        spoiled_code, clean_code = (
            [(language, MESSAGE.sub("", block)) for language, block in page.code]
            for page in (spoiled, clean)
        )
        assert spoiled_code == clean_code, path


def test_descriptions_are_shown_whole(hostile_tree: Tree, reader: Reader) -> None:
    tables = reader.read(hostile_tree["docs/methods/session-prompt.md"]).tables
    (described,) = [row[3] for table in tables for row in table if row[0] == "sessionId"]
    for part in ('<b onclick="x()">c</b>', "{e}", "*m*", "[g](javascript:h)", "&amp;", "{b}"):
        assert part in described


@pytest.fixture(scope="module")
def mdx() -> Path:
    """The folder of the MDX compiler. Where it may be missing, its tests skip; in CI they fail."""
    missing = "" if shutil.which("node") else "node is missing"
    if not missing and not (MDX / "node_modules").is_dir():
        missing = "run `npm ci --prefix tests/mdx`"
    if missing:
        unavailable.skip(f"pages can't be compiled as MDX: {missing}")
    return MDX


def failures(mdx: Path, tree: Tree) -> dict[str, str]:
    done = subprocess.run(
        ["node", "compile.mjs"],
        cwd=mdx,
        input=json.dumps(dict(tree)),
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    reasons: dict[str, str] = json.loads(done.stdout)
    return reasons


@pytest.mark.prove("compiles every page with Node.js")
def test_pages_are_mdx(mdx: Path, tree: Tree, hostile_tree: Tree) -> None:
    both = {**tree, **{f"hostile/{path}": text for path, text in hostile_tree.items()}}
    assert failures(mdx, both) == {}


def test_what_only_mdx_knows_is_found(mdx: Path) -> None:
    bad = ["a { b", "a {b} c", "a <b> c", "a <B/> c", "<!-- d -->", "export e", "export default 1"]
    good = ["a \\{ b", "`{b}` and `<b>`", "important"]
    found = failures(mdx, {text: text for text in (*bad, *good)})
    assert list(found) == bad
    assert "mdxTextExpression" in found["a {b} c"]


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((MDX / "package-lock.json").read_text("utf-8"))
    assert lock["packages"]
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
