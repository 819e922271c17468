"""`acpgen rules` and `acpgen explain`: everything that a command can find, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import typer

from acpgen.cli.report import fail, suggestion
from acpgen.findings import Severity
from acpgen.topic import Topic


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a command finds. Two commands may find something of the same name."""

    command: str
    topic: Topic

    @property
    def head(self) -> str:
        """The line above its explanation."""
        return f"{self.topic.id} ({self.topic.severity.value} of acpgen {self.command})"


@cache
def everything() -> tuple[Found, ...]:
    """All that a command can find, in groups by command. `generate` finds what `lint` does too."""
    from acpgen.cli import drift
    from acpgen.inject import STALE_REGION
    from acpgen.lint import topics
    from acpgen.upstream import OVERWRITTEN_VALUE, STALE_DECLARATION
    from acpgen.upstream import TOPICS as UPSTREAM

    groups = {
        "lint": topics.TOPICS.values(),
        "validate": _judged(),
        "trace": _traced(),
        "diff": _compared(),
        "generate": drift.TOPICS.values(),
        "docs": (STALE_REGION,),
        "upstream": (*UPSTREAM.values(), STALE_DECLARATION, OVERWRITTEN_VALUE),
    }
    return tuple(Found(command, topic) for command, group in groups.items() for topic in group)


def ids() -> list[str]:
    """Every id that a finding can have."""
    return sorted({found.topic.id for found in everything()})


def _judged() -> Iterator[Topic]:
    from acpgen.judge.rules import EXPLANATIONS, WARNINGS

    for rule, docs in EXPLANATIONS.items():
        yield Topic(rule.value, Severity.WARNING if rule in WARNINGS else Severity.ERROR, docs)


def _traced() -> Iterator[Topic]:
    from acpgen.trace import TOPICS

    return (Topic(rule.id, rule.severity, rule.docs) for rule in TOPICS.values())


def _compared() -> Iterator[Topic]:
    from acpgen.diff import TOPICS

    return (Topic(rule.id.value, rule.severity, rule.docs) for rule in TOPICS.values())


def rules() -> None:
    """List everything that a command can find: its id, its severity, the command, what it is."""
    width = max(map(len, ids()))
    for found in everything():
        topic = found.topic
        severity = topic.severity.value
        typer.echo(f"{topic.id:{width}}  {severity:7}  {found.command:8}  {topic.summary}")


def explain(
    rule: Annotated[
        str,
        typer.Argument(
            help="The id of a finding, as in error[ID].", metavar="RULE", autocompletion=ids
        ),
    ],
) -> None:
    """Say what a rule demands, why, and how to mend what it finds."""
    found = [one for one in everything() if one.topic.id == rule]
    if not found:
        fail(f"no rule is called {rule}; {suggestion(rule, ids(), '`acpgen rules` lists all')}")
    typer.echo("\n\n\n".join(f"{one.head}\n\n{one.topic.docs}" for one in found))
