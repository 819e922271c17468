"""One thing that can be put into a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from acpgen.inject.links import Elsewhere


@dataclass(frozen=True, slots=True)
class Region:
    """A region that can be injected: a summary, and the function that renders its Markdown.

    `template` is the name of the template that it is rendered by, if there is one.
    """

    summary: str
    render: Callable[[Elsewhere], str]
    template: str | None = None
