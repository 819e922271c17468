"""The protocol as an OpenRPC 1.3 document, for tools for JSON-RPC APIs.

OpenRPC describes one service, whose methods have unique names. ACP has several sides, and some of
its names are both a request and a notification. So `x-side` of a method is the side that handles
it, and a notification with the name of a request is in that request's `x-notification`. `x-params`
is the whole schema of the params; the list `params` has only their members.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from acpgen.emit.header import HEADER
from acpgen.emit.jsonschema import JsonSchema, definition, property_schema
from acpgen.emit.markdown import first_sentence
from acpgen.model import (
    JsonValue,
    Kind,
    Method,
    Object,
    Property,
    Protocol,
    Stability,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.report.document import encoded
from acpgen.targets.retry.classes import CLASSES

_OPENRPC = "1.3.2"
_DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are not schemas."""
_SCHEMAS = "#/components/schemas/"


def openrpc(protocol: Protocol) -> dict[str, str]:
    """The document of a protocol, with its unstable parts."""
    methods = {method.params: method for method in protocol.methods}
    document: JsonSchema = {
        "x-generated": HEADER,
        "openrpc": _OPENRPC,
        "info": {
            "title": protocol.title or "Agent Client Protocol",
            "version": str(protocol.version or 0),
            "description": "Says of every method which side handles it (`x-side`) and whether it "
            "may be sent again when its response is lost (`x-retry-class`, `x-resend`). "
            "`x-retry-classes` says what the classes mean.",
        },
        "x-retry-classes": {
            retry.value: explanation.whole
            for retry, explanation in CLASSES.items()
            if any(method.retry is retry for method in protocol.methods)
        },
        "methods": [*_methods(protocol)],
        "components": {
            "schemas": {
                name: _draft7(definition(type_, methods.get(name)))
                for name, type_ in sorted(protocol.types.items())
            }
        },
    }
    return {"openrpc.json": encoded(document, indent=2) + "\n"}


def _methods(protocol: Protocol) -> Iterator[JsonSchema]:
    for method in protocol.methods:
        request = protocol.method(method.name, Kind.REQUEST)
        if method is not request and request is not None:
            continue
        described: JsonSchema = {
            "name": method.name,
            "summary": first_sentence(method.docs),
            **_described(method, protocol),
        }
        notification = protocol.method(method.name, Kind.NOTIFICATION)
        if method is request and notification is not None:
            described["x-notification"] = _described(notification, protocol)
        yield described


def _described(method: Method, protocol: Protocol) -> JsonSchema:
    """The description of a method in one kind."""
    params = protocol.types[method.params]
    described: JsonSchema = {
        "description": method.docs,
        "tags": [{"name": method.side.value}],
        "paramStructure": "by-name",
        "params": [*_descriptors(params.body, protocol)],
    }
    if method.result is not None:
        described["result"] = {"name": method.result, "schema": _ref(method.result)}
    if method.errors:
        described["errors"] = [*_errors(method)]
    if params.examples:
        described["examples"] = [*_examples(method, protocol)]
    described["x-params"] = _ref(method.params)
    described["x-side"] = method.side.value
    if method.retry is not None:
        described |= {"x-retry-class": method.retry.value, "x-resend": method.resend}
    if method.stability is Stability.UNSTABLE:
        described["x-stability"] = method.stability.value
    return described


def _errors(method: Method) -> Iterator[JsonSchema]:
    """One error for each code, as OpenRPC requires, with all its meanings."""
    for code in dict.fromkeys(error.code for error in method.errors):
        meanings = (error.when for error in method.errors if error.code == code)
        yield {"code": code, "message": " ".join(meanings)}


