"""The retry table, the decision about resending and the derived message ID, in every language.

Every language gets the same rows and the same words through its dialect; its template holds the
rest. None of the files needs more than its language's standard library.
"""

from __future__ import annotations

from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets.languages.dialect import Dialect
from acpgen.targets.languages.go import GO
from acpgen.targets.languages.java import JAVA
from acpgen.targets.languages.kotlin import KOTLIN
from acpgen.targets.languages.rust import RUST
from acpgen.targets.languages.typescript import TYPESCRIPT
from acpgen.targets.languages.view import view

__all__ = ["DIALECTS", "Dialect", "language"]

DIALECTS = {dialect.name: dialect for dialect in (TYPESCRIPT, RUST, GO, KOTLIN, JAVA)}
"""The languages with a target of their own, by its name, which is that of the folders, too."""


def language(dialect: Dialect, protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The table of the methods that have a class, in one language.

    Raises:
        MissingClassError: there are methods, and none has a class.
        TemplateError: the template is missing, broken, or uses an unknown name.
    """
    version = protocol.version or 0
    path = f"{dialect.name}/{dialect.path.format(version=version)}"
    return {path: templates.render(dialect.template, **view(protocol, dialect))}
