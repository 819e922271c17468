"""The page for authors of SDKs on how to use the vectors."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.emit.header import HEADER
from acpgen.emit.markdown import Inline, code, prose, table
from acpgen.emit.templates import Templates
from acpgen.targets.languages import loops
from acpgen.targets.vectors.vector import DIFFERENCES, OUTCOMES, Dispute, Outcome


def guide(templates: Templates) -> str:
    """The page as Markdown.

    Raises:
        jinja2.TemplateError: the template is missing, broken, or uses an unknown name.
    """
    return templates.render(
        "vectors/README.md.jinja",
        header=HEADER,
        outcomes=_table("Outcome", OUTCOMES),
        differences=_table("Difference", DIFFERENCES),
        languages=loops("messages"),
    )


def _table(title: str, meanings: Mapping[Outcome, str] | Mapping[Dispute, str]) -> str:
    head = (Inline(title), Inline("What it means"))
    return table(head, ((code(name), prose(meaning)) for name, meaning in meanings.items()))
