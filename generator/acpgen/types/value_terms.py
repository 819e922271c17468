"""Types of two protocols as terms: what both write alike is one and the same term.

A term is a set of JSON values, built from few kinds of sets by union, intersection and complement.
Texts, places and marks are left out. So are formats, which no schema of a message asserts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

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
from acpgen.patterns import portable
from acpgen.types.objects import constant, with_tag
from acpgen.types.structure import references


class ValueKind(StrEnum):
    """The kinds of JSON values; an integer is a number."""

    NULL = "null"
    BOOLEAN = "boolean"
    NUMBER = "number"
    TEXT = "text"
    ARRAY = "array"
    OBJECT = "object"


@dataclass(frozen=True, slots=True, eq=False)
class Simple:
    """Null, or both booleans."""

    kind: ValueKind


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Numbers, or whole ones only, from one bound to another."""

    whole: bool
    least: int | float | None
    most: int | float | None


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Strings of a length in code points, which match a pattern if there is one."""

    least: int
    most: int | None
    pattern: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Some strings or integers."""

    values: frozenset[str | int]


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Arrays of a length, whose items are all in one set."""

    item: Term
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class ListedMember:
    """A member of objects: its name, its values, and whether it may be absent."""

    name: str
    value: Term
    required: bool


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Objects with some members. All others are in `rest`; if it is None, only peers know any."""

    listed: tuple[ListedMember, ...]
    rest: Term | None


