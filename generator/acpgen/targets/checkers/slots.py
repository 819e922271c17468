"""Templates with slots only, filled without a template engine.

`acpgen validate --schema` builds checkers too, and an installation without the extra `generate` has
no Jinja. Jinja fills these templates in the same way.
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
    """The templates of one folder, in which only `{{ name }}` has a meaning."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def render(self, name: str, /, **context: object) -> str:
        """Fill one template.

        Raises:
            OSError: the template can't be read.
            KeyError: the value of a slot was not passed.
        """
        text = (self._folder / name).read_text("utf-8")
        return _SLOT.sub(lambda slot: str(context[slot[1]]), text)
