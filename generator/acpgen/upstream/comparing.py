"""Compare a released schema of upstream's with this one, definition by definition.

Both are compared as the model has them, so two spellings of the same meaning are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from acpgen.emit.jsonschema import JsonSchema, definition
from acpgen.model import JsonValue, Pointer, Protocol, Stability, append
from acpgen.targets.bundles import bundle
from acpgen.types.stability import stable
from acpgen.upstream.declared import NOTHING, Declared, Status, UpstreamDifference, value_of

_ABSENT = object()
_ENVELOPE = "x-docs-ignore"
_INSTANCES = frozenset({"default", "const", "enum"})
"""The keywords that hold no schemas."""


@dataclass(frozen=True, slots=True)
class _Own:
    """The value of a keyword that upstream may lack: that is not a difference."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class Comparison:
    """One definition: its status and its differences."""

    name: str
    status: Status
    differences: tuple[UpstreamDifference, ...] = ()


def view(theirs: Protocol, ours: Protocol) -> Protocol:
    """Return what to compare a release of theirs with: all of ours, or its stable part.

    Upstream releases the two separately. Theirs corresponds to the one with more of the same types:
    a stable release has types that are unstable here if upstream has made them stable since.
    """
    return min((stable(ours), ours), key=lambda part: len(part.types.keys() ^ theirs.types.keys()))


def compare(
    theirs: Protocol, release: JsonSchema, ours: Protocol, declared: Declared
) -> list[Comparison]:
    """Compare every definition, sorted by name. `release` is the JSON that theirs was loaded from.

    The envelope, which upstream writes out, is compared with the one that is derived here.
    """
    mine = view(theirs, ours)
    left = {**_definitions(theirs), **_envelope(release)}
    derived = _envelope(bundle(mine, Stability.UNSTABLE))
    right = {**_definitions(mine), **{n: s for n, s in derived.items() if n in left}}
    return [
        _compared(name, left.get(name), right.get(name), declared)
        for name in sorted(left.keys() | right.keys())
    ]


def _definitions(protocol: Protocol) -> JsonSchema:
    methods = {method.params: method for method in protocol.methods}
    return {name: definition(type_, methods.get(name)) for name, type_ in protocol.types.items()}


def _envelope(schema: JsonSchema) -> JsonSchema:
    """The definitions of an envelope that a schema writes out."""
    definitions = schema.get("$defs")
    if not isinstance(definitions, dict):
        return {}
    return {n: d for n, d in definitions.items() if isinstance(d, dict) and d.get(_ENVELOPE)}


def _compared(
    name: str, theirs: JsonValue | None, ours: JsonValue | None, declared: Declared
) -> Comparison:
    if theirs is None:
        return Comparison(name, Status.OURS_ONLY)
    if ours is None:
        return Comparison(name, Status.THEIRS_ONLY)
    left, right = (_bare(schema, declared) for schema in (theirs, ours))
    found = tuple(_differences(left, right, Pointer("")))
    return Comparison(name, Status.DIFFERENT if found else Status.EQUAL, found)


def _bare(schema: JsonValue, declared: Declared) -> object:
    """A schema without the keywords that don't count, and with those marked that are ours."""
    if isinstance(schema, list):
        return [_bare(item, declared) for item in schema]
    if isinstance(schema, dict):
        return {k: _value(k, v, declared) for k, v in schema.items() if k not in declared.keywords}
    return schema


def _value(keyword: str, value: JsonValue, declared: Declared) -> object:
    """The value of a keyword, without an order where order doesn't matter.

    Members may have the names of keywords, and instances hold no keywords.
    """
    if keyword in declared.ours:
        return _Own(value)
    if keyword == "properties" and isinstance(value, dict):
        return {name: _bare(member, declared) for name, member in value.items()}
    if keyword == "required" and isinstance(value, list):
        return {str(name): True for name in value}
    return value if keyword in _INSTANCES else _bare(value, declared)


def _differences(theirs: object, ours: object, pointer: Pointer) -> Iterator[UpstreamDifference]:
    if isinstance(ours, _Own) and theirs is _ABSENT:
        return
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in dict.fromkeys([*theirs, *ours]):
            pair = theirs.get(name, _ABSENT), ours.get(name, _ABSENT)
            yield from _differences(*pair, append(pointer, name))
    elif isinstance(theirs, list) and isinstance(ours, list):
        for index, pair in enumerate(zip_longest(theirs, ours, fillvalue=_ABSENT)):
            yield from _differences(*pair, append(pointer, index))
    elif type(theirs) is not type(ours) or theirs != ours:
        yield UpstreamDifference(pointer, _shown(theirs), _shown(ours))


def _shown(value: object) -> str:
    return NOTHING if value is _ABSENT else value_of(_stated(value))


def _stated(value: object) -> JsonValue:
    """A value as JSON again, without the marks of keywords that are ours."""
    match value:
        case _Own(value=inner):
            return inner
        case dict():
            return {str(name): _stated(member) for name, member in value.items()}
        case list():
            return [_stated(item) for item in value]
        case None | bool() | int() | float() | str():
            return value
        case _:
            raise AssertionError(type(value).__name__)
