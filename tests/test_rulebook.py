"""Everything that a command can find is declared once, in one way, with a page."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import acpgen
from acp_conformance.requirements import BY_ID
from acpgen.emit.tree import DriftKind
from acpgen.judge.message_verdict import MessageRule
from acpgen.rulebook import Group, Rule, declared_in, everything, page, rule

PACKAGE = Path(acpgen.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
EVERYTHING = tuple(everything())
IDS = {each.id for each in EVERYTHING}
SLOTS = {"Finding": ("rule", 0), "finding": ("rule", 0), "Fault": ("rule", 0)}
"""The calls that make a finding, and the argument that is its id."""


def written_ids(path: Path) -> Iterator[str]:
    """The ids that a module writes out where it makes findings."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if name in SLOTS:
                keyword, index = SLOTS[name]
                given = [k.value for k in node.keywords if k.arg == keyword]
                given += node.args[index : index + 1]
                yield from (
                    str(value.value)
                    for value in given[:1]
                    if isinstance(value, ast.Constant) and re.fullmatch("[a-z-]+", str(value.value))
                )


def test_every_id_that_is_written_out_is_declared() -> None:
    assert {id_ for path in MODULES for id_ in written_ids(path)} - IDS == set()


def test_every_rule_of_the_judge_is_declared() -> None:
    assert declared_in(Group.JUDGE.home, Rule).keys() == {each.value for each in MessageRule}


def test_every_requirement_is_declared() -> None:
    assert declared_in(Group.CONFORM.home, Rule).keys() == BY_ID.keys()


def test_every_difference_of_a_tree_is_declared() -> None:
    drift = declared_in(Group.DRIFT.home, Rule)
    assert drift.keys() == {f"drift-{change.value}" for change in DriftKind} | {"drift-unfinished"}


@pytest.mark.parametrize("group", Group)
def test_every_group_has_rules_of_its_own(group: Group) -> None:
    rules = declared_in(group.home, Rule).values()
    assert rules
    assert {each.group for each in rules} == {group}


def test_an_id_is_declared_once_a_command() -> None:
    pairs = [(each.group.command, each.id) for each in EVERYTHING]
    assert len(set(pairs)) == len(pairs)


def test_an_id_is_words_with_hyphens() -> None:
    assert [one.id for one in EVERYTHING if not re.fullmatch(r"[a-z]+(-[a-z]+)*", one.id)] == []


def test_a_page_has_lines_for_a_terminal() -> None:
    long = [one.id for one in EVERYTHING if max(map(len, one.page.splitlines())) > 100]
    assert long == []


def test_a_page_starts_with_its_summary() -> None:
    assert [o.id for o in EVERYTHING if not o.page.startswith(f"{o.summary}\n\n")] == []


def test_a_page_is_found_by_its_id() -> None:
    assert page("lint")("duplicate-member") != page("validate")("duplicate-member")
    assert page("lint")("inserted-twice") == page("trace")("inserted-twice")
    assert page("lint")("no-such-rule") is None


def declared(docstring: str | None) -> Callable[[], None]:
    def some_rule() -> None:
        pass

    some_rule.__doc__ = docstring
    return some_rule


GOOD = "A rule.\n\nWhy: for a reason.\n\nExample: this\n\nFix: that."


def test_a_declaration_makes_a_rule() -> None:
    made = rule(Group.LINT)(declared(GOOD))
    assert (made.id, made.page, made.summary) == ("some-rule", GOOD, "A rule.")


@pytest.mark.parametrize(
    "docstring",
    [
        None,
        "A rule.",
        GOOD.replace("A rule.", "A rule"),
        GOOD.replace("A rule.", "A rule\non two lines."),
        GOOD.replace("Why: for a reason.\n\n", ""),
        GOOD.replace("Example", "For example"),
        GOOD.replace("Fix", "Solution"),
        GOOD + "\n\nNote: one more paragraph.",
        "A rule.\n\nExample: this\n\nWhy: for a reason.\n\nFix: that.",
    ],
)
def test_a_broken_declaration_is_caught(docstring: str | None) -> None:
    with pytest.raises(ValueError, match="some_rule needs a docstring"):
        rule(Group.LINT)(declared(docstring))


def test_two_rules_of_one_id_are_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from acpgen.rulebook import Group, rule\n@rule(Group.LINT)\ndef twice() -> None:\n"
    package = tmp_path / "twice_declared"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in ("one", "other"):
        (package / f"{name}.py").write_text(f"{text}    '''{GOOD}'''\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="two rules of twice_declared are called twice"):
        declared_in("twice_declared", Rule)
