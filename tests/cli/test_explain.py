"""`acpgen explain` for an id that doesn't exist."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from acpgen.cli.app import typer_app

APP = typer_app(["explain"])


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("union-opend", "did you mean union-opened?"),
        ("retry-before-resme", "did you mean retry-before-resume?"),
        ("min-lenght", "did you mean min-length?"),
        ("nonsense", "`acpgen rules` lists all"),
        ("prompt", "`acpgen rules` lists all"),
    ],
)
def test_only_a_misspelt_id_gets_a_suggestion(typed: str, hint: str) -> None:
    result = CliRunner().invoke(APP, ["explain", typed])
    assert result.exit_code == 2
    assert result.stderr == f"acpgen: no rule is called {typed}; {hint}\n"
