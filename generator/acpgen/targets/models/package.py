"""The package around the generated modules: its lazy front and its table of methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acpgen.emit.header import HEADER
from acpgen.emit.python import literal
from acpgen.emit.templates import Templates
from acpgen.load.schema_text import SchemaError
from acpgen.model import Kind, Method, Protocol, Ref, RetryClass, TypeName
from acpgen.targets.models import codegen, codegen_schema
from acpgen.targets.models.codegen import without_defaults
from acpgen.targets.models.faults import model_faults, shape_finding
from acpgen.targets.models.naming import HELPERS, attribute, names_of
from acpgen.targets.models.normalization import normalize
from acpgen.targets.models.python_shapes import Normal, UnionShape
from acpgen.types.fingerprint import digest
from acpgen.types.views import methods_only, without_docs


def models(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The package of a protocol's models, as `python/acp_v<version>/...`.

    Raises:
        SchemaError: a type or a domain has no counterpart in Python.
    """
    package = f"acp_v{protocol.version or 0}"
    normalization = normalize(protocol)
    normal = normalization.shapes
    if faults := list(model_faults(protocol, normalization)):
        raise SchemaError([shape_finding(fault) for fault in faults])
    names = names_of(normal)
    definitions = codegen_schema.definitions_of(normal, _carriers(protocol))
    generated = codegen.modules(definitions, "acp_wire.models.base", names)
    generated = {
        domain: without_defaults(text, _narrowed(normal)) for domain, text in generated.items()
    }
    exported = {**HELPERS, **{f".{domain}": defined for domain, defined in names.items()}}
    context: dict[str, object] = {
        "header": HEADER,
        "package": package,
        "title": f"{protocol.title} v{protocol.version or 0}",
        "retry": all(method.retry is not None for method in protocol.methods),
        "schema": literal(digest(without_docs(protocol))),
        "table": literal(digest(methods_only(protocol))),
        "modules": sorted(exported.items()),
        "homes": sorted(_homes(exported)),
        "rows": [_row(method, protocol) for method in protocol.methods],
        "owners": sorted(_owners(protocol, normal)),
    }
    helpers = {
        "__init__.py": "package",
        "models/__init__.py": "init",
        "models/_methods.py": "methods",
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


def _narrowed(normal: Normal) -> dict[str, frozenset[str]]:
    """The attributes of each union's class that its variants declare in their own way."""
    return {
        name: frozenset(map(attribute, shape.narrowed))
        for name, (_, shape) in normal.items()
        if isinstance(shape, UnionShape) and shape.base
    }


def _homes(modules: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    for module, names in modules.items():
        for name in names:
            yield name, module


def _carriers(protocol: Protocol) -> frozenset[TypeName]:
    """The params that hold the params of another method."""
    carrying = {m.name for m in protocol.methods if m.retry is RetryClass.CARRIED}
    return frozenset(method.params for method in protocol.methods if method.name in carrying)


def _row(method: Method, protocol: Protocol) -> dict[str, str]:
    """The fields of a signature as Python source, with its types for type checkers."""
    # Without a kind a name means its request; see `acp_wire.models.methods.MethodTable`.
    first = min((m.kind for m in protocol.methods if m.name == method.name), key=list(Kind).index)
    kind = f"Literal[{literal(method.kind)}]"
    return {
        "asked": f"{kind} | None = None" if method.kind == first else kind,
        "params_type": method.params,
        "result_type": method.result or "",
        "name": literal(method.name),
        "kind": literal(method.kind),
        "side": literal(method.side),
        "params": literal(method.params),
        "result": literal(method.result),
    }


def _owners(protocol: Protocol, normal: Normal) -> Iterator[tuple[str, str, str]]:
    """Each type of params or result, and each model of such a union, with its method."""
    for method in protocol.methods:
        for type_ in (method.params, method.result):
            if type_ is not None:
                for name in _models(type_, normal):
                    yield literal(name), literal(method.name), literal(method.kind)


def _models(name: TypeName, normal: Normal) -> Iterable[TypeName]:
    yield name
    shape = normal[name][1]
    if isinstance(shape, UnionShape):
        for branch in shape.branches:
            if branch.type == Ref(branch.name):
                yield from _models(branch.name, normal)
