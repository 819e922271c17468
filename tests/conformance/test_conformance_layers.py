"""The kit needs the standard library, `acp_wire` and `acp_retry` only."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import acp_conformance

PACKAGE = Path(acp_conformance.__file__).parent
ALLOWED = {"acp_conformance", "acp_retry", "acp_wire"}
THE_JUDGED = {"hosted_channels", "reference", "reference_agent", "reference_listener"}
"""The modules of the agent that tries out the kit. All others judge."""

OF_THE_EXTRA = {
    "hosted_channels.py": {"websockets"},
    "reference_listener.py": {"h11", "websockets"},
}
"""What else the server of that agent needs, which the extra `remote` brings."""


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(str(node.module).split(".")[0])
    return found


def test_it_imports_the_standard_library_and_our_run_time_packages() -> None:
    others = {p.name: imported(p) - sys.stdlib_module_names - ALLOWED for p in PACKAGE.glob("*.py")}
    assert {name: names for name, names in others.items() if names} == OF_THE_EXTRA


def test_the_judging_modules_do_not_import_acp_retry() -> None:
    users = {path.stem for path in PACKAGE.glob("*.py") if "acp_retry" in imported(path)}
    assert users == THE_JUDGED
