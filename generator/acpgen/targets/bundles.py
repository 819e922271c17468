"""Single-file schemas whose JSON-RPC envelope is derived from the methods.

The envelope ties every known method to its params, its kind and its direction, so that any JSON
Schema validator gives the verdict of a strict peer. It dispatches with `if`/`then`, which makes
validators name the member at fault instead of listing every method that the message is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from acpgen.emit.header import HEADER
from acpgen.emit.jsonschema import DIALECT, JsonSchema, definition
from acpgen.model import SENDS, JsonValue, Kind, Method, Protocol, Side, Stability
from acpgen.report.document import encoded
from acpgen.types.stability import stable

_ENTRY_POINTS: Mapping[str, frozenset[Side]] = {
    **{sender.capitalize(): sides for sender, sides in SENDS.items()},
    "Any": frozenset(Side),
}
"""Entry point to the sides that handle what its messages ask for."""

EXTENSION_PATTERN = "^_"

HOME = "https://agentclientprotocol.com/schema/"
"""The start of the bundles' identifiers. Each ends in its file's name, so that a relative reference
from one bundle to another means the same by identifier and by file. Nothing is fetched there."""

_PLAIN: Mapping[str, JsonSchema] = {
    "RequestId": {"type": ["null", "integer", "string"]},
    "Error": {
        "type": "object",
        "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
        "required": ["code", "message"],
    },
    "ExtRequest": {},
    "ExtResponse": {},
    "ExtNotification": {},
}
"""The envelope's types as JSON-RPC 2.0 defines them, where a protocol doesn't."""


def bundles(protocol: Protocol) -> dict[str, str]:
    """The stable and the unstable bundle, each as one JSON file."""
    parts = {Stability.STABLE: stable(protocol), Stability.UNSTABLE: protocol}
    return {
        f"schema/{file_name(protocol, stability)}": _text(bundle(part, stability))
        for stability, part in parts.items()
    }


def bundle(protocol: Protocol, stability: Stability) -> JsonSchema:
    """One schema for every message of a protocol, whole as it is given."""
    methods = {method.params: method for method in protocol.methods}
    definitions: JsonSchema = {
        name: definition(type_, methods.get(name)) for name, type_ in sorted(protocol.types.items())
    }
    entry_points = [name for name in _ENTRY_POINTS if name == "Any" or _methods(protocol, name)]
    head: JsonSchema = {
        "$comment": HEADER,
        "$schema": DIALECT,
        "$id": f"{HOME}{file_name(protocol, stability)}",
        "title": f"{protocol.title} v{protocol.version or 0}",
        "description": _description(stability, entry_points),
    }
    if protocol.version is not None:
        head["x-protocol-version"] = protocol.version
    if not protocol.methods:
        return {**head, "$defs": definitions}
    definitions |= {
        name: {"x-docs-ignore": True, **schema}
        for name, schema in _PLAIN.items()
        if name not in definitions
    }
    envelope = {
        name: schema
        for entry in entry_points
        for name, schema in _envelope(entry, _methods(protocol, entry)).items()
    }
    root = envelope.pop("AnyEnvelope")
    root_rules = {k: v for k, v in root.items() if k not in {"description", "x-docs-ignore"}}
    return {**head, **root_rules, "$defs": {**definitions, **envelope}}


def _stem(protocol: Protocol) -> str:
    return f"acp-v{protocol.version}" if protocol.version is not None else "acp"


def file_name(protocol: Protocol, stability: Stability) -> str:
    """The name of a bundle's file, which its identifier ends in."""
    suffix = "" if stability is Stability.STABLE else f".{stability.value}"
    return f"{_stem(protocol)}{suffix}.schema.json"


def _description(stability: Stability, entry_points: Iterable[str]) -> str:
    which = (
        "The stable part of the protocol."
        if stability is Stability.STABLE
        else "The whole protocol, with the parts that may still change."
    )
    sides = ", ".join(f"#/$defs/{entry}Envelope" for entry in entry_points if entry != "Any")
    return f"{which} The root takes any message, what one side sends: {sides}."


def _text(schema: JsonSchema) -> str:
    return encoded(schema, indent=2) + "\n"


def _methods(protocol: Protocol, entry: str) -> list[Method]:
    methods = [m for m in protocol.methods if m.side in _ENTRY_POINTS[entry]]
    specific = any(m.side is not Side.PROTOCOL for m in methods)
    return methods if specific else []


def _envelope(entry: str, methods: Iterable[Method]) -> dict[str, JsonSchema]:
    """The messages of one entry point: the dispatch, then one schema for each kind of message."""
    methods = list(methods)
    requests = [m for m in methods if m.kind is Kind.REQUEST]
    notifications = [m for m in methods if m.kind is Kind.NOTIFICATION]
    sender = "anyone" if entry == "Any" else f"the {entry.lower()} side"
    return {
        f"{entry}Envelope": {
            "x-docs-ignore": True,
            "description": f"Any message that {sender} sends.",
            "type": "object",
            "if": {"required": ["method"]},
            "then": {
                "if": {"required": ["id"]},
                "then": _ref(f"{entry}Request"),
                "else": _ref(f"{entry}Notification"),
            },
            "else": _ref(f"{entry}Response"),
        },
        f"{entry}Request": _call(f"A request that {sender} sends.", requests, "ExtRequest"),
        f"{entry}Notification": _call(
            f"A notification that {sender} sends.", notifications, "ExtNotification"
        ),
        f"{entry}Response": _response(f"An answer that {sender} sends."),
    }


def _call(description: str, methods: list[Method], extension: str) -> JsonSchema:
    names: list[JsonValue] = [m.name for m in methods]
    known: list[JsonValue] = [{"enum": names}] if names else []
    identified = extension == "ExtRequest"
    properties: JsonSchema = {
        "jsonrpc": {"const": "2.0"},
        "method": {"type": "string", "anyOf": [*known, {"pattern": EXTENSION_PATTERN}]},
    }
    if identified:
        properties["id"] = _ref("RequestId")
    return {
        "x-docs-ignore": True,
        "description": description,
        "type": "object",
        "properties": {**properties, "result": False, "error": False},
        "required": ["jsonrpc", *(["id"] if identified else []), "method"],
        "allOf": [
            *(_binding({"const": m.name}, _ref(m.params), required=True) for m in methods),
            _binding({"pattern": EXTENSION_PATTERN}, _ref(extension), required=False),
        ],
    }


def _binding(method: JsonSchema, params: JsonSchema, *, required: bool) -> JsonSchema:
    then: JsonSchema = {"properties": {"params": params}}
    if required:
        then["required"] = ["params"]
    return {"if": {"properties": {"method": method}}, "then": then}


def _response(description: str) -> JsonSchema:
    return {
        "x-docs-ignore": True,
        "description": f"{description} Judge `result` by the method that the request called.",
        "type": "object",
        "properties": {"jsonrpc": {"const": "2.0"}},
        "required": ["jsonrpc", "id"],
        "if": {"required": ["error"]},
        "then": {
            "properties": {
                "id": {"anyOf": [_ref("RequestId"), {"type": "null"}]},
                "error": _ref("Error"),
                "result": False,
            }
        },
        "else": {
            "properties": {"id": _ref("RequestId"), "result": _ref("ExtResponse")},
            "required": ["result"],
        },
    }


def _ref(name: str) -> JsonSchema:
    return {"$ref": f"#/$defs/{name}"}