@dataclass(frozen=True, slots=True, eq=False)
class AnyOf:
    """The union of sets; the empty set if there are none. A tag may select one of them."""

    parts: tuple[Term, ...]
    tagged: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class AllOf:
    """The intersection of sets; all values if there are none."""

    parts: tuple[Term, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Not:
    """The complement of a set."""

    part: Term


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """The set of a named type, which may hold itself; `side` is None for one that both have."""

    side: int | None
    name: TypeName


@dataclass(frozen=True, slots=True, eq=False)
class OtherTags:
    """Objects whose tag no peer knows: what a fallback takes.

    The receiver's sets list no such tag, since no peer sends one that only a later version defines.
    """

    tag: str


Term = Simple | Numbers | Texts | Listed | Items | Members | AnyOf | AllOf | Not | Named | OtherTags


class Demand(NamedTuple):
    """A set that a value must be in, or must not be in.

    If it is `sent`, the set is of the schema of the sender, otherwise of that of the receiver.
    """

    term: Term
    positive: bool
    sent: bool = False


Demands = frozenset[Demand]


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value that was found."""

    value: JsonValue


class TermBook:
    """Makes the terms of two protocols, each once, so that equal ones are identical."""

    def __init__(self, old: Protocol, new: Protocol) -> None:
        self._protocols = (old, new)
        self._known: dict[tuple[object, ...], Term] = {}
        self._bodies: dict[Named, Term] = {}
        self._unions: dict[tuple[int, int], tuple[Union, tuple[Term, ...]]] = {}
        """The unions themselves are kept, so that no other object gets the identity of one."""
        self._alike = frozenset(old.types.keys() & new.types.keys())
        self._alike = frozenset(self._find_alike())
        self._bodies.clear()
        self._unions.clear()

    def term(self, type_: Type, side: int) -> Term:
        """Return the term of a type; `side` 0 is the old protocol, 1 the new one."""
        match type_:
            case Scalar():
                return self._scalar(type_)
            case OpenEnum(type=scalar):
                return self._scalar(Scalar(scalar))
            case ClosedEnum(values=values):
                return self.one(Listed(frozenset(value.value for value in values)))
            case Ref(name=name):
                return self._named(name, side)
            case Nullable(of=inner):
                null = self.one(Simple(ValueKind.NULL))
                return self.any_of(self.term(inner, side), null)
            case Array(items=items):
                least = type_.min_items or 0
                return self.one(Items(self.term(items, side), least, type_.max_items))
            case Map(values=values):
                return self.one(Members((), self.term(values, side)))
            case Object():
                return self._object(type_, side)
            case Union():
                return self._union(type_, side)

    def body(self, named: Named) -> Term:
        """Return the term that a named one refers to. A type that its protocol lacks is any."""
        if named not in self._bodies:
            side = named.side or 0
            definition = self._protocols[side].types.get(named.name)
            self._bodies[named] = (
                self.all_of() if definition is None else self.term(definition.body, side)
            )
        return self._bodies[named]

    def one(self, term: Term) -> Term:
        """Return the one term that equals this one. The order of parts makes no difference."""
        fields = (getattr(term, name) for name in term.__slots__)
        key = (type(term), *(frozenset(f) if isinstance(f, tuple) else f for f in fields))
        return self._known.setdefault(key, term)

    def any_of(self, *parts: Term) -> Term:
        """Return the union of some terms."""
        return parts[0] if len(parts) == 1 else self.one(AnyOf(parts))

    def all_of(self, *parts: Term) -> Term:
        """Return the intersection of some terms."""
        return parts[0] if len(parts) == 1 else self.one(AllOf(parts))

    def other_than(self, part: Term) -> Term:
        """Return the complement of a term."""
        return part.part if isinstance(part, Not) else self.one(Not(part))

    def objects_with(self, name: str, value: Term) -> Term:
        """Return the objects that have a member in some set."""
        return self.one(Members((ListedMember(name, value, required=True),), None))

    def variants(self, union: Union, side: int) -> tuple[Term, ...]:
        """Return what each variant of a union takes, alone."""
        key = (id(union), side)
        if key not in self._unions:
            terms = tuple(self._variant(variant, union, side) for variant in union.variants)
            self._unions[key] = union, terms
        return self._unions[key][1]

    def some_item(self, item: Term) -> Term:
        """Return the arrays with an item in some set."""
        others = self.one(Items(self.other_than(item), 0, None))
        return self.all_of(self.one(Items(self.all_of(), 0, None)), self.other_than(others))

    def some_entry(self, value: Term) -> Term:
        """Return the objects with a member, whatever its name is, in some set."""
        others = self.one(Members((), self.other_than(value)))
        return self.all_of(self.one(Members((), None)), self.other_than(others))

    def several_of(self, parts: tuple[Term, ...]) -> Term:
        """Return what is in two or more of some terms."""
        return self.any_of(*(self.all_of(*pair) for pair in combinations(parts, 2)))

    def names(self, term: Term) -> frozenset[str]:
        """Return the members that some object of a term lists."""
        match term:
            case Members(listed=listed):
                return frozenset(member.name for member in listed)
            case AllOf(parts=parts) | AnyOf(parts=parts):
                return frozenset().union(*map(self.names, parts))
            case Named():
                return self.names(self.body(term))
            case _:
                return frozenset()

    def tags(self, term: Term, tag: str) -> frozenset[str | int]:
        """Return the values that the objects of a term list for a tag."""
        match term:
            case Members(listed=listed):
                found = [m.value for m in listed if m.name == tag]
                return frozenset().union(*(v.values for v in found if isinstance(v, Listed)))
            case AllOf(parts=parts) | AnyOf(parts=parts):
                return frozenset().union(*(self.tags(part, tag) for part in parts))
            case Not(part=part):
                return self.tags(part, tag)
            case Named():
                return self.tags(self.body(term), tag)
            case _:
                return frozenset()

    def _find_alike(self) -> set[TypeName]:
        """The names of the types that both protocols define alike, with all that they refer to."""
        old, new = (protocol.types for protocol in self._protocols)
        shared = {
            name
            for name in self._alike
            if self.term(old[name].body, 0) is self.term(new[name].body, 1)
        }
        uses = {name: set(references(old[name].body)) for name in shared}
        while True:
            kept = {name for name in shared if uses[name] <= shared}
            if kept == shared:
                return kept
            shared = kept

    def _named(self, name: TypeName, side: int) -> Term:
        return self.one(Named(None if name in self._alike else side, name))

    def _scalar(self, scalar: Scalar) -> Term:
        match scalar.type:
            case ScalarType.ANY:
                return self.all_of()
            case ScalarType.NULL:
                return self.one(Simple(ValueKind.NULL))
            case ScalarType.BOOLEAN:
                return self.one(Simple(ValueKind.BOOLEAN))
            case ScalarType.STRING:
                pattern = None if scalar.pattern is None else portable(scalar.pattern)
                return self.one(Texts(scalar.min_length or 0, scalar.max_length, pattern))
            case ScalarType.INTEGER | ScalarType.NUMBER:
                whole = scalar.type is ScalarType.INTEGER
                return self.one(Numbers(whole, scalar.minimum, scalar.maximum))

    def _object(self, object_: Object, side: int) -> Term:
        listed = tuple(
            ListedMember(member.name, self.term(member.type, side), member.required)
            for member in sorted(object_.properties, key=lambda member: member.name)
        )
        additional = object_.additional
        rest = None if additional is None else self._rest(additional, side)
        inner: tuple[Type, ...] = (*object_.bases, *object_.unions)
        parts = (self.term(part, side) for part in inner)
        return self.all_of(self.one(Members(listed, rest)), *parts)

    def _rest(self, type_: Type, side: int) -> Term | None:
        term = self.term(type_, side)
        return None if term is self.all_of() else term

    def _union(self, union: Union, side: int) -> Term:
        parts = self.variants(union, side)
        if union.tag is not None:
            return self.one(AnyOf(parts, tagged=True))
        whole = self.any_of(*parts)
        several = self.several_of(parts)
        return self.all_of(whole, self.other_than(several)) if union.exclusive else whole

    def _variant(self, variant: Variant, union: Union, side: int) -> Term:
        body = self.term(with_tag(variant, union.tag), side)
        if not variant.fallback or union.tag is None:
            return body
        tags = (self.term(constant(value), side) for value in union.known)
        known = (self.objects_with(union.tag, tag) for tag in tags)
        unknown = self.one(OtherTags(union.tag))
        return self.all_of(body, unknown, *(self.other_than(each) for each in known))
