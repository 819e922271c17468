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


def test_a_verdict_on_a_broken_message_imports_no_rules_about_transcripts() -> None:
    script = (
        "import sys; from acpgen.cli import main\n"
        "sys.argv = ['acpgen', 'validate', '-q', '--summary', '-']\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code == 1, end.code\n"
        "print([name for name in ('acpgen.trace', 'acpgen.load') if name in sys.modules])"
    )
    message = '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":5}}\n'
    done = subprocess.run(
        [sys.executable, "-c", script], input=message, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("[]\n")
