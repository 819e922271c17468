"""Where each trial case about generated code is tried."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
TARGETS = TESTS / "targets"
TRIALS = {
    "G01 the surroundings": (TARGETS / "test_generation.py", "output_does_not_depend_on_the_sur"),
    "G02 ordinals": (TARGETS / "test_models_target.py", "no_name_ends_in_an_ordinal"),
    "G04 order of branches": (TARGETS / "test_models_target.py", "the_order_of_types_and_branches"),
    "G06 neighbours": (TESTS / "emit" / "test_tree.py", "write_spares_neighbours"),
    "G07 a kill": (TESTS / "emit" / "test_tree.py", "a_killed_writer_leaves_a_whole_tree"),
    "G08 round trips": (TARGETS / "test_models.py", "round_trip"),
    "G11 a key is a str": (TARGETS / "test_models.py", "a_request_is_built_with_python_names"),
    "G12 boundaries": (TESTS / "test_properties.py", "the_strategy_reaches_the_boundaries"),
    "G14 examples": (TARGETS / "pages" / "test_pages.py", "examples_are_messages_that_the_bundle"),
}


@pytest.mark.parametrize(("file", "start"), TRIALS.values(), ids=TRIALS)
def test_a_trial_is_tried(file: Path, start: str) -> None:
    nodes = ast.parse(file.read_text("utf-8")).body
    names = [node.name for node in nodes if isinstance(node, ast.FunctionDef)]
    assert [name for name in names if name.startswith(f"test_{start}")]


def test_g13_hypothesis_is_one_that_hypothesis_jsonschema_works_with() -> None:
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text("utf-8"))
    assert {"hypothesis==6.170.9", "hypothesis-jsonschema==0.23.1"} <= {
        each for each in project["dependency-groups"]["dev"] if isinstance(each, str)
    }
