"""A function for each type of a protocol that tells whether a value is of it.

The functions allocate nothing and throw nothing. One that another one needs only, since a type has
no name, is not exported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from acpgen.model import (
    ANY,
    Array,
    ClosedEnum,
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
    Union,
)
from acpgen.targets.languages.reader_plans import absorbed_tags
from acpgen.targets.languages.typescript import string
from acpgen.targets.languages.typescript.prettier_layout import (
    WIDTH,
    Expression,
    FunctionCall,
    chain,
    guarded,
    inline,
    returned,
)

_INHERITED = frozenset(
    {
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)
"""The members that every object of JavaScript inherits."""

_FREE = Object()
"""An object with members of any name and type."""


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """A function: whether it is exported, its head, and its statements."""

    exported: bool
    head: str
    body: str


class CheckFunctions:
    """Writes the checks of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._tags = absorbed_tags(protocol)
        self._inner: list[CheckFunction] = []
        self._names: set[str] = set()

    def all(self) -> Iterator[CheckFunction]:
        """Yield a check for each type, by its name, and before it those that only it needs."""
        for name in sorted(self._protocol.types):
            body = self._protocol.types[name].body
            if name in self._tags and isinstance(body, Object):
                tag, value = self._tags[name]
                statements = self._return(self._object(body, "v", name, [_is(tag, value)]))
            else:
                statements = self._statements(body, name)
            yield from self._inner
            self._inner = []
            value = "v" if "v" in re.findall(r"\w+", statements) else "_"
            yield CheckFunction(
                True, guarded(f"is{name}", value, f"{value} is T.{name}"), statements
            )

    def _return(self, expression: Expression) -> str:
        return returned(expression, 2)

    def _statements(self, type_: Type, path: str) -> str:
        if isinstance(type_, Union) and type_.tag is not None:
            return self._tagged(type_, type_.tag, path)
        return self._return(self._test(type_, "v", path) or "true")

    def _function(self, type_: Type, path: str) -> str:
        """The name of a function that checks a type."""
        test = self._test(type_, "v", path)
        if isinstance(test, FunctionCall) and test.arguments == ("v",):
            return test.function
        name = _local(path, self._names)
        self._names.add(name)
        body = self._return(test or "true")
        self._inner.append(CheckFunction(False, guarded(name, "v", "boolean"), body))
        return name

    def _test(self, type_: Type, at: str, path: str) -> Expression | None:
        """The expression that is true for the values of a type; None if that is any value."""
        match type_:
            case Scalar() | OpenEnum() | ClosedEnum():
                return _plain(type_, at)
            case Ref(name=name):
                return FunctionCall(f"is{name}", (at,))
            case Nullable(of=inner):
                test = self._test(inner, at, path)
                return None if test is None else chain("||", [f"{at} === null", test])
            case Array() as array:
                return self._array(array, at, path)
            case Map(values=values):
                each = () if values == ANY else (self._function(values, path),)
                return FunctionCall("is.map" if each else "is.object", (at, *each))
            case Union(tag=None, variants=variants):
                tests = [self._test(v.body, at, f"{path} {v.name}") for v in variants]
                return _fitting(type_, tests)
            case Object() if at == "v" or type_ == _FREE:
                return self._object(type_, at, path, [])
            case Object() | Union():
                return FunctionCall(self._own_function(type_, path), (at,))

    def _own_function(self, type_: Object | Union, path: str) -> str:
        name = _local(path, self._names)
        self._names.add(name)
        body = self._statements(type_, path)
        self._inner.append(CheckFunction(False, guarded(name, "v", "boolean"), body))
        return name

    def _array(self, array: Array, at: str, path: str) -> Expression:
        test = self._test(array.items, "v", path)
        item = "is.anything" if test is None else self._function(array.items, f"{path} item")
        limits = []
        if array.min_items is not None or array.max_items is not None:
            limits.append(str(array.min_items or 0))
        if array.max_items is not None:
            limits.append(str(array.max_items))
        return FunctionCall("is.array", (at, item, *limits))

    def _object(self, body: Object, at: str, path: str, first: list[Expression]) -> Expression:
        tests: list[Expression] = [FunctionCall("is.object", (at,)), *first]
        tests += [FunctionCall(f"is{base.name}", (at,)) for base in body.bases]
        for member in body.properties:
            if (test := self._member(member, at, path)) is not None:
                tests.append(test)
        for union in body.unions:
            if union.tag is not None:
                tests.append(FunctionCall(self._own_function(union, f"{path} variant"), (at,)))
            elif (test := self._test(union, at, path)) is not None:
                tests.append(test)
        if body.additional is not None and body.additional != ANY:
            each = self._function(body.additional, f"{path} member")
            listed = [string(member.name) for member in body.properties]
            tests.append(FunctionCall("is.map", (at, each, f"[{', '.join(listed)}]")))
        return chain("&&", tests)

    def _member(self, member: Property, at: str, path: str) -> Expression | None:
        name = string(member.name)
        place = f"is.own({at}, {name})" if member.name in _INHERITED else f"{at}[{name}]"
        test = self._test(member.type, place, f"{path} {member.name}")
        if member.required:
            return test or f"is.has({at}, {name})"
        return None if test is None else chain("||", [f"{place} === undefined", test])

    def _tagged(self, union: Union, tag: str, path: str) -> str:
        """A switch on the tag, with what fits without it in every case."""
        tests = {v.name: self._test(v.body, "v", f"{path} {v.name}") for v in union.variants}
        bare = [tests[v.name] for v in union.variants if v.value is None and not v.fallback]
        others = [tests[v.name] for v in union.variants if v.value is None]
        cases = "".join(
            f"    case {string(v.value)}:\n"
            f"{returned(_fitting(union, [tests[v.name], *bare]) or 'true', 6)}\n"
            for v in union.variants
            if v.value is not None
        )
        default = returned(_fitting(union, others) or "true", 6)
        untagged = _fitting(union, bare) or "true"
        guard = f"  if (!is.object(v)) {returned(untagged, 0)}"
        if len(guard) > WIDTH:
            guard = f"  if (!is.object(v)) {{\n{returned(untagged, 4)}\n  }}"
        place = f"is.own(v, {string(tag)})" if tag in _INHERITED else f"v[{string(tag)}]"
        return f"{guard}\n  switch ({place}) {{\n{cases}    default:\n{default}\n  }}"


