"""What acpgen generates: each target is a pure function from a protocol to `{path: text}`.

Targets import their machinery when they run: listing them, or finding that nothing changed, costs
no import of a code generator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from acpgen.emit.templates import Templates
from acpgen.model import Protocol

Tree = Mapping[str, str]
"""Generated text by path, relative to the output folder, with forward slashes."""


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of output. `territory` are the patterns of the paths that only it writes."""

    name: str
    summary: str
    territory: tuple[str, ...]
    generate: Callable[[Protocol, Templates], Tree]

    def claims(self, path: str) -> bool:
        """Whether a path lies where only this target writes."""
        return any(fnmatchcase(path, pattern) for pattern in self.territory)


def _bundles(protocol: Protocol, _: Templates) -> Tree:
    from acpgen.targets.bundles import bundles

    return bundles(protocol)


def _models(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.models import models

    return models(protocol, templates)


def _retry(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.retry import retry

    return retry(protocol, templates)


def _checkers(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.checkers import checkers

    return checkers(protocol, templates)


def _pages(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.pages import pages

    return pages(protocol, templates)


def _vectors(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.vectors import vectors

    return vectors(protocol, templates)


TARGETS = (
    Target("bundles", "single-file JSON Schemas, stable and unstable", ("schema/*",), _bundles),
    Target(
        "models",
        "Python models (pydantic)",
        ("python/*/__init__.py", "python/*/py.typed", "python/*/models/*"),
        _models,
    ),
    Target(
        "retry",
        "retry-class tables: Python and JSON",
        ("python/*/retry.py", "json/*"),
        _retry,
    ),
    Target(
        "checkers",
        "Python checkers without dependencies, and decoders for long input",
        ("python/*/checkers.py", "python/*/decoders.py"),
        _checkers,
    ),
    Target("pages", "Markdown pages", ("docs/*",), _pages),
    Target("vectors", "messages with one expected verdict each", ("vectors/*",), _vectors),
)
