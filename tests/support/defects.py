"""One defect for every constraint of a protocol: a message that breaks nothing else.

Each type is visited once, at the first place that leads to it. The defect knows where it is, so
that the judge can be asked for exactly that, and which constraint it breaks, so that a protocol
without the constraint must not mind.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from acpgen.judge.message_verdict import MessageRule
from acpgen.model import (
    Array,
    ClosedEnum,
    Kind,
    Map,
    Method,
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
    Variant,
)

Put = Callable[[Any], Any]
"""Makes a value part of a larger one."""

ANY = Scalar(ScalarType.ANY)
STRINGS = ("x", "USD", "A$1")
"""A string for every pattern that there is."""


@dataclass(frozen=True)
class Constraint:
    """What a part of a type demands. The part is this very object, wherever it stands."""

    owner: TypeName
    part: Type | Property
    rule: MessageRule

    def __hash__(self) -> int:
        return hash((self.owner, id(self.part), self.rule))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constraint) and hash(self) == hash(other)

    def __str__(self) -> str:
        name = self.part.name if isinstance(self.part, Property) else type(self.part).__name__
        return f"{self.owner} {name} {self.rule}"

    def removed(self) -> Type | Property:
        """The part without the constraint."""
        if isinstance(self.part, Property):
            return replace(self.part, required=False)
        if isinstance(self.part, Union):
            return replace(self.part, exclusive=False)
        if self.rule in {MessageRule.TYPE, MessageRule.CONST, MessageRule.ENUM}:
            return ANY
        limit: dict[str, Any] = {self.rule.replace("-", "_"): None}
        return replace(self.part, **limit)


@dataclass(frozen=True)
class Defect:
    """A message with one defect.

    In a choice without a tag the judge has to guess what the value was meant to be: there
    (`guessed`) the defect may be reported at another alternative's member.
    """

    constraint: Constraint
    message: Any
    method: Method | None
    path: tuple[str | int, ...]
    recovered: bool
    guessed: bool


@dataclass(frozen=True)
class Place:
    """Where a value stands in a message: how to get there, and what is special about it."""

    owner: TypeName
    method: Method | None
    message: Put
    path: tuple[str | int, ...]
    recovered: bool = False
    skips_items: bool = False
    guessed: bool = False
    bare: bool = True
    """True if the whole value is the type's own; elsewhere it can't be of another JSON type."""

    def below(self, token: str | int, put: Put) -> Place:
        message = self.message
        return replace(
            self,
            message=lambda v: message(put(v)),
            path=(*self.path, token),
            skips_items=False,
            bare=True,
        )

    def among(self, put: Put) -> Place:
        """The same place for a type that has only some of the members."""
        message = self.message
        return replace(self, message=lambda v: message(put(v)), bare=False)


class Explorer:
    """Walks a protocol from the messages down."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self.seen: set[TypeName] = set()

    def defects(self) -> Iterator[Defect]:
        """Every defect of the params, the results and the error."""
        for method in self._protocol.methods:
            call: dict[str, Any] = {"jsonrpc": "2.0", "method": method.name}
            if method.kind is Kind.REQUEST:
                call["id"] = 1
            place = Place(method.params, None, _put(call, "params"), ("params",))
            yield from self._visit(Ref(method.params), place)
        answer = {"jsonrpc": "2.0", "id": 1}
        for method in self._protocol.methods:
            if method.result is not None:
                place = Place(method.result, method, _put(answer, "result"), ("result",))
                yield from self._visit(Ref(method.result), place)
        if (error := TypeName("Error")) in self._protocol.types:
            place = Place(error, None, _put(answer, "error"), ("error",))
            yield from self._visit(Ref(error), place)

    def minimal(self, type_: Type) -> Any:
        """A valid value with as little in it as can be."""
        match type_:
            case Ref(name=name):
                return self.minimal(self._protocol.types[name].body)
            case Nullable(of=inner):
                return self.minimal(inner)
            case Array():
                return [self.minimal(type_.items)] * (type_.min_items or 0)
            case Map():
                return {}
            case Object():
                return self._object(type_)
            case Union():
                return self._variant(type_, type_.variants[0])
            case OpenEnum() | ClosedEnum():
                return type_.values[0].value
            case Scalar():
                return _scalar(type_)

    def _object(self, type_: Object, without: Type | None = None) -> dict[str, Any]:
        parts: tuple[Type, ...] = (*type_.bases, *type_.unions)
        value = {p.name: self.minimal(p.type) for p in type_.properties if p.required}
        for part in parts:
            if part is not without:
                value |= self.minimal(part)
        return value

    def _variant(self, union: Union, variant: Variant) -> Any:
        body = self.minimal(variant.body)
        return body if variant.value is None else {union.tag: variant.value, **body}

    def _visit(self, type_: Type, place: Place) -> Iterator[Defect]:
        if isinstance(type_, Ref):
            if type_.name not in self.seen:
                self.seen.add(type_.name)
                body = self._protocol.types[type_.name].body
                yield from self._visit(body, replace(place, owner=type_.name))
            return
        if isinstance(type_, Nullable):
            yield from self._visit(type_.of, place)
            return
        if place.bare and type_ != ANY and not isinstance(type_, Union):
            yield self._defect(type_, MessageRule.TYPE, place, _misfit(type_))
        for rule, value in self._beyond(type_):
            yield self._defect(type_, rule, place, value)
        match type_:
            case Array():
                inside = place.below(0, lambda v: [v, *self.minimal(type_)[1:]])
                inside = replace(inside, recovered=place.recovered or place.skips_items)
                yield from self._visit(type_.items, inside)
            case Map():
                yield from self._visit(type_.values, place.below("k", _put({}, "k")))
            case Object():
                yield from self._members(type_, place)
            case Union() if not takes_all(type_):
                yield from self._choice(type_, place)

    def _defect(
        self, part: Type | Property, rule: MessageRule, place: Place, value: Any, *below: str
    ) -> Defect:
        constraint = Constraint(place.owner, part, rule)
        message, path = place.message(value), (*place.path, *below)
        return Defect(constraint, message, place.method, path, place.recovered, place.guessed)

    def _beyond(self, type_: Type) -> Iterator[tuple[MessageRule, Any]]:
        """Values of the right JSON type just beyond each limit."""
        match type_:
            case Scalar():
                yield from _beyond_scalar(type_)
            case ClosedEnum():
                yield (
                    (MessageRule.CONST if len(type_.values) == 1 else MessageRule.ENUM),
                    "none of them",
                )
            case Array(min_items=least, max_items=most):
                item = self.minimal(type_.items)
                if least:
                    yield MessageRule.MIN_ITEMS, [item] * (least - 1)
                if most is not None:
                    yield MessageRule.MAX_ITEMS, [item] * (most + 1)

    def _members(self, object_: Object, place: Place) -> Iterator[Defect]:
        whole = self._object(object_)
        for member in object_.properties:
            if member.required:
                rest = {name: value for name, value in whole.items() if name != member.name}
                yield self._defect(member, MessageRule.REQUIRED, place, rest, member.name)
            inside = place.below(member.name, _put(whole, member.name))
            inside = replace(
                inside,
                recovered=place.recovered or member.tolerance.default_on_error,
                skips_items=member.tolerance.skip_invalid_items,
            )
            yield from self._visit(member.type, inside)
        parts: tuple[Type, ...] = (*object_.bases, *object_.unions)
        for part in parts:
            others = self._object(object_, without=part)
            yield from self._visit(part, place.among(_merge(others)))
        if object_.additional is not None:
            inside = place.below("extra", _put(whole, "extra"))
            yield from self._visit(object_.additional, inside)

    def _choice(self, union: Union, place: Place) -> Iterator[Defect]:
        if union.exclusive:
            both = {n: v for u in union.variants for n, v in self._variant(union, u).items()}
            yield self._defect(union, MessageRule.ONE_OF, place, both)
        for variant in union.variants:
            if variant.value is not None:
                inside = place.among(_merge({union.tag or "": variant.value}))
            else:
                guessed = place.guessed or not variant.fallback
                inside = replace(place, guessed=guessed)
            yield from self._visit(variant.body, inside)


