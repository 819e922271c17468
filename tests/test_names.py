"""One name for one thing: classes and files of the house have names of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOUSE = ("generator/acpgen", "runtime")

SAME_CLASS: dict[str, str] = {}
"""Class names that may be defined twice, each with the reason."""

BY_TOPIC = {
    "generator/acpgen/cli": "a module is named like its command",
    "generator/acpgen/diff/rules": "a module is named for the topic of its rules",
    "generator/acpgen/lint/rules": "a module is named for the topic of its rules",
    "generator/acpgen/trace/rules": "a module is named for the topic of its rules",
    "generator/acpgen/targets/pages": "a module is named like the page that it makes",
    "runtime/acp-wire/acp_wire/models": "a package of its own; each module serves generated models",
}
"""Folders whose modules have short names, each with the reason. Inside, names are unique."""

SAME_FILE = {
    "__init__.py": "Python's name for a package",
    "rule.py": "what a rule is in the package, with its decorator",
    "rules.py": "what the package finds, where the rulebook looks for it",
}
"""File names that several packages have, each with the reason."""


def modules() -> Iterator[Path]:
    for folder in HOUSE:
        yield from sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py"))


def test_no_public_class_is_defined_twice() -> None:
    found = sorted(
        (node.name, path.as_posix())
        for path in modules()
        for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    homes = {name: [p for _, p in each] for name, each in groupby(found, lambda pair: pair[0])}
    twice = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert {name: paths for name, paths in twice.items() if name not in SAME_CLASS} == {}
    assert SAME_CLASS.keys() <= twice.keys()


def test_no_two_modules_share_a_file_name() -> None:
    found = sorted(
        (path.name, path.as_posix())
        for path in modules()
        if path.name not in SAME_FILE and path.parent.as_posix() not in BY_TOPIC
    )
    homes = {name: [p for _, p in each] for name, each in groupby(found, lambda pair: pair[0])}
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_no_allowance_is_unused() -> None:
    names = [path.name for path in modules()]
    assert all(names.count(name) > 1 for name in SAME_FILE)
    assert all((ROOT / folder).is_dir() for folder in BY_TOPIC)
