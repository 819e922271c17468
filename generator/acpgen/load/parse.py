"""The last step of loading: checked JSON to the frozen types of `acpgen.model`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from acpgen.findings import Finding
from acpgen.load.references import ignored
from acpgen.load.schema_limits import SchemaLimits, advice
from acpgen.load.schema_text import Document, Documents, RawSchema, SchemaError
from acpgen.load.support import foreign_bases, repetitive
from acpgen.load.type_depth import make_room, too_deep
from acpgen.load.types import TypeParser
from acpgen.model import (
    Kind,
    Method,
    MethodError,
    MethodName,
    Protocol,
    Ref,
    RetryClass,
    TypeDef,
    TypeName,
)
from acpgen.types import stability
from acpgen.types.structure import key_member


def parse(documents: Documents) -> Protocol:
    """Build the protocol from documents that passed every earlier step.

    Types and members come out in an order that doesn't depend on the order of JSON members:
    types by domain and name, required members as `required` lists them, then the optional ones
    by name, `_meta` last.

    Raises:
        SchemaError: a schema combines keywords in a way that has no counterpart in the model;
            holds the first finding of each definition.
    """
    raw = _definitions(documents)
    types = stability.spread(_types(documents, raw))
    methods = sorted(
        (
            _method(types, types[name], definition)
            for name, (_, definition) in raw.items()
            if types[name].method is not None and kind_of(name) is not None
        ),
        key=lambda m: (m.name, m.kind),
    )
    version = documents.version
    return Protocol(
        title=_title(documents, version),
        version=version,
        methods=tuple(methods),
        types=types,
        source=str(documents.path),
    )


def unsupported(documents: Documents) -> list[Finding]:
    """The first finding of each definition that, by itself, has no counterpart in the model."""
    _, findings = _parsed(documents, _definitions(documents))
    return findings


_Definitions = Mapping[TypeName, tuple[Document, RawSchema]]


def _definitions(documents: Documents) -> _Definitions:
    """The definitions of the types, with the files that they are in."""
    return {
        TypeName(name): (document, definition)
        for document in documents.files
        for name, definition in sorted(document.definitions.items())
        if not ignored(definition) and "x-inline" not in definition
    }


_TITLE = "Agent Client Protocol"


def kind_of(name: str) -> Kind | None:
    """The kind of method that a params type of this name belongs to, None for any other type."""
    if name.endswith("Request"):
        return Kind.REQUEST
    return Kind.NOTIFICATION if name.endswith("Notification") else None


def _parsed(
    documents: Documents, raw: _Definitions
) -> tuple[dict[TypeName, TypeDef], list[Finding]]:
    """The types, and the findings of the definitions that no type is made of."""
    inlined = {
        name: definition
        for document in documents.files
        for name, definition in document.definitions.items()
        if "x-inline" in definition
    }
    types: dict[TypeName, TypeDef] = {}
    findings: list[Finding] = []
    for name, (document, definition) in raw.items():
        parser = TypeParser(document, inlined)
        try:
            types[name] = parser.definition(name, definition, release=documents.release)
        except SchemaError as error:
            findings.extend(error.findings)
    return types, findings


def _types(documents: Documents, raw: _Definitions) -> dict[TypeName, TypeDef]:
    types, findings = _parsed(documents, raw)
    findings = findings or [*_beyond_depth(documents, types)]
    if not findings:
        make_room(types)
    findings = findings or [*_refused(documents, repetitive(types))]
    if findings := findings or [*_refused(documents, foreign_bases(types))]:
        raise SchemaError(findings)
    return types


def _beyond_depth(documents: Documents, types: Mapping[TypeName, TypeDef]) -> Iterator[Finding]:
    """The definitions that are too deep to walk through."""
    most = SchemaLimits.current().depth
    for definition, depth in too_deep(types, most):
        location = definition.location
        yield documents.find(location).finding(
            "schema-size",
            location.pointer,
            f"has types inside each other on {depth} levels, where {most} is the limit; let them "
            f"refer to fewer others; {advice('depth')}",
        )


def _refused(documents: Documents, faults: Iterable[tuple[TypeDef, str]]) -> Iterator[Finding]:
    """The findings of definitions that no type of the model fits, with the reasons."""
    for definition, reason in faults:
        location = definition.location
        document = documents.find(location)
        yield document.finding("unsupported-schema", location.pointer, reason)


def _title(documents: Documents, version: int | None) -> str:
    """The title without the version, which bundles put at its end."""
    title: str = documents.files[0].root.get("title", _TITLE) if documents.release else _TITLE
    return title.removesuffix(f" v{version}")


def _method(types: dict[TypeName, TypeDef], params: TypeDef, raw: RawSchema) -> Method:
    kind, name, side = kind_of(params.name), params.method, params.side
    if kind is None or name is None or side is None:
        raise AssertionError(params.name)
    result = next(
        (
            t.name
            for t in types.values()
            if t.method == name and t.side is side and t.name.endswith("Response")
        ),
        None,
    )
    retry = raw.get("x-retry-class")
    carried = types[params.body.name].method if isinstance(params.body, Ref) else None
    return Method(
        name=name,
        kind=kind,
        side=side,
        stability=params.stability,
        params=params.name,
        result=result if kind is Kind.REQUEST else None,
        retry=None if retry is None else RetryClass(retry),
        resend=raw.get("x-resend", ""),
        docs=params.docs,
        location=params.location,
        key=key_member(types, params.body),
        carries=carried if retry == RetryClass.CARRIED else None,
        page=raw.get("x-docs"),
        errors=tuple(MethodError(e["code"], e["when"]) for e in raw.get("x-errors", ())),
        undoes=tuple(map(MethodName, raw.get("x-undoes", {}).get("methods", ()))),
        about=tuple(raw.get("x-undoes", {}).get("about", ())),
    )