def _misfit(type_: Type) -> Any:
    """A value of another JSON type, and of none that an alternative could take either."""
    return ["misfit"] if isinstance(type_, Object | Map) else {"misfit": True}


def _put(whole: dict[str, Any], name: str) -> Put:
    return lambda value: {**whole, name: value}


def _merge(rest: dict[str, Any]) -> Put:
    return lambda members: {**rest, **members}


def takes_all(union: Union) -> bool:
    """True if one variant takes every value, so that what the others demand shows nowhere."""
    return any(variant.body == ANY for variant in union.variants)


def _scalar(scalar: Scalar) -> Any:
    match scalar.type:
        case ScalarType.STRING:
            return STRINGS[0] if scalar.pattern is None else _matching(scalar.pattern)
        case ScalarType.INTEGER | ScalarType.NUMBER:
            return 1 if scalar.minimum is None else scalar.minimum
        case ScalarType.BOOLEAN:
            return True
        case ScalarType.NULL:
            return None
        case ScalarType.ANY:
            return {}


def _matching(pattern: str) -> str:
    return next(string for string in STRINGS if re.search(pattern, string))


def _beyond_scalar(scalar: Scalar) -> Iterator[tuple[MessageRule, Any]]:
    if scalar.min_length:
        yield MessageRule.MIN_LENGTH, "k" * (scalar.min_length - 1)
    if scalar.max_length is not None:
        yield MessageRule.MAX_LENGTH, "k" * (scalar.max_length + 1)
    if scalar.pattern is not None:
        yield MessageRule.PATTERN, _matching(scalar.pattern) + "\n"
    if scalar.minimum is not None:
        yield MessageRule.MINIMUM, scalar.minimum - 1
    if scalar.maximum is not None:
        yield MessageRule.MAXIMUM, scalar.maximum + 1


def without(protocol: Protocol, constraint: Constraint) -> Protocol:
    """The protocol as if that one constraint were not in it."""
    owner = protocol.types[constraint.owner]
    body = _substitute(owner.body, constraint.part, constraint.removed())
    return replace(protocol, types={**protocol.types, constraint.owner: replace(owner, body=body)})


def _substitute(node: Any, old: object, new: object) -> Any:
    if node is old:
        return new
    if isinstance(node, tuple):
        return tuple(_substitute(each, old, new) for each in node)
    if isinstance(node, Variant | Property | Array | Map | Nullable | Object | Union):
        parts = {f.name: getattr(node, f.name) for f in dataclasses.fields(node)}
        changed = {
            name: _substitute(part, old, new) for name, part in parts.items() if name in _CHILDREN
        }
        return replace(node, **changed)
    return node


_CHILDREN = {
    *("type", "body", "items", "values", "of"),
    *("properties", "bases", "unions", "additional", "variants"),
}
