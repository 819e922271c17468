"""TypeScript in full: types, checks, a tolerant reader and the methods with their types."""

from __future__ import annotations

import json
from collections.abc import Iterator

from acpgen.emit.header import HEADER, below_header
from acpgen.emit.templates import Templates
from acpgen.load.schema_text import SchemaError
from acpgen.model import Kind, Location, Method, Protocol, TypeName
from acpgen.rulebook import Fault
from acpgen.targets.languages.reader_plans import has_key_type, plans
from acpgen.targets.languages.typescript import string
from acpgen.targets.languages.typescript.check_functions import CheckFunctions
from acpgen.targets.languages.typescript.type_declarations import (
    HELPERS,
    Declarations,
    documented,
    quoted,
)
from acpgen.targets.models.faults import shape_finding

_FOLDER = "typescript/v{version}/schema"
_RENDERED = ("types", "checks", "registry", "plans", "signatures")
_FIXED = ("faults", "reader", "values")


def full_typescript(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """Return the modules of a protocol besides its retry table, by path.

    Raises:
        SchemaError: two declarations would have one name.
        TemplateError: a template is missing, broken, or uses an unknown name.
    """
    declarations = Declarations(protocol)
    if faults := list(_taken_names(protocol, declarations)):
        raise SchemaError(list(map(shape_finding, faults)))
    requests = [m for m in protocol.methods if m.kind is Kind.REQUEST]
    notifications = [m for m in protocol.methods if m.kind is Kind.NOTIFICATION]
    context: dict[str, object] = {
        "header": HEADER,
        "title": f"{protocol.title} v{protocol.version or 0}",
        "declarations": list(declarations.all()),
        "branded": has_key_type(protocol),
        "types": sorted(protocol.types),
        "registry": [_entry(name, f"checks.is{name}") for name in sorted(protocol.types)],
        "checks": list(CheckFunctions(protocol).all()),
        "plans": [_plan(name, plan) for name, plan in plans(protocol).items()],
        "requests": list(map(_signature, requests)),
        "notifications": list(map(_signature, notifications)),
    }
    folder = _FOLDER.format(version=protocol.version or 0)
    place, base = f"{folder}/{{}}.gen.ts", "languages/typescript"
    rendered = {**{name: place.format(name) for name in _RENDERED}, "index": f"{folder}/index.ts"}
    return {
        **{
            path: templates.render(f"{base}/{name}.ts.jinja", **context)
            for name, path in rendered.items()
        },
        **{
            place.format(name): below_header(templates.fixed(f"{base}/fixed/{name}.ts"))
            for name in _FIXED
        },
    }


def _signature(method: Method) -> dict[str, str]:
    """What the templates write of a method."""
    return {
        "name": quoted(method.name),
        "docs": documented(method.docs, 2),
        "side": string(method.side.value),
        "params": method.params,
        "result": method.result or "",
        "retry_class": "undefined" if method.retry is None else string(method.retry.value),
    }


def _plan(name: TypeName, plan: object) -> str:
    """A member of the object of all plans: text, so that a plan is read when it is needed."""
    text = json.dumps(plan, separators=(",", ":"))
    literal = string(text)
    if text.count('"') > text.count("'"):
        literal = "'" + literal[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
    return _entry(name, literal, short_key=4)


def _entry(name: str, value: str, short_key: int = 0) -> str:
    """A member of an object; a value that is too long comes below its name."""
    line = f"  {name}: {value},"
    return line if len(line) <= 80 or len(name) <= short_key else f"  {name}:\n    {value},"


def type_faults(protocol: Protocol) -> list[Fault[Location]]:
    """What keeps a protocol from having types in TypeScript."""
    return list(_taken_names(protocol, Declarations(protocol)))


def _taken_names(protocol: Protocol, declarations: Declarations) -> Iterator[Fault[Location]]:
    names = declarations.names()
    for name, type_ in protocol.types.items():
        if names[name] > 1 or name in HELPERS:
            message = f"{name} can't be declared in TypeScript: the name is in use; rename it"
            yield Fault(type_.location, message)
