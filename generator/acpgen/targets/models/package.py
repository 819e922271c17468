"""The package around the generated modules: its lazy front, its base, its table of methods."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator

from acpgen.emit.header import HEADER
from acpgen.emit.python import literal
from acpgen.emit.templates import Templates
from acpgen.findings import Finding, Severity
from acpgen.load.source import SchemaError
from acpgen.model import Method, Protocol, Ref, TypeName
from acpgen.targets.models import codegen, spelling
from acpgen.targets.models.normal import Choice, Normal, normalize

_HELPERS = {
    "_base": ("MISSING", "AcpModel"),
    "_methods": (
        "METHODS",
        "Kind",
        "Side",
        "Signature",
        "UnknownMethodError",
        "method_of",
        "signature",
    ),
    "_wire": ("dump", "parse", "parse_params", "parse_result", "parse_tolerant"),
}
"""What the package exports besides the protocol's types, by module."""


def models(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The package of a protocol's models, as `python/acp_v<version>/...`.

    Raises:
        SchemaError: a type or a domain has no counterpart in Python.
    """
    package = f"acp_v{protocol.version or 0}"
    normal = normalize(protocol)
    names = _names(normal)
    _require_usable(protocol, names)
    generated = codegen.modules(spelling.spell(normal), f"{package}.models._base", names)
    context: dict[str, object] = {
        "header": HEADER,
        "package": package,
        "title": f"{protocol.title} v{protocol.version or 0}",
        "retry": all(method.retry is not None for method in protocol.methods),
        "open": spelling.OPEN,
        "excludes": spelling.EXCLUDES,
        "tag": spelling.TAG,
        "on_error": spelling.ON_ERROR,
        "on_null": spelling.ON_NULL,
        "skip_items": spelling.SKIP_ITEMS,
        "modules": sorted({**_HELPERS, **names}.items()),
        "homes": sorted(_homes({**_HELPERS, **names})),
        "rows": [_row(method) for method in protocol.methods],
        "owners": sorted(_owners(protocol, normal)),
    }
    helpers = {
        "__init__.py": "package",
        "models/__init__.py": "init",
        "models/_base.py": "base",
        "models/_methods.py": "methods",
        "models/_tolerance.py": "tolerance",
        "models/_wire.py": "wire",
    }
    return {
        f"python/{package}/py.typed": "",
        **{
            f"python/{package}/{path}": templates.render(f"models/{template}.py.jinja", **context)
            for path, template in helpers.items()
        },
        **{f"python/{package}/models/{name}.py": text for name, text in generated.items()},
    }


def _names(normal: Normal) -> dict[str, tuple[str, ...]]:
    """The names that each module defines, sorted."""
    names: dict[str, list[str]] = {}
    for name, (domain, _) in normal.items():
        names.setdefault(domain, []).append(name)
    return {domain: tuple(defined) for domain, defined in names.items()}


def _homes(modules: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    for module, names in modules.items():
        for name in names:
            yield name, module


def _require_usable(protocol: Protocol, names: dict[str, tuple[str, ...]]) -> None:
    """Refuse names that Python or the package itself needs."""
    taken = {name for exported in _HELPERS.values() for name in exported}
    findings = [
        Finding("unsupported-schema", Severity.ERROR, protocol.source, "", message)
        for message in (
            *(
                f"the domain {domain} can't be a Python module; rename its file"
                for domain in names
                if not domain.isidentifier()
                or keyword.iskeyword(domain)
                or domain.startswith("_")
                or domain in taken
            ),
            *(
                f"the type {name} is called like a part of the models package; rename it"
                for defined in names.values()
                for name in defined
                if name in taken
            ),
        )
    ]
    if findings:
        raise SchemaError(findings)


def _row(method: Method) -> dict[str, str]:
    """The fields of a signature as Python source."""
    return {
        "name": literal(method.name),
        "kind": literal(method.kind),
        "side": literal(method.side),
        "params": literal(method.params),
        "result": literal(method.result),
    }


def _owners(protocol: Protocol, normal: Normal) -> Iterator[tuple[str, str, str]]:
    """Each type of params or result, and each model of such a choice, with its method."""
    for method in protocol.methods:
        for type_ in (method.params, method.result):
            if type_ is not None:
                for name in _models(type_, normal):
                    yield literal(name), literal(method.name), literal(method.kind)


def _models(name: TypeName, normal: Normal) -> Iterable[TypeName]:
    yield name
    shape = normal[name][1]
    if isinstance(shape, Choice):
        for branch in shape.branches:
            if branch.type == Ref(branch.name):
                yield from _models(branch.name, normal)
