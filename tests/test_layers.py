"""Imports go down the layers only, and the generator never needs its own output."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "generator" / "acpgen"
LAYERS = (
    {"resources", "words", "sides", "stated_limits"},
    {"startup"},
    {"model", "findings", "patterns"},
    {"report", "rulebook", "types"},
    {"load"},
    {"emit"},
    {"judge", "diff"},
    {"targets"},
    {"lint", "logs", "trace", "inject", "upstream", "tap"},
    {"view"},
    {"cli"},
    {"__main__", "__init__"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


PAGE = PACKAGE.parents[1] / "docs" / "architecture.md"


def test_the_page_about_the_architecture_has_these_layers() -> None:
    page = PAGE.read_text("utf-8").partition("of `generator/acpgen` |")[2]
    rows = re.findall(r"^\| (`[^|]+`) \|", page, re.MULTILINE)
    layers = [set(re.findall(r"`(\w+)`", row)) for row in rows[: len(LAYERS) - 1]]
    assert layers == [set(layer) for layer in LAYERS[:-1]]


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Everything in a module that may import."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, kinds)]


def names(path: Path) -> Iterator[str]:
    """The modules and members that a module imports from others, with their whole names."""
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part(module: str) -> str:
    """The first name below acpgen: `acpgen.load.parse` is part of `load`."""
    return module.split(".")[1] if "." in module else "__init__"


def imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            if node.module == "acpgen":
                members = (alias.name for alias in node.names)
                yield from ("acpgen" if m == "__version__" else f"acpgen.{m}" for m in members)
            else:
                yield node.module


def violations(importer: str, imported: str) -> bool:
    """True if one part must not import another."""
    return imported != "__init__" and importer != imported and LEVEL[imported] >= LEVEL[importer]


STARTUP = PACKAGE / "startup"
STARTS = {
    STARTUP / name for name in ("main.py", "checker_source.py", "explain.py", "accept_long.py")
}
"""They import the rest of acpgen when needed. The rest of their folder is the lowest layer."""
MODULES = sorted(PACKAGE.rglob("*.py"))


def shown(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def layer(path: Path) -> str:
    return "cli" if path in STARTS else path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_imports_go_down() -> None:
    wrong = [
        (shown(path), module)
        for path in MODULES
        for module in imports(path)
        if module.split(".")[0] == "acpgen" and violations(layer(path), part(module))
    ]
    assert wrong == []


SHIPPED = PACKAGE / "startup" / "shipped.py"
"""Where judging, which generates nothing, takes the checkers that come with the schema."""


def generated_imports(path: Path) -> list[str]:
    """What of the generated packages a module imports, also by name."""
    named = re.findall(r"import_module\(\"(acp_v\S*)\"", path.read_text("utf-8"))
    return sorted({m for m in (*imports(path), *named) if m.split(".")[0].startswith("acp_v")})


def test_the_generator_does_not_import_what_it_generates() -> None:
    shipped = ["", ".checkers", ".decoders", ".retry", ".type_table"]
    found = {path: names for path in MODULES if (names := generated_imports(path))}
    assert found == {SHIPPED: [f"acp_v2{name}" for name in shipped]}


def test_only_the_command_line_uses_what_is_shipped() -> None:
    users = {path for path in MODULES if "acpgen.startup.shipped" in {*imports(path), *names(path)}}
    assert {shown(path) for path in users} == {
        "startup/checker_source.py",
        "startup/accept.py",
        "startup/accept_long.py",
        "startup/explain.py",
        "startup/method_list.py",
        "cli/methods.py",
    }


def test_the_rule_bites() -> None:
    assert violations("emit", "targets")
    assert violations("judge", "lint")
    assert not violations("targets", "emit")


def test_every_part_has_a_layer() -> None:
    parts = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if not p.name.startswith("_")}
    parts.discard("__pycache__")
    assert parts <= LEVEL.keys()


NEED_AN_EXTRA = {
    "cli/docs.py",
    "cli/generate.py",
    "cli/input_files.py",
    "cli/watch.py",
    "emit/templates.py",
    "inject/page_text.py",
    "load/__init__.py",
    "targets/__init__.py",
    "targets/models/__init__.py",
}
"""They import late what needs the extra `generate`, without which the rest works.

`input_files` does so with the command that installs `zstd`, as it reads the metadata of packages.

`load` does so with the JSON Schema engine, which a schema that is loaded again does without.
"""
TRICKS = re.compile(r"TYPE_CHECKING = False|_sha2|noqa: PTH")
"""What only start-up time is a reason for."""


def late_imports(path: Path) -> list[int]:
    """The lines of the imports inside functions."""
    functions = (
        node for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return sorted(
        {
            node.lineno
            for function in functions
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
    )


def test_start_up_tricks_are_in_one_folder() -> None:
    """The package itself, which each start imports, may have one too."""
    elsewhere = [p for p in MODULES if p.parent != STARTUP and p != PACKAGE / "__init__.py"]
    late = {shown(path): lines for path in elsewhere if (lines := late_imports(path))}
    assert late.keys() == NEED_AN_EXTRA
    assert [shown(path) for path in elsewhere if TRICKS.search(path.read_text("utf-8"))] == []
