"""The targets of acpgen. Each is a pure function from a protocol to `{path: text}`.

Targets import their machinery when they run: listing them, or finding that nothing changed, costs
no import of a code generator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from acpgen.emit.templates import Templates
from acpgen.model import Protocol
from acpgen.targets import languages
from acpgen.types.views import everything, methods_only, without_docs

Tree = Mapping[str, str]
"""Generated text by path, relative to the output folder, with forward slashes."""


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of output.

    Fields:
        name: the value of `acpgen generate --target`.
        summary: what the target writes.
        owned_paths: patterns of the paths that only this target writes.
        make: makes the files from the part of a protocol that `view` returns.
        needs_classes: whether the output holds only the methods with a retry class, and so can't
            be made from a protocol without one.
        view: the part of a protocol that the output depends on.
        left_out: files that a protocol is not enough for, each with the reason.
    """

    name: str
    summary: str
    owned_paths: tuple[str, ...]
    make: Callable[[Protocol, Templates], Tree]
    needs_classes: bool = False
    view: Callable[[Protocol], Protocol] = everything
    left_out: Callable[[Protocol], Mapping[str, str]] = lambda _: {}

    def generate(self, protocol: Protocol, templates: Templates) -> Tree:
        """Make the files of a protocol. `acpgen.targets.generation` lists what it can raise."""
        return self.make(self.view(protocol), templates)

    def owns(self, path: str) -> bool:
        """True if only this target writes to a path."""
        return any(fnmatchcase(path, pattern) for pattern in self.owned_paths)


def _bundles(protocol: Protocol, _: Templates) -> Tree:
    from acpgen.targets.bundles import bundles

    return bundles(protocol)


def _normalized(protocol: Protocol, _: Templates) -> Tree:
    from acpgen.targets.normalized import normalized

    return normalized(protocol)


def _models(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.distribution import distribution
    from acpgen.targets.models import models

    return {**models(protocol, templates), **distribution(protocol, templates)}


def _retry(protocol: Protocol, templates: Templates) -> Tree:
    from acpgen.targets.tables import retry

    return retry(protocol, templates)


def _language(name: str) -> Target:
    def make(protocol: Protocol, templates: Templates) -> Tree:
        from acpgen.targets.languages.language_table import language_files

        return language_files(name, protocol, templates)

    dialect = languages.dialect(name)
    types = "" if dialect.full is None else "types, checks, a tolerant reader, "
    return Target(
        name,
        f"{types}retry-class table and the decision about resending: {dialect.title}",
        (f"{name}/*",),
        make,
        needs_classes=True,
        view=methods_only if dialect.full is None else everything,
    )


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
    from acpgen.targets.vectors import derived, ledgers, resends, traces, vectors

    return {
        **vectors(protocol, templates),
        **resends(protocol, templates),
        **derived(protocol),
        **traces(protocol),
        **ledgers(protocol, templates),
    }


def _unplayable(protocol: Protocol) -> Mapping[str, str]:
    from acpgen.targets.vectors import left_out

    return left_out(protocol)


TARGETS = (
    Target("bundles", "single-file JSON Schemas, stable and unstable", ("schema/*",), _bundles),
    Target(
        "normalized",
        "the types as JSON Schema for code generators, stable and unstable",
        ("normalized/*",),
        _normalized,
    ),
    Target(
        "models",
        "Python models (pydantic), and the package that holds all generated Python",
        (
            "python/*/__init__.py",
            "python/*/py.typed",
            "python/*/models/*",
            *(
                f"python/{name}"
                for name in (
                    "pyproject.toml",
                    "README.md",
                    "hatch_build.py",
                    "LICENSE",
                    "CHANGELOG.md",
                )
            ),
        ),
        _models,
    ),
    Target(
        "retry",
        "retry-class tables: Python and JSON",
        ("python/*/retry.py", "json/*"),
        _retry,
        needs_classes=True,
        view=methods_only,
    ),
    Target(
        "checkers",
        "Python checkers without dependencies, decoders for long input, and a table of types",
        ("python/*/checkers.py", "python/*/decoders.py", "python/*/type_table.py"),
        _checkers,
        view=without_docs,
    ),
    *map(_language, languages.others()),
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
        view=without_docs,
        left_out=_unplayable,
    ),
)
