"""Types as conditions: Python expressions that are true of the values a type accepts.

In a condition, `HOLE` stands for the value. `fill` puts an expression there, which is evaluated
once and first, so that a condition may name its value as often as it needs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

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

HOLE = "\0"
TRUE = "True"

_IS_SCALAR: Mapping[ScalarType, str] = {
    ScalarType.STRING: f"type({HOLE}) is str",
    ScalarType.INTEGER: f"type({HOLE}) is int",
    ScalarType.NUMBER: f"(type({HOLE}) is float or type({HOLE}) is int)",
    ScalarType.BOOLEAN: f"type({HOLE}) is bool",
    ScalarType.NULL: f"{HOLE} is None",
    ScalarType.ANY: TRUE,
}


Define = Callable[[str, Object | Union], str]
"""Writes a function for a type, called so if it can, and returns what it is called."""


class Conditions:
    """The conditions of one protocol's types.

    `functions` are the names of their functions. What is no condition and has none yet is given to
    `define`.
    """

    def __init__(
        self, protocol: Protocol, functions: Mapping[TypeName, str], define: Define
    ) -> None:
        self._protocol = protocol
        self._functions = functions
        self._define = define
        self.patterns: dict[str, str] = {}

    def of(self, type_: Type, name: str, depth: int = 0) -> str:
        """The condition of a type; `name` is what a function for it could be called."""
        match type_:
            case Scalar():
                return self._scalar(type_)
            case OpenEnum():
                return _IS_SCALAR[type_.type]
            case ClosedEnum():
                values = [value.value for value in type_.values]
                return all_of([_IS_SCALAR[type_.type], _is_one_of(values)])
            case Nullable(of=inner):
                return any_of([f"{HOLE} is None", self.of(inner, name, depth)])
            case Array():
                return self._array(type_, name, depth)
            case Map(values=values):
                members = self._each(values, f"{HOLE}.values()", name, depth)
                return all_of([f"type({HOLE}) is dict", members])
            case Ref(name=named):
                body = self._protocol.types[named].body
                plain = isinstance(body, Scalar | OpenEnum | ClosedEnum)
                return self.of(body, name) if plain else f"{self._functions[named]}({HOLE})"
            case Object() | Union():
                return f"{self._define(name, type_)}({HOLE})"

    def takes_null(self, type_: Type) -> bool:
        """Whether a condition may hold for null, which is also what a missing member reads as."""
        match self._protocol.resolve(type_):
            case Scalar(type=scalar):
                return scalar in (ScalarType.ANY, ScalarType.NULL)
            case Nullable():
                return True
            case Union(variants=variants):
                return any(v.value is None and self.takes_null(v.body) for v in variants)
            case _:
                return False

    def _scalar(self, scalar: Scalar) -> str:
        parts = [_IS_SCALAR[scalar.type]]
        parts += _between(scalar.min_length, f"len({HOLE})", scalar.max_length)
        parts += _between(scalar.minimum, HOLE, scalar.maximum)
        if scalar.pattern is not None:
            parts.append(f"{self._pattern(scalar.pattern)}.search({HOLE}) is not None")
        return all_of(parts)

    def _array(self, array: Array, name: str, depth: int) -> str:
        parts = [f"type({HOLE}) is list"]
        parts += _between(array.min_items, f"len({HOLE})", array.max_items)
        return all_of([*parts, self._each(array.items, HOLE, name, depth)])

    def _each(self, type_: Type, values: str, name: str, depth: int) -> str:
        """The condition that a type accepts all of some values."""
        condition = self.of(type_, f"{name}_item", depth + 1)
        if isinstance(type_, Ref) and condition != TRUE:
            return f"all(map({self._functions[type_.name]}, {values}))"
        item = f"item{'_' * depth}"
        return TRUE if condition == TRUE else f"all({fill(condition, item)} for {item} in {values})"

    def _pattern(self, pattern: str) -> str:
        """The constant that holds a compiled pattern."""
        python = python_pattern(pattern)
        return self.patterns.setdefault(python, f"_PATTERN_{len(self.patterns)}")


def fill(condition: str, value: str, name: str = "part") -> str:
    """A condition about an expression; `name` is where the value is kept if it is needed again."""
    if condition.count(HOLE) < 2 or value.isidentifier():
        return condition.replace(HOLE, value)
    head, _, rest = condition.partition(HOLE)
    kept = f"{name} := {value}" if head.endswith("type(") else f"({name} := {value})"
    return f"{head}{kept}{rest.replace(HOLE, name)}"


def all_of(conditions: Iterable[str]) -> str:
    """The condition that all of some hold, in their order."""
    parts = [condition for condition in conditions if condition != TRUE]
    return " and ".join(parts) if parts else TRUE


def any_of(conditions: Iterable[str]) -> str:
    """The condition that any of some holds, ready to stand in another."""
    parts = list(conditions)
    return TRUE if TRUE in parts else f"({' or '.join(parts)})"


def _is_one_of(values: list[str | int]) -> str:
    known = [literal(value) if isinstance(value, str) else str(value) for value in values]
    return f"{HOLE} == {known[0]}" if len(known) == 1 else f"{HOLE} in {{{', '.join(known)}}}"


def _between(least: float | None, value: str, most: float | None) -> list[str]:
    if least is None and most is None:
        return []
    if least is not None and most is not None:
        return [f"{least} <= {value} <= {most}"]
    return [f"{value} <= {most}" if least is None else f"{value} >= {least}"]
