"""The additions to upstream's schema as an overlay: retry classes, errors, and the key.

The document is an OpenAPI Overlay 1.0.0: actions with JSONPath targets (RFC 9535). Each action
removes its targets or merges something into them. The format is not bound to OpenAPI; any tool that
applies overlays to JSON can apply this one to a schema of upstream's. A target that finds nothing
does nothing, so one document serves the stable and the unstable schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from acpgen.emit.header import HEADER
from acpgen.emit.jsonschema import JsonSchema, definition, property_schema, undoes
from acpgen.model import KEY_TYPE, JsonValue, Method, Object, Protocol

_DEFINITIONS = "$defs"


@dataclass(frozen=True, slots=True)
class Action:
    """One change. `path` leads to its target by member names; None matches every member.

    It merges `update` into the target, or removes the target if `update` is None.
    """

    path: tuple[str | None, ...]
    description: str
    update: JsonSchema | None = None

    @property
    def target(self) -> str:
        """The path as JSONPath; a Normalized Path (RFC 9535 section 2.7) if it has no None."""
        return f"${''.join(map(_segment, self.path))}"


def overlay(protocol: Protocol) -> dict[str, str]:
    """The overlay of a protocol, as one JSON file."""
    version = protocol.version or 0
    document: JsonValue = document_of(protocol, actions(protocol))
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return {f"overlay/acp-v{version}.overlay.json": text}


def document_of(protocol: Protocol, actions: tuple[Action, ...]) -> JsonSchema:
    """Actions as an overlay document."""
    version = protocol.version or 0
    return {
        "overlay": "1.0.0",
        "x-comment": HEADER,
        "info": {
            "title": f"Retry classes and idempotency keys for {protocol.title} v{version}",
            "version": f"{version}",
        },
        "actions": [_written(action) for action in actions],
    }


def actions(protocol: Protocol) -> tuple[Action, ...]:
    """All actions for a schema of the same version. Applying them again changes nothing."""
    classified = (method for method in protocol.methods if method.retry is not None)
    return (*_clearing(protocol), *_key(protocol), *map(_annotating, classified))


def _clearing(protocol: Protocol) -> Iterator[Action]:
    """Remove the lists of an earlier application, because merging would append to them."""
    yield Action((_DEFINITIONS, None, "x-errors"), "Makes way for the errors of each method.")
    yield Action((_DEFINITIONS, None, "x-undoes"), "Makes way for what a late copy undoes.")
    for method in _keyed(protocol):
        path = (_DEFINITIONS, method.params, "properties", method.key)
        yield Action(path, f"Makes way for the key of {method.name}.")


def _key(protocol: Protocol) -> Iterator[Action]:
    keyed = _keyed(protocol)
    key = protocol.types.get(KEY_TYPE)
    if keyed and key is not None:
        yield Action((_DEFINITIONS,), "Adds the type of the key.", {KEY_TYPE: definition(key)})
    for method in keyed:
        body = protocol.resolve(protocol.types[method.params].body)
        members = body.properties if isinstance(body, Object) else ()
        for member in members:
            if member.name == method.key:
                yield Action(
                    (_DEFINITIONS, method.params, "properties"),
                    f"Adds the key to {method.name}. It stays optional.",
                    {member.name: property_schema(member)},
                )


def _annotating(method: Method) -> Action:
    return Action((_DEFINITIONS, method.params), f"Classifies {method.name}.", _annotations(method))


def _annotations(method: Method) -> JsonSchema:
    """Annotate the params of a method with its retry class, what a copy does, and its errors."""
    said: JsonSchema = {
        "x-retry-class": None if method.retry is None else method.retry.value,
        "x-resend": method.resend,
    }
    if method.errors:
        said["x-errors"] = [{"code": error.code, "when": error.when} for error in method.errors]
    if (undone := undoes(method)) is not None:
        said["x-undoes"] = undone
    return said


def _keyed(protocol: Protocol) -> list[Method]:
    return [method for method in protocol.methods if method.key is not None]


def _written(action: Action) -> JsonValue:
    head: JsonSchema = {"target": action.target, "description": action.description}
    if action.update is None:
        return {**head, "remove": True}
    return {**head, "update": action.update}


def _segment(name: str | None) -> str:
    """A segment of a path. JSONPath escapes a name like JSON, except for the quotes."""
    if name is None:
        return "[*]"
    escaped = json.dumps(name, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"['{escaped}']"
