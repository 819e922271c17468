"""The base needs the standard library only, and imports go one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import acp_retry
import acp_v2
import acp_wire

PACKAGE = Path(acp_retry.__file__).parent
OPTIONAL = {
    "sdk": {"acp"},
    "stores.postgres": {"psycopg", "psycopg_pool"},
    "stores.postgres_layouts": {"psycopg"},
    "stores.postgres_nodes": {"psycopg"},
    "stores.postgres_pool": {"psycopg", "psycopg_pool"},
    "telemetry": {"opentelemetry"},
}
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in PACKAGE.rglob("*.py")
    if path.name != "__init__.py"
}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            found.add(node.module)
    return found


def test_only_the_optional_modules_import_other_packages() -> None:
    for name, path in MODULES.items():
        tops = {module.split(".")[0] for module in imported(path)}
        others = tops - sys.stdlib_module_names - {"acp_retry", "acp_v2", "acp_wire"}
        assert others == OPTIONAL.get(name, set()), name


def test_of_acp_v2_only_the_retry_table_is_used() -> None:
    used = {m for path in MODULES.values() for m in imported(path) if m.startswith("acp_v2")}
    assert used == {"acp_v2.retry"}


def test_imports_have_no_cycle() -> None:
    graph = {
        name: {m.removeprefix("acp_retry.") for m in imported(path) if m.startswith("acp_retry.")}
        for name, path in MODULES.items()
    }
    order = list(TopologicalSorter(graph).static_order())
    assert order.index("core") < order.index("ledger") < order.index("prompt_handlers")
    assert graph["core"] == {"claims", "outcome", "store"}


def test_it_imports_without_any_other_package() -> None:
    roots = [
        str(Path(package.__file__ or "").parents[1]) for package in (acp_retry, acp_v2, acp_wire)
    ]
    program = f"import sys; sys.path += {roots!r}; import acp_retry; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    )
    tops = {name.split(".")[0] for name in done.stdout.split()}
    assert tops - sys.stdlib_module_names == {"acp_retry", "acp_v2", "acp_wire", "__main__"}
