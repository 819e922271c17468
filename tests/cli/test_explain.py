"""`acpgen explain` for an id that doesn't exist."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from acpgen.cli.app import typer_app
from acpgen.cli.trace_pages import trace_names, trace_page

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


def test_a_trace_has_a_page_with_its_steps_and_what_it_proves() -> None:
    result = CliRunner().invoke(APP, ["explain", "retry-answer"])
    assert result.exit_code == 0
    head, _, steps, costs, proves = result.stdout.rstrip().split("\n\n")
    assert head == "retry-answer (trace for an agent)"
    assert steps.splitlines()[-1] == "  9  answer request r2, same r1  [support-keys]"
    assert costs == "Prompts: 3. Starts of the agent: 1 at most."
    assert proves == "Can prove: support-keys."


def test_a_requirement_has_its_sentence_and_its_traces() -> None:
    result = CliRunner().invoke(APP, ["explain", "support-keys"])
    assert result.stdout.splitlines()[-1] == "Traces: retry-answer."
    assert "Agents that advertise `capabilities.session` MUST" in result.stdout


@pytest.mark.parametrize("name", trace_names())
def test_every_trace_has_a_page_for_a_terminal(name: str) -> None:
    page = trace_page(name)
    assert page is not None
    assert max(map(len, page.splitlines())) <= 100
    assert "Can prove: " in page


def test_a_misspelt_trace_gets_a_suggestion() -> None:
    result = CliRunner().invoke(APP, ["explain", "retry-anser"])
    assert "did you mean retry-answer?" in result.stderr
