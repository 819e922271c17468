"""Random instances of a protocol's types, and random damage to them: some thousand a second."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from acpgen.model import (
    Array,
    ClosedEnum,
    JsonValue,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Type,
    TypeName,
    Union,
)

STRINGS = (
    "",
    "a",
    "x y",
    "  pad  ",
    "/srv/a",
    "http://EXAMPLE.com/%7ea",
    "é",
    "e\u0301",
    "\U0001f600",
    "line\n",
    "\u2028",
    "\u0000",
    "_custom",
    "text",
    "null",
    "true",
    "5",
    "USD",
    "a" * 255,
    "a" * 256,
    "\U0001f600" * 255,
    "\U0001f600" * 256,
    "e\u0301" * 127,
)
INTEGERS = (0, 1, -1, 7, 65535, 2**31, 2**32, 2**53 + 1, 2**63 - 1, -(2**63), 2**64, -32700)
NUMBERS = (0, 1, -1.5, 0.1, 0.5, 1.0, 1e308, 2**53 + 1)
REPLACEMENTS: tuple[JsonValue, ...] = (
    None,
    True,
    False,
    0,
    1,
    5,
    -3,
    5.0,
    1.5,
    2**40,
    "",
    "5",
    "1.5",
    "true",
    "yes",
    "zzz",
    "a" * 256,
    [],
    ["a"],
    [1],
    {},
    {"a": 1},
)
_DEEP = 3


def instances(protocol: Protocol, type_name: str, rng: Random) -> Iterator[Any]:
    """Valid instances of a type, without end. Every part of the type turns up sooner or later."""
    generator = _Generator(protocol, rng)
    while True:
        yield generator.value(Ref(TypeName(type_name)))


def mutate(value: JsonValue, rng: Random) -> Any:
    """A copy with one random change somewhere, which may or may not make it invalid."""
    root = [copy.deepcopy(value)]
    holder, key = rng.choice(list(_places(root)))
    here = holder[key]
    changes = [_replace]
    if isinstance(here, dict):
        changes += [_add, *([_delete, _delete, _rename] if here else [])]
    elif isinstance(here, list):
        changes += [_append]
    elif isinstance(here, str):
        changes += [_resize]
    rng.choice(changes)(holder, key, rng)
    return root[0]


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    keys = range(len(holder)) if isinstance(holder, list) else list(holder)
    for key in keys:
        yield holder, key
        if isinstance(holder[key], list | dict):
            yield from _places(holder[key])


def _replace(holder: Any, key: Any, rng: Random) -> None:
    holder[key] = copy.deepcopy(rng.choice(REPLACEMENTS))


def _add(holder: Any, key: Any, rng: Random) -> None:
    holder[key][rng.choice(("x_new", "_new", "meta"))] = rng.choice((1, "s", None))


def _resize(holder: Any, key: Any, rng: Random) -> None:
    """Make a string as long as it may be at most, one longer, or empty."""
    character = holder[key][:1] or "a"
    holder[key] = character * rng.choice((0, 255, 256))


def _append(holder: Any, key: Any, rng: Random) -> None:
    holder[key].append(copy.deepcopy(rng.choice(REPLACEMENTS)))


def _delete(holder: Any, key: Any, rng: Random) -> None:
    del holder[key][rng.choice(list(holder[key]))]


def _rename(holder: Any, key: Any, rng: Random) -> None:
    """Give a member the name that it has in Python, or a wrong one."""
    member = rng.choice(list(holder[key]))
    value = holder[key].pop(member)
    renamed = snake(member)
    holder[key][renamed if renamed != member else f"{member}_"] = value


def snake(name: str) -> str:
    """`sessionId` to `session_id`, `_meta` to `meta`."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower().lstrip("_")


