"""The additions to upstream's schema as an overlay: retry classes, errors, and the key.

The document is an OpenAPI Overlay 1.0.0: actions with JSONPath targets (RFC 9535). Each action
removes its targets or merges something into them. The format is not bound to OpenAPI; any tool that
applies overlays to JSON can apply this one to a schema of upstream's. A target that finds nothing
does nothing, so one document serves the stable and the unstable schema. What a stable method undoes
may be unstable: it is added only to a schema that has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from acpgen.emit.header import HEADER
from acpgen.emit.jsonschema import JsonSchema, definition, property_schema, undoes
from acpgen.model import (
    KEY_TYPE,
    JsonValue,
    Kind,
    Method,
    MethodName,
    Object,
    Protocol,
    Stability,
    TypeName,
)
from acpgen.report.document import encoded
from acpgen.types.stability import drop_undone

_DEFINITIONS = "$defs"


@dataclass(frozen=True, slots=True)
class Holders:
    """The step of a path that matches every object with all of these members."""

    members: tuple[str, ...]


Step = str | Holders | None
"""A step of a path: the name of a member, a condition, or None for every member."""


@dataclass(frozen=True, slots=True)
class Action:
    """One change to the target that `path` leads to.

    It merges `update` into the target, or removes the target if `update` is None.
    """

    path: tuple[Step, ...]
    description: str
    update: JsonSchema | None = None

    @property
    def target(self) -> str:
        """The path as JSONPath; a Normalized Path (RFC 9535 section 2.7) if it has only names."""
        return f"${''.join(map(_segment, self.path))}"


def overlay(protocol: Protocol) -> dict[str, str]:
    """The overlay of a protocol, as one JSON file."""
    version = protocol.version or 0
    document: JsonValue = document_of(protocol, actions(protocol))
    text = encoded(document, indent=2) + "\n"
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
    classified = [method for method in protocol.methods if method.retry is not None]
    return (
        *_clearing(protocol),
        *_key(protocol),
        *(action for method in classified for action in _annotating(protocol, method)),
    )


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


def _annotating(protocol: Protocol, method: Method) -> Iterator[Action]:
    """Annotate a method. The unstable methods that a stable one undoes need their own params."""
    unstable = _unstable(protocol, method)
    always = drop_undone(method, unstable.keys())
    yield Action(
        (_DEFINITIONS, method.params),
        f"Classifies {method.name}.",
        _annotations(always),
    )
    if unstable:
        undone: JsonSchema = {"methods": [*unstable]}
        if not always.undoes:
            undone["about"] = [*method.about]
        yield Action(
            (Holders(tuple(unstable.values())), method.params),
            f"Adds the unstable methods that a late copy of {method.name} undoes.",
            {"x-undoes": undone},
        )


def _unstable(protocol: Protocol, method: Method) -> dict[MethodName, TypeName]:
    """The unstable methods that a stable method undoes, with the names of their params."""
    if method.stability is not Stability.STABLE:
        return {}
    rows = (protocol.method(name, Kind.REQUEST) for name in method.undoes)
    return {
        row.name: row.params
        for row in rows
        if row is not None and row.stability is not Stability.STABLE
    }


def _annotations(method: Method) -> JsonSchema:
    """Annotate the params of a method with its retry class, what a copy does, and its errors."""
    stated: JsonSchema = {
        "x-retry-class": None if method.retry is None else method.retry.value,
        "x-resend": method.resend,
    }
    if method.errors:
        stated["x-errors"] = [{"code": error.code, "when": error.when} for error in method.errors]
    if (undone := undoes(method)) is not None:
        stated["x-undoes"] = undone
    return stated


def _keyed(protocol: Protocol) -> list[Method]:
    return [method for method in protocol.methods if method.key is not None]


def _written(action: Action) -> JsonValue:
    head: JsonSchema = {"target": action.target, "description": action.description}
    if action.update is None:
        return {**head, "remove": True}
    return {**head, "update": action.update}


def _segment(step: Step) -> str:
    """A segment of a path (RFC 9535 section 2.3)."""
    if step is None:
        return "[*]"
    if isinstance(step, Holders):
        return f"[?{' && '.join(f'@[{_quoted(name)}]' for name in step.members)}]"
    return f"[{_quoted(step)}]"


def _quoted(name: str) -> str:
    """A name in single quotes. JSONPath escapes it like JSON, except for the quotes."""
    escaped = json.dumps(name, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{escaped}'"
