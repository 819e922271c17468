"""The generated files of a language."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from acpgen.emit.header import HEADER
from acpgen.emit.templates import Templates
from acpgen.model import Location, Protocol
from acpgen.rulebook import Fault
from acpgen.targets.languages import codec_template, dialect, others, table_path, template
from acpgen.targets.languages.registry_package import package_files
from acpgen.targets.languages.view import view


def table(name: str, protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return the table of the methods that have a class, in one language, by its path.

    Raises:
        MissingClassError: there are methods, but no method has a class.
        TemplateError: the template is missing, broken, or uses an unknown name.
    """
    context = view(protocol, dialect(name))
    return {table_path(name, protocol.version or 0): templates.render(template(name), **context)}


def codec(name: str, protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return what reads and writes keys with a JSON library, by its path; empty without a codec.

    Raises:
        TemplateError: the template is missing, broken, or uses an unknown name.
    """
    spoken, version = dialect(name), protocol.version or 0
    if spoken.codec is None:
        return {}
    context = {"header": HEADER, "version": version, "comment": spoken.comment}
    text = templates.render(codec_template(name), **context)
    return {f"{name}/{spoken.codec.format(version=version)}": text}


def type_faults(protocol: Protocol) -> Iterator[Fault[Location]]:
    """Yield what keeps a protocol from having types in the languages that have them."""
    for name in others():
        full = dialect(name).full
        if full is not None:
            yield from _module(name, full).type_faults(protocol)


def _module(name: str, full: str) -> ModuleType:
    return import_module(f"acpgen.targets.languages.{name}.{full}")


def language_files(name: str, protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return the table and, if the language has them, codec, types and metadata, by path.

    Raises:
        MissingClassError: there are methods, but no method has a class.
        SchemaError: a type has no counterpart in the language.
        TemplateError: a template is missing, broken, or uses an unknown name.
    """
    files = table(name, protocol, templates) | codec(name, protocol, templates)
    full = dialect(name).full
    if full is not None:
        files |= getattr(_module(name, full), full)(protocol, templates)
    package = dialect(name).package
    if package is not None:
        files |= package_files(name, package, protocol, templates)
    return files