class _Generator:
    def __init__(self, protocol: Protocol, rng: Random) -> None:
        self._protocol = protocol
        self._rng = rng

    def value(self, type_: Type, depth: int = 0) -> Any:
        match type_:
            case Ref(name=name):
                return self.value(self._protocol.types[name].body, depth)
            case Nullable(of=inner):
                return None if self._rng.random() < 0.2 else self.value(inner, depth)
            case Array():
                return self._array(type_, depth)
            case Map():
                return self._map(type_, depth)
            case Object():
                return self._object(type_, depth)
            case Union():
                return self._branch(type_, depth)
            case ClosedEnum():
                return self._rng.choice(type_.values).value
            case OpenEnum():
                other = STRINGS if type_.type is ScalarType.STRING else INTEGERS[:7]
                known = self._rng.random() < 0.7
                return self._rng.choice(type_.values).value if known else self._rng.choice(other)
            case Scalar():
                return self._scalar(type_)

    def _array(self, array: Array, depth: int) -> list[Any]:
        least = array.min_items or 0
        most = min(array.max_items or 2, 2 if depth < _DEEP else 1)
        length = self._rng.randint(least, max(least, most))
        return [self.value(array.items, depth + 1) for _ in range(length)]

    def _map(self, map_: Map, depth: int) -> dict[str, Any]:
        names = ("p", "q", "meta", "_meta")
        return {
            self._rng.choice(names): self.value(map_.values, depth + 1)
            for _ in range(self._rng.randrange(3))
        }

    def _branch(self, union: Union, depth: int) -> Any:
        variant = self._rng.choice(union.variants)
        body = self.value(variant.body, depth)
        if union.tag is None or not isinstance(body, dict):
            return body
        if variant.fallback:
            unknown = [string for string in STRINGS if string not in union.known]
            return {**body, union.tag: self._rng.choice(unknown)}
        return body if variant.value is None else {union.tag: variant.value, **body}

    def _object(self, object_: Object, depth: int) -> dict[str, Any]:
        branches = [self.value(union, depth) for union in object_.unions]
        # A member of a branch narrows the same member around it, so the branch decides.
        settled = {
            p.name
            for union in object_.unions
            for variant in union.variants
            if isinstance(variant.body, Object)
            for p in variant.body.properties
        } | {union.tag for union in object_.unions}
        members: dict[str, Any] = {}
        for base in object_.bases:
            members |= self.value(base, depth)
        for property_ in object_.properties:
            if property_.name not in settled and self._has(property_, depth):
                members[property_.name] = self.value(property_.type, depth + 1)
        for branch in branches:
            members |= branch
        if self._rng.random() < 0.12:
            self._add_unknown(members, object_, depth)
        return members

    def _has(self, property_: Property, depth: int) -> bool:
        return property_.required or self._rng.random() < (0.6 if depth < _DEEP else 0.2)

    def _add_unknown(self, members: dict[str, Any], object_: Object, depth: int) -> None:
        """A member that the type doesn't list; it may be called like a listed one is in Python."""
        listed = {p.name for p in object_.properties}
        names = ["x_unknown", "_acme/x", "meta", *(snake(name) for name in sorted(listed))]
        name = self._rng.choice([name for name in names if name not in listed | members.keys()])
        values = object_.additional or Scalar(ScalarType.ANY)
        members[name] = self.value(values, depth + 1)

    def _scalar(self, scalar: Scalar) -> Any:
        choice = self._rng.choice
        low = -(2**70) if scalar.minimum is None else scalar.minimum
        high = 1e309 if scalar.maximum is None else scalar.maximum
        match scalar.type:
            case ScalarType.STRING:
                least, most = scalar.min_length or 0, scalar.max_length or 2**20
                fitting = [s for s in STRINGS if least <= len(s) <= most]
                if scalar.pattern is not None:
                    fitting = [s for s in fitting if re.search(scalar.pattern, s)]
                return choice(fitting)
            case ScalarType.INTEGER:
                return choice([n for n in INTEGERS if low <= n <= high])
            case ScalarType.NUMBER:
                return choice([n for n in NUMBERS if low <= n <= high])
            case ScalarType.BOOLEAN:
                return choice((True, False))
            case ScalarType.NULL:
                return None
            case ScalarType.ANY:
                return copy.deepcopy(choice((*REPLACEMENTS, 0.1, "é", [None, {"meta": {}}])))
