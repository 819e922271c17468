"""`acpgen rules` and `acpgen explain`: what linting and tracing look for, and why."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

import typer

from acpgen.cli.report import fail
from acpgen.lint import topics
from acpgen.lint.rule import Topic
from acpgen.trace import TOPICS as TRACE_TOPICS
from acpgen.trace import Rule

TOPICS: dict[str, Topic | Rule] = {**topics.TOPICS, **TRACE_TOPICS}
"""What linting a schema and tracing a transcript can find, by id."""


def rules() -> None:
    """List everything that linting a schema or tracing a transcript can find."""
    width = max(len(id_) for id_ in TOPICS)
    for topic in TOPICS.values():
        typer.echo(f"{topic.id:{width}}  {topic.severity:7}  {topic.summary}")


def explain(
    rule: Annotated[
        str,
        typer.Argument(
            help="The id of a finding, as in error[ID].",
            metavar="RULE",
            autocompletion=lambda: list(TOPICS),
        ),
    ],
) -> None:
    """Say what a rule demands, why, and how to mend what it finds."""
    topic = TOPICS.get(rule)
    if topic is None:
        near = get_close_matches(rule, TOPICS, n=1)
        hint = f"did you mean {near[0]}?" if near else "`acpgen rules` lists all"
        fail(f"no rule is called {rule}; {hint}")
    typer.echo(f"{topic.id} ({topic.severity})\n\n{topic.docs}")
