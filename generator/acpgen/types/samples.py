"""Sample values of types: the smallest, one with everything in it, and several at the limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain, combinations, islice

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
from acpgen.patterns import matches
from acpgen.types.json_types import JsonType
from acpgen.types.objects import FlatObject, as_object, flatten, resolve
from acpgen.types.scalar_samples import UNKNOWN, around, least_number, several_scalars, unlisted
from acpgen.types.taken_types import taken

Members = dict[str, JsonValue]

SAMPLE_MEMBER = "sample"
"""The name of a sample member of a map."""
LONGEST = 10_000
"""The number of characters, items or parts that a sample has at most."""

_TEXTS: Mapping[str | None, str] = {
    "uri": "https://example.com/",
    "date-time": "2026-01-02T03:04:05Z",
}
_BASE64 = "eA=="
_PLAIN = "x"
_DEEPEST = 12
"""How many named types inside each other `full` fills before it takes the least of the next."""
_DEEP = 5
"""How deep `several` varies a value."""
_FEW = 3
_MANY = 40


class SampleError(ValueError):
    """A type has no value that could be worked out."""


class TooManyPartsError(SampleError):
    """A value has more parts than a vector may have."""


class Samples:
    """Makes values of the types of one protocol, always the same ones."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._made = 0

    def least(self, type_: Type) -> JsonValue:
        """Return a valid value with as little in it as possible.

        Raises:
            SampleError: the type has no finite value, or a pattern that no example matches.
        """
        return self._whole(type_, full=False)

    def full(self, type_: Type) -> JsonValue:
        """Return a valid value with every member that it may have, and one item in every array.

        A union gives its first alternative. A type inside itself is as small as possible, and so
        is the whole value if it would be larger than `LONGEST`.

        Raises:
            SampleError: as for `least`.
        """
        try:
            return self._whole(type_, full=True)
        except TooManyPartsError:
            return self.least(type_)

    def members(self, object_: Object, without: Ref | Union | None = None) -> Members:
        """Return the least members of an object, but for those of one of its bases or unions.

        Raises:
            SampleError: as for `least`.
        """
        bases = {without.name} if isinstance(without, Ref) else ()
        flat = flatten(self._protocol, object_, bases)
        flat.unions = [union for union in flat.unions if union is not without]
        return self.frame(flat)

    def frame(self, flat: FlatObject) -> Members:
        """Return the required members, and those of one variant of each union.

        Raises:
            SampleError: as for `least`.
        """
        self._made = 0
        return self._object(flat, frozenset(), full=False)

    def variant(self, union: Union, variant: Variant, *, full: bool) -> JsonValue:
        """Return the least value of a variant, or a full one.

        Raises:
            SampleError: as for `least`.
        """
        self._made = 0
        return self._variant(union, variant, frozenset(), full=full)

    def tagged(self, variant: Variant, union: Union, value: JsonValue) -> JsonValue:
        """Return a value of a variant's body with a tag that selects the variant."""
        unknown = isinstance(value, dict) and value.get(union.tag or "") not in union.known
        if variant.fallback and unknown:
            return value
        return _selected(variant, union, value)

    def several(
        self, type_: Type, other: Type | None = None, depth: int = 0
    ) -> Iterator[JsonValue]:
        """Yield some values, the smallest first, also at the limits of the type and of `other`.

        A type without a sample yields none.
        """
        if depth > _DEEP:
            return
        match type_:
            case Ref():
                yield from self.several(resolve(self._protocol, type_), other, depth)
            case Nullable(of=inner):
                yield from self.several(inner, other, depth)
                yield None
            case Array():
                yield from self._arrays(type_, other, depth)
            case Object() | Map():
                yield from self._objects(flatten(self._protocol, as_object(type_)), depth)
            case Union():
                yield from self._alternatives(type_, depth)
            case Scalar():
                yield from several_scalars(type_, other)
            case OpenEnum() | ClosedEnum():
                yield from (value.value for value in type_.values)
                if isinstance(type_, OpenEnum):
                    yield unlisted(type_)

    def takes(self, type_: Type) -> frozenset[JsonType]:
        """Return the JSON types of the values that a type may accept."""
        return taken(type_, self._protocol.types)

    def body(self, name: TypeName) -> Type:
        """Return the body of a named type."""
        return self._protocol.types[name].body

    def lacks(self, type_: Type, value: JsonValue) -> bool:
        """True if a value is not of a type because a member is missing in it."""
        match resolve(self._protocol, type_), value:
            case Object() as object_, dict():
                members = flatten(self._protocol, object_).members.values()
                return any(member.required and member.name not in value for member in members)
            case Array(items=items), list():
                return any(self.lacks(items, item) for item in value)
            case _:
                return False

    def _whole(self, type_: Type, *, full: bool) -> JsonValue:
        self._made = 0
        return self._value(type_, frozenset(), full=full)

    def _value(self, type_: Type, above: frozenset[TypeName], *, full: bool) -> JsonValue:
        self._count_part()
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
            case Object() | Map():
                flat = flatten(self._protocol, as_object(type_))
                members = self._object(flat, above, full=full)
                if full and isinstance(type_, Map):
                    members[SAMPLE_MEMBER] = self._value(type_.values, above, full=True)
                return {**members}
            case Union():
                return self._first(type_, above, full=full)
            case OpenEnum() | ClosedEnum():
                return _first_of(type_)
            case Scalar():
                return self._scalar(type_)

    def _count_part(self) -> None:
        """Keep the value from becoming too large: members of members can repeat without end."""
        self._made += 1
        if self._made > LONGEST:
            raise TooManyPartsError(
                f"a value of more than {LONGEST} parts is too large for a vector"
            )

    def _named(self, name: TypeName, above: frozenset[TypeName], *, full: bool) -> JsonValue:
        body = resolve(self._protocol, Ref(name))
        if full and (name in above or len(above) == _DEEPEST):
            return self._value(body, frozenset({name}), full=False)
        if name in above:
            raise SampleError(f"{name} holds itself without end: make a member optional")
        return self._value(body, above | {name}, full=full)

    def _object(self, flat: FlatObject, above: frozenset[TypeName], *, full: bool) -> Members:
        members: Members = {
            member.name: self._value(member.type, above, full=full)
            for member in flat.members.values()
            if member.required or full
        }
        for union in flat.unions:
            value = self._first(union, above, full=full)
            members |= value if isinstance(value, dict) else {}
        return members

    def _first(self, union: Union, above: frozenset[TypeName], *, full: bool) -> JsonValue:
        """A value of the first variant that does not lead back to its own place."""
        for variant in union.variants[:-1]:
            try:
                return self._variant(union, variant, above, full=full)
            except SampleError:
                continue
        return self._variant(union, union.variants[-1], above, full=full)

    def _variant(
        self, union: Union, variant: Variant, above: frozenset[TypeName], *, full: bool
    ) -> JsonValue:
        value = self._value(variant.body, above, full=full)
        return _selected(variant, union, value)

    def _scalar(self, scalar: Scalar) -> JsonValue:
        match scalar.type:
            case ScalarType.STRING:
                return self._string(scalar)
            case ScalarType.INTEGER | ScalarType.NUMBER:
                return least_number(scalar)
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
            if fits and matches(scalar.pattern, text):
                return text
        raise SampleError(
            f"no string in any example matches {scalar.pattern}: add such a string to an example"
        )

    @cached_property
    def _examples(self) -> tuple[str, ...]:
        examples = chain.from_iterable(t.examples for t in self._protocol.types.values())
        return tuple(chain.from_iterable(map(_strings, examples)))

    def _arrays(self, array: Array, other: Type | None, depth: int) -> Iterator[JsonValue]:
        bounds = [array.min_items, array.max_items]
        if isinstance(other, Array):
            bounds += [other.min_items, other.max_items]
        for count in around(bounds, array.min_items or 0, array.max_items):
            if count == 0:
                yield []
            else:
                items = islice(self.several(array.items, None, depth + 1), _FEW)
                yield from ([item] * count for item in items)

    def _objects(self, flat: FlatObject, depth: int) -> Iterator[Members]:
        """The least object, then each member varied, then all members, then each variant."""
        try:
            least = self.frame(flat)
        except SampleError:
            return
        yield least
        some = {
            name: list(islice(self.several(member.type, None, depth + 1), _FEW))
            for name, member in flat.members.items()
        }
        needed = [name for name in some if flat.members[name].required]
        yield from (least | {name: value} for name in needed for value in some[name])
        full = {name: values[0] for name, values in some.items() if values} | least
        yield full
        for union in flat.unions:
            for branch in islice(self._alternatives(union, depth + 1), _MANY):
                if isinstance(branch, dict):
                    yield full | branch
        if flat.additional is not None:
            for value in islice(self.several(flat.additional, None, depth + 1), _FEW):
                yield least | {UNKNOWN: value}

    def _alternatives(self, union: Union, depth: int) -> Iterator[JsonValue]:
        values = [
            self.tagged(variant, union, value)
            for variant in sorted(union.variants, key=lambda v: v.fallback)
            for value in islice(self.several(variant.body, None, depth + 1), _FEW)
        ]
        yield from values
        if union.tag is None:
            for one, another in combinations(values, 2):
                if isinstance(one, dict) and isinstance(another, dict):
                    yield one | another


def _first_of(enum: OpenEnum | ClosedEnum) -> JsonValue:
    """The first value of an enumeration, or one that it does not list if it lists none."""
    if enum.values:
        return enum.values[0].value
    if isinstance(enum, ClosedEnum):
        raise SampleError("an enumeration has no value: keep one of its values stable")
    return unlisted(enum)


def _selected(variant: Variant, union: Union, value: JsonValue) -> JsonValue:
    """A value with the tag that selects a variant; of a fallback, with an unknown one."""
    tag = UNKNOWN if variant.fallback else variant.value
    if tag is None or union.tag is None or not isinstance(value, dict):
        return value
    return {union.tag: tag, **value} | {union.tag: tag}


def _affordable(count: int, unit: str) -> int:
    if count > LONGEST:
        raise SampleError(
            f"a value of at least {count} {unit} is more than the {LONGEST} of a sample"
        )
    return count


def _strings(value: JsonValue) -> Iterator[str]:
    """Every string in a value, in order."""
    match value:
        case str():
            yield value
        case list():
            yield from chain.from_iterable(map(_strings, value))
        case dict():
            yield from chain.from_iterable(map(_strings, value.values()))
        case _:
            return
