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
    head, _, steps, brackets, costs, proves = result.stdout.rstrip().split("\n\n")
    assert head == "retry-answer (trace for an agent)"
    *rest, last = steps.splitlines()
    assert rest == [
        "  1  The client starts the agent with the connection c1. initialize has to succeed.",
        "  2  session/new on c1 opens s1.",
        "  3  r0: session/prompt on c1 in s1 with the text 'control' and no key.",
        "  4  Expected: r0 is answered with a result.",
        "  5  Expected: the session becomes idle.",
        "  6  r1: session/prompt on c1 in s1 with the text 'plain' and the key K.",
        "  7  Expected: r1 is answered with a result.  [support-keys]",
        "  8  r2: session/prompt on c1 with the params of r1.",
    ]
    same = "Expected: r2 is answered with a result whose messageId is that of r1."
    assert last == f"  9  {same}  [support-keys]"
    assert brackets.startswith("An expectation proves the requirements in its brackets.")
    assert costs == "Prompts: 3. Starts of the agent: 1 at most."
    assert proves == "Can prove: support-keys."


def test_a_plan_has_a_sentence_for_each_run_and_failure() -> None:
    result = CliRunner().invoke(APP, ["explain", "held-for-long"])
    _, happens, proves = result.stdout.rstrip().split("\n\n")
    killed = "the next session/prompt, the client is killed once the request took effect."
    assert " ".join(happens.split()) == (
        "Run 1: the client submits 'Sort the list of names by length.'."
        " Run 2, 3 days later: the client resends what is pending and submits 'Count the words of"
        " the page.'."
        " Run 3, 3 days later: the client resends what is pending."
        f" At {killed} After that, at {killed}"
    )
    assert "client-shows-old-prompts" in proves


def test_a_trace_for_a_proxy_says_what_is_sent() -> None:
    result = CliRunner().invoke(APP, ["explain", "keys-through-a-proxy"])
    assert "with keys of all kinds, without a key, and with malformed keys." in result.stdout


def test_a_requirement_has_its_sentence_and_its_traces() -> None:
    result = CliRunner().invoke(APP, ["explain", "support-keys"])
    assert result.stdout.splitlines()[-1] == "Traces: retry-answer."
    assert "Agents that advertise `capabilities.session` MUST" in result.stdout


def test_every_trace_has_a_page_for_a_terminal() -> None:
    pages = {name: trace_page(name) or "" for name in trace_names()}
    wide = {name for name, page in pages.items() if any(len(x) > 100 for x in page.splitlines())}
    assert wide == set()
    assert {name for name, page in pages.items() if "Can prove: " not in page} == set()


def test_a_misspelt_trace_gets_a_suggestion() -> None:
    result = CliRunner().invoke(APP, ["explain", "retry-anser"])
    assert "did you mean retry-answer?" in result.stderr
