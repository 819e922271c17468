"""Imports go down the layers only, and the generator never needs its own output."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "generator" / "acpgen"
LAYERS = (
    {"model", "findings", "pattern", "resources"},
    {"stability"},
    {"load"},
    {"emit"},
    {"lint", "targets", "judge"},
    {"trace"},
    {"cli"},
    {"__main__", "__init__"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def part(module: str) -> str:
    """The first name below acpgen: `acpgen.load.parse` is part of `load`."""
    return module.split(".")[1] if "." in module else "__init__"


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            if node.module == "acpgen":
                yield from (f"acpgen.{alias.name}" for alias in node.names)
            else:
                yield node.module


def violations(importer: str, imported: str) -> bool:
    """Whether one part must not import another."""
    return importer != imported and LEVEL[imported] >= LEVEL[importer]


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_go_down(path: Path) -> None:
    importer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    wrong = [
        module
        for module in imports(path)
        if module.split(".")[0] == "acpgen" and violations(importer, part(module))
    ]
    assert wrong == []


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_the_generator_does_not_import_what_it_generates(path: Path) -> None:
    assert [m for m in imports(path) if m.split(".")[0].startswith("acp_v")] == []


def test_the_rule_bites() -> None:
    assert violations("emit", "targets")
    assert violations("lint", "judge")
    assert not violations("targets", "emit")


def test_every_part_has_a_layer() -> None:
    parts = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if not p.name.startswith("_")}
    assert parts <= LEVEL.keys()
