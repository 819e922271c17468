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
from acpgen.types.views import everything, methods_only, without_docs

Tree = Mapping[str, str]
"""Generated text by path, relative to the output folder, with forward slashes."""


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of output. `territory` are the patterns of the paths that only it writes.

    It is made, by `make`, from the part of a protocol that it `sees`. One that `needs_classes`
    has no more than the methods with a retry class, and can't be made where none has one.
    """

    name: str
    summary: str
    territory: tuple[str, ...]
    make: Callable[[Protocol, Templates], Tree]
    needs_classes: bool = False
    sees: Callable[[Protocol], Protocol] = everything

    def generate(self, protocol: Protocol, templates: Templates) -> Tree:
        """The files of a protocol. What may be raised is told by `acpgen.targets.generation`."""
        return self.make(self.sees(protocol), templates)

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
    from acpgen.targets.tables import retry

    return retry(protocol, templates)


def _language(name: str) -> Callable[[Protocol, Templates], Tree]:
    def generate(protocol: Protocol, templates: Templates) -> Tree:
        from acpgen.targets.languages import DIALECTS, language

        return language(DIALECTS[name], protocol, templates)

    return generate


def _openrpc(protocol: Protocol, _: Templates) -> Tree:
    from acpgen.targets.openrpc import openrpc

    return openrpc(protocol)


def _checkers(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.checkers import checkers

    return checkers(protocol, templates)


def _overlay(protocol: Protocol, _: Templates) -> Tree:
    from acpgen.targets.overlay import overlay

    return overlay(protocol)


def _pages(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.pages import pages

    return pages(protocol, templates)


def _vectors(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.vectors import derived, resends, traces, vectors

    return {
        **vectors(protocol, templates),
        **resends(protocol, templates),
        **derived(protocol),
        **traces(protocol),
    }


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
        needs_classes=True,
        sees=methods_only,
    ),
    Target(
        "checkers",
        "Python checkers without dependencies, and decoders for long input",
        ("python/*/checkers.py", "python/*/decoders.py"),
        _checkers,
        sees=without_docs,
    ),
    *(
        Target(
            name.lower(),
            f"retry-class table and the decision about resending: {name}",
            (f"{name.lower()}/*",),
            _language(name.lower()),
            needs_classes=True,
            sees=methods_only,
        )
        for name in ("TypeScript", "Rust", "Go", "Kotlin", "Java")
    ),
    Target("openrpc", "OpenRPC description with retry classes", ("openrpc.json",), _openrpc),
    Target(
        "overlay",
        "what the schema adds to upstream's, as an OpenAPI Overlay",
        ("overlay/*",),
        _overlay,
    ),
    Target("pages", "Markdown pages", ("docs/*",), _pages),
    Target(
        "vectors",
        "messages with one expected verdict each",
        ("vectors/*",),
        _vectors,
        sees=without_docs,
    ),
)
