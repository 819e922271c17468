"""Go in full: types, a strict and a tolerant reader, and the methods with their types."""

from __future__ import annotations

import json
from collections.abc import Iterator

from acpgen.emit.header import HEADER, below_header
from acpgen.emit.templates import Templates
from acpgen.load.schema_text import SchemaError
from acpgen.model import KEY_TYPE, Location, Method, Protocol, Scalar, Type
from acpgen.patterns import UnsupportedPatternError, re2_pattern
from acpgen.rulebook import Fault
from acpgen.targets.languages.go import DIALECT, string
from acpgen.targets.languages.go.go_declarations import GoDeclarations
from acpgen.targets.languages.go.go_expressions import HELPERS
from acpgen.targets.languages.reader_plans import has_key_type, plans
from acpgen.targets.models.faults import shape_finding
from acpgen.types.structure import walk

_RENDERED = ("types", "plans", "methods")
_FIXED = ("reader", "faults", "text")


def full_go(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return the package of a protocol's types by path.

    Raises:
        SchemaError: two declarations would have one name, or Go has no type for something.
        TemplateError: a template is missing, broken, or uses an unknown name.
    """
    declarations = GoDeclarations(protocol)
    declared = list(declarations.all())
    if faults := _faults(protocol, declarations):
        raise SchemaError(list(map(shape_finding, faults)))
    version = protocol.version or 0
    context: dict[str, object] = {
        "header": HEADER,
        "title": f"{protocol.title} v{version}",
        "version": version,
        "declarations": declared,
        "raw": any("json." in each for each in declared),
        "branded": has_key_type(protocol),
        "key_type": KEY_TYPE,
        "module": _module(version),
        "types": sorted(protocol.types),
        "spellings": [tuple(map(string, each)) for each in _spellings(protocol)],
        "plans": [
            (string(name), _raw(json.dumps(plan, separators=(",", ":"))))
            for name, plan in plans(protocol).items()
        ],
        "methods": [_row(method) for method in protocol.methods],
    }
    base = "languages/go"
    texts = {
        **{name: templates.render(f"{base}/{name}.go.jinja", **context) for name in _RENDERED},
        **{name: below_header(templates.fixed(f"{base}/fixed/{name}.go")) for name in _FIXED},
    }
    return {f"go/v{version}/schema/{name}_gen.go": text for name, text in texts.items()}


def _row(method: Method) -> list[str]:
    kind = f"Kind{method.kind.value.capitalize()}"
    rest = (method.side, method.params, method.result or "", method.retry or "")
    return [string(method.name), kind, *map(string, rest)]


def _raw(text: str) -> str:
    return string(text) if "`" in text or not text.isprintable() else f"`{text}`"


def _module(version: int) -> str:
    return "" if DIALECT.package is None else DIALECT.package.name.format(version=version)


def _taken_names(protocol: Protocol, declarations: GoDeclarations) -> Iterator[Fault[Location]]:
    for name, count in declarations.declared.items():
        if count > 1 or name in HELPERS:
            type_ = next((t for n, t in protocol.types.items() if n == name), None)
            place = Location(protocol.source) if type_ is None else type_.location
            message = f"{name} can't be declared in Go: the name is in use; rename it"
            yield Fault(place, message)


def type_faults(protocol: Protocol) -> list[Fault[Location]]:
    """What keeps a protocol from having types in Go."""
    declarations = GoDeclarations(protocol)
    for _ in declarations.all():
        pass
    return _faults(protocol, declarations)


def _faults(protocol: Protocol, declarations: GoDeclarations) -> list[Fault[Location]]:
    """The faults, once everything is declared."""
    return [*declarations.faults, *_taken_names(protocol, declarations), *_unusable(protocol)]


def _unusable(protocol: Protocol) -> Iterator[Fault[Location]]:
    for type_ in protocol.types.values():
        for pattern in _patterns(type_.body):
            try:
                re2_pattern(pattern)
            except UnsupportedPatternError as error:
                message = f"the pattern {pattern} {error}, which Go's regexp can't; write another"
                yield Fault(type_.location, message)


def _spellings(protocol: Protocol) -> list[tuple[str, str]]:
    """The patterns that Go reads in another way as they are, each with its spelling for Go."""
    every = {p for type_ in protocol.types.values() for p in _patterns(type_.body)}
    return [(each, re2_pattern(each)) for each in sorted(every) if re2_pattern(each) != each]


def _patterns(body: Type) -> Iterator[str]:
    """The patterns of a type, without those that it refers to."""
    for part in walk(body):
        if isinstance(part, Scalar) and part.pattern is not None:
            yield part.pattern
