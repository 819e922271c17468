"""Types as conditions: Python expressions for the values that a type accepts.

In a condition, `HOLE` is the value. `fill` replaces it by an expression that is evaluated once, and
first, so a condition may use its value several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from acpgen.emit.python import literal
from acpgen.model import (
    Array,
    ClosedEnum,
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
)
from acpgen.patterns import python_pattern
from acpgen.types.structure import walk

HOLE = "\0"


@dataclass(frozen=True, slots=True)
class Condition:
    """A Python expression.

    It is a bool, or if it is `graded` one of `acp_wire.checking`'s `REFUSED`, `ACCEPTED` and
    `UNKNOWN`.
    """

    text: str
    graded: bool = False


TRUE = Condition("True")

_IS_SCALAR: Mapping[ScalarType, Condition] = {
    ScalarType.STRING: Condition(f"type({HOLE}) is str"),
    ScalarType.INTEGER: Condition(f"type({HOLE}) is int"),
    ScalarType.NUMBER: Condition(f"(type({HOLE}) is float or type({HOLE}) is int)"),
    ScalarType.BOOLEAN: Condition(f"type({HOLE}) is bool"),
    ScalarType.NULL: Condition(f"{HOLE} is None"),
    ScalarType.ANY: TRUE,
}


Define = Callable[[str, Object | Union], str]
"""Writes a function for a type, with this name if it is free, and returns its name."""


class Conditions:
    """The conditions of one protocol's types.

    `functions` are the names of their functions. A type without a condition or a function is given
    to `define`.
    """

    def __init__(
        self, protocol: Protocol, functions: Mapping[TypeName, str], define: Define
    ) -> None:
        self._protocol = protocol
        self._functions = functions
        self._define = define
        self._graded = _graded_types(protocol)
        self.patterns: dict[str, str] = {}

    def of(self, type_: Type, name: str, depth: int = 0) -> Condition:
        """The condition of a type; `name` is a name for its function, if it needs one."""
        match type_:
            case Scalar():
                return self._scalar(type_)
            case OpenEnum():
                return _IS_SCALAR[type_.type]
            case ClosedEnum():
                values = [value.value for value in type_.values]
                return all_of([_IS_SCALAR[type_.type], _is_one_of(values)])
            case Nullable(of=inner):
                return any_of([_IS_SCALAR[ScalarType.NULL], self.of(inner, name, depth)])
            case Array():
                return self._array(type_, name, depth)
            case Map(values=values):
                members = self._each(values, f"{HOLE}.values()", name, depth)
                return all_of([Condition(f"type({HOLE}) is dict"), members])
            case Ref(name=named):
                body = self._protocol.types[named].body
                if isinstance(body, Scalar | OpenEnum | ClosedEnum):
                    return self.of(body, name)
                return Condition(f"{self._functions[named]}({HOLE})", named in self._graded)
            case Object() | Union():
                return Condition(f"{self._define(name, type_)}({HOLE})", self.is_graded(type_))

    def is_graded(self, type_: Type) -> bool:
        """True if a value of a type may have a tag that the schema does not list."""
        return _may_be_unknown(type_, self._graded)

    def takes_null(self, type_: Type) -> bool:
        """True if a condition may hold for null, which a missing member reads as, too."""
        match self._protocol.resolve(type_):
            case Scalar(type=scalar):
                return scalar in (ScalarType.ANY, ScalarType.NULL)
            case Nullable():
                return True
            case Union(variants=variants):
                return any(v.value is None and self.takes_null(v.body) for v in variants)
            case _:
                return False

    def _scalar(self, scalar: Scalar) -> Condition:
        parts = [_IS_SCALAR[scalar.type]]
        parts += _between(scalar.min_length, f"len({HOLE})", scalar.max_length)
        parts += _between(scalar.minimum, HOLE, scalar.maximum)
        if scalar.pattern is not None:
            searched = f"{self._pattern(scalar.pattern)}.search({HOLE}) is not None"
            parts.append(Condition(searched))
        return all_of(parts)

    def _array(self, array: Array, name: str, depth: int) -> Condition:
        parts = [Condition(f"type({HOLE}) is list")]
        parts += _between(array.min_items, f"len({HOLE})", array.max_items)
        return all_of([*parts, self._each(array.items, HOLE, name, depth)])

    def _each(self, type_: Type, values: str, name: str, depth: int) -> Condition:
        """The condition that a type accepts all values of an array or object."""
        condition = self.of(type_, f"{name}_item", depth + 1)
        if condition == TRUE:
            return TRUE
        item = f"item{'_' * depth}"
        if condition.graded:
            check = condition.text.removesuffix(f"({HOLE})")
            if not check.isidentifier():
                check = f"lambda {item}: {fill(condition, item).text}"
            return Condition(f"each({check}, {values})", graded=True)
        if isinstance(type_, Ref):
            return Condition(f"all(map({self._functions[type_.name]}, {values}))")
        return Condition(f"all({fill(condition, item).text} for {item} in {values})")

    def _pattern(self, pattern: str) -> str:
        """The constant that holds a compiled pattern."""
        python = python_pattern(pattern)
        return self.patterns.setdefault(python, f"_PATTERN_{len(self.patterns)}")


def fill(condition: Condition, value: str, name: str = "part") -> Condition:
    """A condition about an expression; `name` is where the value is kept if it is needed again."""
    text = condition.text
    if text.count(HOLE) < 2 or value.isidentifier():
        return Condition(text.replace(HOLE, value), condition.graded)
    head, _, rest = text.partition(HOLE)
    kept = f"{name} := {value}" if head.endswith("type(") else f"({name} := {value})"
    return Condition(f"{head}{kept}{rest.replace(HOLE, name)}", condition.graded)


def all_of(conditions: Iterable[Condition]) -> Condition:
    """The conjunction of conditions: graded ones last, the others in their order."""
    parts = in_order(conditions)
    graded = any(part.graded for part in parts)
    return Condition(" and ".join(part.text for part in parts), graded) if parts else TRUE


def in_order(conditions: Iterable[Condition]) -> list[Condition]:
    """The parts of a conjunction, to be joined by `and`: at most the last one is graded."""
    parts = [condition for condition in conditions if condition != TRUE]
    graded = [part for part in parts if part.graded]
    plain = [part for part in parts if not part.graded]
    if len(graded) < 2:
        return [*plain, *graded]
    return [*plain, Condition(f"combined({', '.join(part.text for part in graded)})", graded=True)]


def any_of(conditions: Iterable[Condition]) -> Condition:
    """The disjunction of conditions, in parentheses."""
    parts = list(conditions)
    if TRUE in parts:
        return TRUE
    text = f"({' or '.join(part.text for part in parts)})"
    return Condition(text, any(part.graded for part in parts))


def _is_one_of(values: list[str | int]) -> Condition:
    known = [literal(value) if isinstance(value, str) else str(value) for value in values]
    if len(known) == 1:
        return Condition(f"{HOLE} == {known[0]}")
    return Condition(f"{HOLE} in {{{', '.join(known)}}}")


def _between(least: float | None, value: str, most: float | None) -> list[Condition]:
    if least is None and most is None:
        return []
    if least is not None and most is not None:
        return [Condition(f"{least} <= {value} <= {most}")]
    return [Condition(f"{value} <= {most}" if least is None else f"{value} >= {least}")]


def _graded_types(protocol: Protocol) -> frozenset[TypeName]:
    """The types whose values may have a tag that the schema does not list, at any depth."""
    found: set[TypeName] = set()
    while True:
        more = {
            name
            for name, type_ in protocol.types.items()
            if name not in found and _may_be_unknown(type_.body, found)
        }
        if not more:
            return frozenset(found)
        found |= more


def _may_be_unknown(type_: Type, graded: AbstractSet[TypeName]) -> bool:
    return any(
        (isinstance(part, Ref) and part.name in graded)
        or (
            isinstance(part, Union)
            and bool(part.known)
            and any(variant.fallback for variant in part.variants if variant.value is None)
        )
        for part in walk(type_)
    )