def _examples(method: Method, protocol: Protocol) -> Iterator[JsonSchema]:
    """Each example of the params with the result's example at the same index."""
    asked = protocol.types[method.params].examples
    given = () if method.result is None else protocol.types[method.result].examples
    for number, params in enumerate(asked):
        if not isinstance(params, dict):
            continue
        pairing: JsonSchema = {
            "name": f"{method.params} {number + 1}",
            "params": [{"name": name, "value": value} for name, value in params.items()],
        }
        if method.result is not None and number < len(given):
            pairing["result"] = {"name": method.result, "value": given[number]}
        yield pairing


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of params: whether it is required, and its alternative schemas."""

    docs: str
    required: bool
    rules: tuple[JsonSchema, ...]

    def __or__(self, other: _Member) -> _Member:
        rules = (*self.rules, *(rule for rule in other.rules if rule not in self.rules))
        docs = self.docs if self.docs == other.docs else ""
        return _Member(docs, self.required and other.required, rules)

    def descriptor(self, name: str) -> JsonSchema:
        """The content descriptor of the member."""
        rule: JsonSchema = self.rules[0]
        if len(self.rules) > 1:
            rule = {"anyOf": [*self.rules]}
        docs: JsonSchema = {"description": self.docs} if self.docs else {}
        return {"name": name, **docs, "required": self.required, "schema": rule}


def _descriptors(params: Type, protocol: Protocol) -> list[JsonSchema]:
    """The members of params, required ones first."""
    members = sorted(_members(params, protocol).items(), key=lambda item: not item[1].required)
    return [member.descriptor(name) for name, member in members]


def _members(type_: Type, protocol: Protocol) -> dict[str, _Member]:
    """The members of an object by name, including those of its bases and variants."""
    match protocol.resolve(type_):
        case Object() as object_:
            members = {p.name: _member(p) for p in object_.properties}
            parts: tuple[Type, ...] = (*object_.bases, *object_.unions)
            for part in parts:
                members = {**_members(part, protocol), **members}
            return members
        case Union() as union:
            return _variants(union, protocol)
        case _:
            return {}


def _variants(union: Union, protocol: Protocol) -> dict[str, _Member]:
    """The members of all variants. A member that one variant lacks is not required."""
    variants = [
        _tag(variant, union) | _members(variant.body, protocol) for variant in union.variants
    ]
    merged: dict[str, _Member] = {}
    for variant in variants:
        for name, member in variant.items():
            merged[name] = merged[name] | member if name in merged else member
    return {
        name: replace(member, required=member.required and all(name in v for v in variants))
        for name, member in merged.items()
    }


def _tag(variant: Variant, union: Union) -> dict[str, _Member]:
    if union.tag is None or variant.value is None:
        return {}
    return {union.tag: _Member("", True, ({"type": "string", "const": variant.value},))}


def _member(property_: Property) -> _Member:
    rule = property_schema(property_)
    rule.pop("description", None)
    return _Member(property_.docs, property_.required, (_draft7(rule),))


def _draft7(schema: JsonSchema) -> JsonSchema:
    """A schema as OpenRPC reads it: references are local and have no sibling keywords.

    JSON Schema draft 7, which OpenRPC builds on, ignores the siblings of a reference.
    """
    written = {keyword: _keyword(keyword, value) for keyword, value in schema.items()}
    reference = written.get("$ref")
    if not isinstance(reference, str):
        return written
    moved: JsonSchema = {"$ref": reference.replace("#/$defs/", _SCHEMAS, 1)}
    rest = {keyword: value for keyword, value in written.items() if keyword != "$ref"}
    if not rest:
        return moved
    others = rest.get("allOf")
    return {**rest, "allOf": [moved, *(others if isinstance(others, list) else [])]}


def _keyword(keyword: str, value: JsonValue) -> JsonValue:
    """The value of a keyword, with the schemas in it rewritten."""
    if keyword in _DATA:
        return value
    if isinstance(value, list):
        return [_draft7(part) if isinstance(part, dict) else part for part in value]
    if not isinstance(value, dict):
        return value
    if keyword == "properties":
        return {n: _draft7(part) if isinstance(part, dict) else part for n, part in value.items()}
    return _draft7(value)


def _ref(name: TypeName) -> JsonSchema:
    return {"$ref": f"{_SCHEMAS}{name}"}
