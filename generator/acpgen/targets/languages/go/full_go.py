"""Go in full: types, a strict and a tolerant reader, and the methods with their types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from acpgen.emit.header import HEADER
from acpgen.emit.templates import Templates
from acpgen.findings import Finding, Severity
from acpgen.load.schema_text import SchemaError
from acpgen.model import KEY_TYPE, Location, Method, Protocol, Scalar
from acpgen.rulebook import Fault
from acpgen.targets.languages.go import DIALECT, string
from acpgen.targets.languages.go.go_declarations import GoDeclarations
from acpgen.targets.languages.go.go_expressions import HELPERS
from acpgen.targets.languages.reader_plans import has_key_type, plans
from acpgen.types.structure import walk

_FILES = ("types", "reader", "faults", "text", "plans", "methods")
_ALIKE = re.compile(r"(?:[^\\(]|\\[.\-/^$|*+?()\[\]{}dw]|\((?!\?)|\(\?:)*", re.ASCII)
"""The patterns that mean the same to Go's regexp and to ECMA-262."""


def full_go(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return the package of a protocol's types by path.

    Raises:
        SchemaError: two declarations would have one name, or Go has no type for something.
        TemplateError: a template is missing, broken, or uses an unknown name.
    """
    declarations = GoDeclarations(protocol)
    declared = list(declarations.all())
    faults = [*declarations.faults, *_taken_names(protocol, declarations), *_patterns(protocol)]
    if faults:
        raise SchemaError([_finding(fault) for fault in faults])
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
        "plans": [
            (string(name), _raw(json.dumps(plan, separators=(",", ":"))))
            for name, plan in plans(protocol).items()
        ],
        "methods": [_row(method) for method in protocol.methods],
    }
    template = "languages/go/{}.jinja"
    return {
        f"go/v{version}/schema/{name}_gen.go": templates.render(
            template.format(f"{name}.go"), **context
        )
        for name in _FILES
    }


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


def _patterns(protocol: Protocol) -> Iterator[Fault[Location]]:
    for type_ in protocol.types.values():
        for part in walk(type_.body):
            pattern = part.pattern if isinstance(part, Scalar) else None
            if pattern is not None and not _ALIKE.fullmatch(pattern):
                message = f"Go can't be held to the pattern {pattern}; write it with less"
                yield Fault(type_.location, message)


def _finding(fault: Fault[Location]) -> Finding:
    place = fault.place
    rule = "unsupported-schema"
    return Finding(rule, Severity.ERROR, place.file, place.pointer, fault.message)
