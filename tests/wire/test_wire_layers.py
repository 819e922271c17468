"""The wire package knows no schema, and only three of its parts need another package."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import acp_wire

PACKAGE = Path(acp_wire.__file__).parent
OPTIONAL = {
    "decoding.py": {"msgspec"},
    "models": {"annotated_types", "pydantic", "pydantic_core"},
    "remote": {"httpx2", "websockets"},
}
"""The parts that need other packages, and which."""
SLOW = {"dataclasses", "inspect", "pathlib", "typing"}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(str(node.module).split(".")[0])
    return found - sys.stdlib_module_names - {"acp_wire", "typing_extensions", "_sha2", "_sha256"}


def test_only_the_parts_with_extras_need_other_packages() -> None:
    for path in PACKAGE.rglob("*.py"):
        part = path.relative_to(PACKAGE).parts[0]
        assert imported(path) <= OPTIONAL.get(part, set()), path


def test_checking_a_message_imports_nothing_slow() -> None:
    program = (
        f"import sys; sys.path.append({str(PACKAGE.parent)!r})\n"
        "import acp_wire.checking, acp_wire.pairing\n"
        "print(*sys.modules)"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & SLOW == set()
