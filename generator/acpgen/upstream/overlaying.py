"""Applying this schema's annotations to a schema of upstream's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from acpgen.emit.jsonschema import JsonSchema
from acpgen.model import JsonValue, Kind, Method, Pointer, Protocol, RetryClass, append
from acpgen.targets.overlay import Action, Holders, Step, actions
from acpgen.targets.retry.classes import meaning
from acpgen.types.stability import drop_undone
from acpgen.upstream.declared import NOTHING

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Replacement:
    """A value of a schema that would be changed: the old and the new one, as JSON.

    The new one is the word `nothing` where it would be removed.
    """

    pointer: Pointer
    old: str
    new: str


def annotate(schema: JsonSchema, theirs: Protocol, ours: Protocol) -> JsonSchema:
    """Annotate the schema that `theirs` was loaded from. The one given stays as it is.

    A schema of our version gets all that the overlay has, except for methods that are `moved`, and
    except for undone methods that it doesn't have. One of another version gets only the retry
    classes of the methods that both have: what we state about errors and keys holds for our version
    only.
    """
    return apply(schema, _actions(theirs, ours))


def replacements(schema: JsonSchema, theirs: Protocol, ours: Protocol) -> list[Replacement]:
    """Return the values of the schema that `annotate` would change or remove, in its order.

    A value that it adds, or replaces by the same, is not one of them.
    """
    result = annotate(schema, theirs, ours)
    touched = dict.fromkeys(
        path for action in _actions(theirs, ours) for path in _touched(schema, action)
    )
    pairs = ((path, _at(schema, path), _at(result, path)) for path in touched)
    return [
        Replacement(append(Pointer(""), *path), _shown(old), _shown(new))
        for path, old, new in pairs
        if old is not _ABSENT and old != new
    ]


def apply(schema: JsonSchema, actions: Iterable[Action]) -> JsonSchema:
    """Carry out the actions of an overlay in order. An action without a target does nothing."""
    result = deepcopy(schema)
    for action in actions:
        _carry_out(result, action)
    return result


def _actions(theirs: Protocol, ours: Protocol) -> tuple[Action, ...]:
    if theirs.version != ours.version:
        return tuple(_shared(theirs, ours))
    left = {(method.params,) for method, _ in moved(theirs, ours)}
    known = _undoing_only(theirs, ours)
    return tuple(action for action in actions(known) if action.path[1:2] not in left)


def _undoing_only(theirs: Protocol, ours: Protocol) -> Protocol:
    """Our schema without the undone methods that upstream's doesn't have."""
    unknown = {m.name for m in ours.methods if theirs.method(m.name, Kind.REQUEST) is None}
    return replace(ours, methods=tuple(drop_undone(m, unknown) for m in ours.methods))


def moved(theirs: Protocol, ours: Protocol) -> Iterator[tuple[Method, Method]]:
    """Yield their methods with the params of one of ours of another name, kind or side.

    Each comes with ours, which doesn't say what a copy of theirs does.
    """
    own = {method.params: method for method in ours.methods}
    for method in theirs.methods:
        same = own.get(method.params)
        if same is not None and not _is_same(method, same):
            yield method, same


def shared(theirs: Protocol, ours: Protocol) -> Iterator[tuple[Method, RetryClass]]:
    """Yield their methods that are also ours, with our class if upstream has all that it needs.

    A keyed method needs a key: without one, no sender could use the promise of the class.
    """
    for method in theirs.methods:
        own = ours.method(method.name, method.kind)
        if own is None or not _is_same(method, own) or own.retry is None:
            continue
        if own.retry is not RetryClass.KEYED or method.key is not None:
            yield method, own.retry


def _shared(theirs: Protocol, ours: Protocol) -> Iterator[Action]:
    for method, retry in shared(theirs, ours):
        yield Action(
            ("$defs", method.params),
            f"Classifies {method.name}.",
            {"x-retry-class": retry.value, "x-resend": meaning(method, retry)},
        )


def _is_same(method: Method, own: Method) -> bool:
    return (method.name, method.kind, method.side) == (own.name, own.kind, own.side)


def _carry_out(schema: JsonSchema, action: Action) -> None:
    *way, last = action.path
    for parent in list(_places(schema, way)):
        for name in _names(parent, last):
            if action.update is None:
                del parent[name]
            else:
                parent[name] = _merged(parent[name], action.update)


def _touched(schema: JsonSchema, action: Action) -> Iterator[tuple[str, ...]]:
    """The paths to what an action would remove, or merge something into, where they lead anywhere.

    An action merges at its target, member by member.
    """
    for path in _paths(schema, action.path):
        if action.update is None:
            yield path
        else:
            yield from ((*path, name) for name in action.update)


def _paths(schema: JsonValue, path: Sequence[Step]) -> Iterator[tuple[str, ...]]:
    """The paths that a path with wildcards matches."""
    if not path:
        yield ()
    elif isinstance(schema, dict):
        for name in _names(schema, path[0]):
            yield from ((name, *rest) for rest in _paths(schema[name], path[1:]))


def _at(schema: JsonValue, path: Sequence[str]) -> object:
    """The value at a path."""
    value: object = schema
    for name in path:
        value = value.get(name, _ABSENT) if isinstance(value, dict) else _ABSENT
    return value


def _shown(value: object) -> str:
    return NOTHING if value is _ABSENT else json.dumps(value, ensure_ascii=False)


def _places(schema: JsonSchema, path: Sequence[Step]) -> Iterator[JsonSchema]:
    """The objects that a path leads to."""
    if not path:
        yield schema
        return
    for name in _names(schema, path[0]):
        inner = schema[name]
        if isinstance(inner, dict):
            yield from _places(inner, path[1:])


def _names(schema: JsonSchema, step: Step) -> list[str]:
    """The members of an object that a step of a path matches."""
    if step is None:
        return [*schema]
    if isinstance(step, Holders):
        return [name for name, value in schema.items() if _holds(value, step)]
    return [step] if step in schema else []


def _holds(value: JsonValue, step: Holders) -> bool:
    return isinstance(value, dict) and all(member in value for member in step.members)


def _merged(old: JsonValue, new: JsonValue) -> JsonValue:
    """Merge as Overlay 1.0.0 section 4.4.3 has it: into objects, behind lists, over all else."""
    if isinstance(old, dict) and isinstance(new, dict):
        added = {name: _merged(old[name], new[name]) if name in old else new[name] for name in new}
        return {**old, **added}
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    return new