def _fitting(union: Union, tests: list[Expression | None]) -> Expression | None:
    """The expression that is true if enough alternatives fit; None if any value does."""
    if not tests:
        return "false"
    if union.exclusive and len(tests) > 1:
        return FunctionCall("is.one", tuple(inline(test or "true") for test in tests))
    known = [test for test in tests if test is not None]
    return chain("||", known) if len(known) == len(tests) else None


def _is(tag: str, value: str) -> Expression:
    return f"v[{string(tag)}] === {string(value)}"


def _literal(value: str | int) -> str:
    return string(value) if isinstance(value, str) else str(value)


def _plain(type_: Scalar | OpenEnum | ClosedEnum, at: str) -> Expression | None:
    match type_:
        case Scalar():
            return _scalar(type_, at)
        case OpenEnum(type=scalar):
            return FunctionCall(f"is.{scalar.value}", (at,))
        case ClosedEnum(values=values):
            literals = (_literal(each.value) for each in values)
            return chain("||", [f"{at} === {each}" for each in literals])


def _scalar(scalar: Scalar, at: str) -> Expression | None:
    minimum, maximum = scalar.minimum, scalar.maximum
    bounds = (_bound(minimum, "-Infinity"), _bound(maximum, "Infinity"))
    bounded = minimum is not None or maximum is not None
    match scalar.type:
        case ScalarType.ANY:
            return None
        case ScalarType.NULL:
            return f"{at} === null"
        case ScalarType.STRING:
            return _text(scalar, at)
        case ScalarType.INTEGER | ScalarType.NUMBER if bounded:
            return FunctionCall(f"is.{scalar.type.value}In", (at, *bounds))
        case type_:
            return FunctionCall(f"is.{type_.value}", (at,))


def _text(scalar: Scalar, at: str) -> Expression:
    tests: list[Expression] = []
    least, most = scalar.min_length, scalar.max_length
    if least is not None or most is not None:
        limits = (str(least or 0), "Infinity" if most is None else str(most))
        tests.append(FunctionCall("is.text", (at, *limits)))
    if scalar.pattern is not None:
        tests.append(FunctionCall("is.matching", (at, string(scalar.pattern))))
    return chain("&&", tests or [FunctionCall("is.string", (at,))])


def _bound(value: float | None, default: str) -> str:
    return default if value is None else str(value)


def _local(path: str, taken: set[str]) -> str:
    """A name for a function that is not exported, from the way to its type."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in path).split()
    name = "fits" + "".join(word[0].upper() + word[1:] for word in words)
    while name in taken:
        name += "Too"
    return name
