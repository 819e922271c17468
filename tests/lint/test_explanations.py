"""Whatever a command prints an id for can be explained."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import acpgen
from acpgen.cli.rules import Found, everything, ids
from acpgen.emit.tree import Change
from acpgen.judge.rules import EXPLANATIONS
from acpgen.judge.verdict import Rule

PACKAGE = Path(acpgen.__file__).parent
PLACES = {"Finding": ("rule", 0), "finding": ("rule", 0), "Fault": ("rule", 0)}
"""What makes a finding, and where its id stands among the arguments."""


def literal_ids(path: Path) -> Iterator[str]:
    """The ids that a module writes out where it makes findings."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if name in PLACES:
                keyword, index = PLACES[name]
                given = [k.value for k in node.keywords if k.arg == keyword]
                given += node.args[index : index + 1]
                yield from (
                    str(value.value)
                    for value in given[:1]
                    if isinstance(value, ast.Constant) and re.fullmatch("[a-z-]+", str(value.value))
                )


MODULES = sorted(PACKAGE.rglob("*.py"))


def test_every_id_that_is_written_out_is_explained() -> None:
    found = {id_ for path in MODULES for id_ in literal_ids(path)}
    assert {"not-json", "unsupported-schema", "unresolved-ref", "protocol-version"} <= found
    assert found - set(ids()) == set()


def test_every_rule_of_the_judge_is_explained() -> None:
    assert EXPLANATIONS.keys() == set(Rule)


def test_every_difference_of_a_tree_is_explained() -> None:
    assert {f"drift-{change.value}" for change in Change} <= set(ids())


def test_an_id_stands_once_a_command() -> None:
    pairs = [(one.command, one.topic.id) for one in everything()]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize("found", everything(), ids=lambda one: f"{one.command}-{one.topic.id}")
def test_an_explanation_has_a_form(found: Found) -> None:
    summary, *rest = found.topic.docs.split("\n\n")
    assert summary.endswith(".")
    assert "\n" not in summary
    assert all(len(line) <= 100 for line in found.topic.docs.splitlines())
    parts = [part.split(":")[0] for part in rest]
    assert parts[:1] == ["Why"] or found.command == "trace"
    assert parts == ["Why", "Mistake", "Mend"] or found.command == "trace"
