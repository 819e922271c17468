"""The generated file of a language."""

from __future__ import annotations

from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets.languages import dialect, table_path, template
from acpgen.targets.languages.view import view


def table(name: str, protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return the table of the methods that have a class, in one language, by its path.

    Raises:
        MissingClassError: there are methods, but no method has a class.
        TemplateError: the template is missing, broken, or uses an unknown name.
    """
    context = view(protocol, dialect(name))
    return {table_path(name, protocol.version or 0): templates.render(template(name), **context)}
