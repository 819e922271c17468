"""Starting a command costs no import of what only others need."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("datamodel_code_generator", "jinja2", "markdown_it", "rich", "watchfiles")


def test_listing_the_commands_imports_nothing_heavy() -> None:
    script = (
        "import sys; from acpgen.cli.app import typer_app; typer_app([])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
        "print([name for name in ('acpgen.inject', 'acpgen.upstream') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n[]\n"


def test_a_check_by_digests_imports_nothing_heavy() -> None:
    heavy = (*HEAVY, "typer", "pydantic", "acpgen.lint", "acpgen.diff", "acpgen.judge.check")
    script = (
        "import sys; from acpgen.cli.unchanged import passes; passes()\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
