"""`acpgen rules` and `acpgen explain`: everything that a command can find, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from acpgen.cli.report import fail, suggestion
from acpgen.cli.trace_pages import trace_names, trace_page
from acpgen.rulebook import AnyRule, everything


def ids() -> list[str]:
    """Every id that a finding can have."""
    return sorted({each.id for each in everything()})


def explainable() -> list[str]:
    """Every id, and the name of every trace."""
    return sorted({*ids(), *trace_names()})


def rules() -> None:
    """List everything that a command can find, with its id, severity, command and summary.

    The summary says what is right. That of a kind of change says what has changed.
    """
    width = max(map(len, ids()))
    for each in everything():
        command = each.group.command
        typer.echo(f"{each.id:{width}}  {each.severity.value:7}  {command:8}  {each.summary}")


def explain(
    rule: Annotated[
        str,
        typer.Argument(
            help="The id of a finding, as in error[ID], or the name of a trace of conform.",
            metavar="RULE",
            autocompletion=explainable,
        ),
    ],
) -> None:
    """Print what a rule requires, why, and how to fix what it finds; or what a trace does."""
    pages = [f"{heading(each)}\n\n{each.page}" for each in everything() if each.id == rule]
    if (played := trace_page(rule)) is not None:
        pages.append(played)
    if not pages:
        hint = suggestion(rule, explainable(), "`acpgen rules` lists all")
        fail(f"no rule is called {rule}; {hint}")
    typer.echo("\n\n\n".join(pages))


def heading(rule: AnyRule) -> str:
    """The line above the page of a rule."""
    return f"{rule.id} ({rule.severity.value} of acpgen {rule.group.command})"
