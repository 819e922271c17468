"""Templates that only have slots, filled without a template engine.

Checkers are also built where a schema is only judged by, and an installation that generates nothing
has no Jinja. These templates read the same to both.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

_SLOT = re.compile(r"\{\{ (\w+) \}\}")


class TemplateRenderer(Protocol):
    """Fills templates: `acpgen.emit.templates.Templates`, or `Slots`."""

    def render(self, name: str, /, **context: object) -> str:
        """Fill one template."""
        ...


class Slots:
    """The templates of one folder, in which `{{ name }}` is a slot and nothing else is special."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def render(self, name: str, /, **context: object) -> str:
        """Fill one template.

        Raises:
            OSError: the template can't be read.
            KeyError: nobody gave what a slot asks for.
        """
        text = (self._folder / name).read_text("utf-8")
        return _SLOT.sub(lambda slot: str(context[slot[1]]), text)
