"""One load reports the faults of all files and definitions that can be looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from acpgen.load import SchemaError, load
from command_calls import APP

TEXT = {"type": "string"}


def found(folder: Path) -> set[tuple[str, str, str]]:
    with pytest.raises(SchemaError) as caught:
        load(folder)
    return {(Path(f.file).name, f.rule, f.pointer) for f in caught.value.findings}


def write(folder: Path, name: str, types: dict[str, Any], **root: object) -> None:
    (folder / name).write_text(json.dumps({**root, "$defs": types}), "utf-8")


def test_faults_of_all_steps_come_together(tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.json",
        {
            "Broken": {"type": "strnig"},
            "Misspelt": {**TEXT, "minLenght": 1},
            "Lost": {"$ref": "#/$defs/Nowhere"},
            "Slow": {**TEXT, "pattern": "^(a+)+$"},
        },
    )
    write(tmp_path, "b.json", {"Both": {"$ref": "a.json#/$defs/Broken", "minLength": 3}})
    assert found(tmp_path) == {
        ("a.json", "meta-schema", "/$defs/Broken/type"),
        ("a.json", "dialect", "/$defs/Misspelt/minLenght"),
        ("a.json", "unresolved-ref", "/$defs/Lost/$ref"),
        ("a.json", "unusable-pattern", "/$defs/Slow/pattern"),
        ("b.json", "unsupported-schema", "/$defs/Both"),
    }


def test_a_file_that_is_not_json_hides_no_misspelt_keyword(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{", "utf-8")
    reference = {"$ref": "a.json#/$defs/Unread"}
    write(tmp_path, "b.json", {"Misspelt": {**TEXT, "minLenght": 1}, "Refers": reference})
    assert found(tmp_path) == {
        ("a.json", "not-json", ""),
        ("b.json", "dialect", "/$defs/Misspelt/minLenght"),
    }


def test_a_fault_outside_definitions_hides_no_misspelt_keyword(tmp_path: Path) -> None:
    write(tmp_path, "a.json", {"Misspelt": {**TEXT, "minLenght": 1}}, definitions={})
    assert found(tmp_path) == {
        ("a.json", "dialect", "/definitions"),
        ("a.json", "dialect", "/$defs/Misspelt/minLenght"),
    }


def test_a_definition_with_a_fault_causes_no_other_finding(tmp_path: Path) -> None:
    base = {"type": "object", "properties": {}, "minLenght": 1}
    derived = {"type": "object", "allOf": [{"$ref": "#/$defs/Base"}], "properties": {"a": TEXT}}
    write(tmp_path, "a.json", {"Base": base, "Derived": derived})
    assert found(tmp_path) == {("a.json", "dialect", "/$defs/Base/minLenght")}


def test_lint_says_that_more_may_follow(tmp_path: Path) -> None:
    write(tmp_path, "a.json", {"Lost": {"$ref": "#/$defs/Nowhere"}})
    printed = CliRunner().invoke(APP, ["lint", str(tmp_path)]).stderr
    assert printed == f"{tmp_path}: 1 finding; more may follow when it is fixed\n"
