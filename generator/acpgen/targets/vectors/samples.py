"""Sample values of the types of a protocol: the least that is valid, and everything at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from acpgen.model import (
    Array,
    ClosedEnum,
    JsonValue,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.types.json_types import JsonType, taken

Members = dict[str, JsonValue]

UNKNOWN_TAG = "_custom"
"""A tag value that no protocol names: what starts so is its users' own."""
SAMPLE_MEMBER = "sample"
"""How a member is called whose name the schema leaves open."""

_TEXTS: Mapping[str | None, str] = {
    "uri": "https://example.com/",
    "date-time": "2026-01-02T03:04:05Z",
}
_BASE64 = "eA=="
_PLAIN = "x"
LONGEST = 10_000
"""How many characters or items a vector shows at most: limits beyond have none."""
_DEEPEST = 12
"""How many named types `whole` goes down before it takes the least of what comes next."""


class SampleError(ValueError):
    """A type has no value that could be worked out."""


class Samples:
    """Makes values of the types of one protocol, always the same ones."""

    def __init__(self, protocol: Protocol) -> None:
        self._types = protocol.types
        self._examples = tuple(
            string
            for type_ in protocol.types.values()
            for example in type_.examples
            for string in _strings(example)
        )

    def least(self, type_: Type) -> JsonValue:
        """A valid value with as little in it as can be.

        Raises:
            SampleError: the type has no finite value, or a pattern that no example matches.
        """
        return self._value(type_, frozenset(), full=False)

    def whole(self, type_: Type) -> JsonValue:
        """A valid value with every member that it may have, and one item in every array.

        Of a choice it is the first alternative. A type inside itself is as small as can be.

        Raises:
            SampleError: as for `least`.
        """
        return self._value(type_, frozenset(), full=True)

    def members(self, object_: Object, without: Type | None = None) -> Members:
        """The least members of an object, but for what one of its bases or unions asks for."""
        return self._object(object_, frozenset(), full=False, without=without)

    def variant(self, union: Union, variant: Variant, *, full: bool) -> JsonValue:
        """The least value of a variant, or all of it."""
        return self._variant(union, variant, frozenset(), full=full)

    def takes(self, type_: Type) -> frozenset[JsonType]:
        """The JSON types of the values that a type may accept."""
        return taken(type_, self._types)

    def body(self, name: TypeName) -> Type:
        """What a named type stands for."""
        return self._types[name].body

    def lacks(self, type_: Type, value: JsonValue) -> bool:
        """Whether a value is no instance of a type because a member is missing in it."""
        match type_, value:
            case Ref(name=name), _:
                return self.lacks(self._types[name].body, value)
            case Object(), dict():
                own = any(p.required and p.name not in value for p in type_.properties)
                return own or any(self.lacks(base, value) for base in type_.bases)
            case Array(), list():
                return any(self.lacks(type_.items, item) for item in value)
            case _:
                return False

    def _value(self, type_: Type, above: frozenset[TypeName], *, full: bool) -> JsonValue:
        match type_:
            case Ref(name=name):
                return self._named(name, above, full=full)
            case Nullable(of=inner):
                return self._value(inner, above, full=full)
            case Array(items=items):
                count = _affordable(type_.min_items or 0, "items")
                if full and type_.max_items != 0:
                    count = max(count, 1)
                return [self._value(items, above, full=full) for _ in range(count)]
            case Map(values=values):
                return {SAMPLE_MEMBER: self._value(values, above, full=True)} if full else {}
            case Object():
                return {**self._object(type_, above, full=full)}
            case Union():
                return self._first(type_, above, full=full)
            case OpenEnum() | ClosedEnum():
                return type_.values[0].value
            case Scalar():
                return self._scalar(type_)

    def _named(self, name: TypeName, above: frozenset[TypeName], *, full: bool) -> JsonValue:
        body = self._types[name].body
        if full and (name in above or len(above) == _DEEPEST):
            return self._value(body, frozenset({name}), full=False)
        if name in above:
            raise SampleError(f"{name} holds itself without end: make a member optional")
        return self._value(body, above | {name}, full=full)

    def _object(
        self,
        object_: Object,
        above: frozenset[TypeName],
        *,
        full: bool,
        without: Type | None = None,
    ) -> Members:
        members: Members = {
            p.name: self._value(p.type, above, full=full)
            for p in object_.properties
            if p.required or full
        }
        parts: tuple[Type, ...] = (*object_.bases, *object_.unions)
        for part in parts:
            value = {} if part is without else self._value(part, above, full=full)
            if isinstance(value, dict):
                members |= value
        return members

    def _first(self, union: Union, above: frozenset[TypeName], *, full: bool) -> JsonValue:
        """A value of the first variant that does not lead back to where it stands."""
        for variant in union.variants[:-1]:
            try:
                return self._variant(union, variant, above, full=full)
            except SampleError:
                continue
        return self._variant(union, union.variants[-1], above, full=full)

    def _variant(
        self, union: Union, variant: Variant, above: frozenset[TypeName], *, full: bool
    ) -> JsonValue:
        body = self._value(variant.body, above, full=full)
        tag = UNKNOWN_TAG if variant.fallback else variant.value
        if tag is None or union.tag is None or not isinstance(body, dict):
            return body
        return {union.tag: tag, **body} | {union.tag: tag}

    def _scalar(self, scalar: Scalar) -> JsonValue:
        match scalar.type:
            case ScalarType.STRING:
                return self._string(scalar)
            case ScalarType.INTEGER | ScalarType.NUMBER:
                return _number(scalar)
            case ScalarType.BOOLEAN:
                return True
            case ScalarType.NULL:
                return None
            case ScalarType.ANY:
                return {}

    def _string(self, scalar: Scalar) -> str:
        least, most = _affordable(scalar.min_length or 0, "characters"), scalar.max_length
        usual = _BASE64 if scalar.content_encoding else _TEXTS.get(scalar.format, _PLAIN)
        for text in (usual, _PLAIN * max(least, 1), "", *self._examples):
            fits = len(text) >= least and (most is None or len(text) <= most)
            if fits and (scalar.pattern is None or re.search(scalar.pattern, text)):
                return text
        raise SampleError(f"no string in any example matches {scalar.pattern}: put one in one")


def _affordable(count: int, unit: str) -> int:
    if count > LONGEST:
        raise SampleError(
            f"a value of at least {count} {unit} is more than the {LONGEST} of a vector"
        )
    return count


def _number(scalar: Scalar) -> int | float:
    if scalar.maximum is not None and scalar.maximum < 1:
        return scalar.maximum
    return 1 if scalar.minimum is None or scalar.minimum < 1 else scalar.minimum


def _strings(value: JsonValue) -> Iterator[str]:
    """Every string in a value, in order."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _strings(item)
        case dict():
            for member in value.values():
                yield from _strings(member)
        case _:
            return
