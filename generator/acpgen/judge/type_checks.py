"""The checks and the methods of a table of types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from acp_wire.reader import JsonValue
from acp_wire.type_rows import Row, TypeTable
from acpgen.judge.check import (
    AnyCheck,
    ArrayCheck,
    Check,
    Faults,
    ListedCheck,
    Member,
    NullableCheck,
    ScalarCheck,
    TypedCheck,
)
from acpgen.judge.fault_limit import USUAL, FaultLimit
from acpgen.judge.object_check import MapCheck, ObjectCheck
from acpgen.judge.union_check import Tried, UnionCheck, VariantCheck
from acpgen.types.json_types import JsonType

_SCALARS: Mapping[str, frozenset[JsonType]] = {
    "string": frozenset({JsonType.STRING}),
    "integer": frozenset({JsonType.INTEGER}),
    "number": frozenset({JsonType.INTEGER, JsonType.NUMBER}),
    "boolean": frozenset({JsonType.BOOLEAN}),
    "null": frozenset({JsonType.NULL}),
    "any": frozenset(JsonType),
}


class JudgedMethod:
    """A method as the judge knows it: see `acpgen.model.Method`."""

    __slots__ = ("key", "kind", "name", "params", "result", "side")

    def __init__(self, row: Row) -> None:
        self.name: str
        self.kind: str
        self.side: str
        self.params: str
        self.result: str | None
        self.key: str | None
        self.name, self.kind, self.side, self.params, self.result, self.key = row  # type: ignore[assignment] # the table was made so


class TypeChecks:
    """The checks of the named types of a table, each made when it is first needed."""

    def __init__(self, table: TypeTable, limit: FaultLimit = USUAL) -> None:
        self._rows = table.types
        self._made: dict[str, Check] = {}
        self._tried: Tried = {}
        self._limit = limit

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    def of(self, name: str) -> Check:
        """The check of a named type."""
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = self._check(self._rows[name])
        return found

    def forget(self) -> None:
        """Let go of the values of the last message."""
        self._tried.clear()

    def _check(self, row: object) -> Check:
        kind, *parts = _row(row)
        match kind, parts:
            case "any", []:
                return AnyCheck()
            case "ref", [str(name)]:
                return RefCheck(name, self)
            case "nullable", [inner]:
                return NullableCheck(self._check(inner))
            case "scalar", [str(type_)]:
                return TypedCheck(_SCALARS[type_])
            case "scalar", [str(type_), *limits]:
                return ScalarCheck(_SCALARS[type_], *limits)  # type: ignore[arg-type] # the table was made so
            case "listed", [str(type_), tuple(values)]:
                return ListedCheck(_SCALARS[type_], values)
            case _:
                return self._container(str(kind), parts)

    def _container(self, kind: str, parts: Sequence[object]) -> Check:
        match kind, parts:
            case "array", [items, least, most]:
                return ArrayCheck(self._check(items), least, most, self._limit)  # type: ignore[arg-type] # the table was made so
            case "map", [values]:
                return MapCheck(self._check(values), self._limit)
            case "object", [members, others, rest]:
                return ObjectCheck(
                    [*map(self._member, _row(members))],
                    [*map(self._check, _row(others))],
                    None if rest is None else self._check(rest),
                    self._limit,
                )
            case "union", [tag, exclusive, variants]:
                return UnionCheck(
                    [*map(self._variant, _row(variants))],
                    None if tag is None else str(tag),
                    self._tried,
                    exclusive=bool(exclusive),
                )
            case _:
                raise ValueError(f"there is no type of the kind {kind}")

    def _member(self, row: object) -> Member:
        name, type_, required, *ways = _row(row)
        return Member(str(name), self._check(type_), bool(required), [*map(bool, ways)])

    def _variant(self, row: object) -> VariantCheck:
        label, type_, value, fallback = _row(row)
        selects = None if value is None else str(value)
        return VariantCheck(str(label), self._check(type_), selects, fallback=bool(fallback))


class RefCheck(Check):
    """Checks values against a named type."""

    __slots__ = ("_checks", "_name", "_target")

    def __init__(self, name: str, checks: TypeChecks) -> None:
        self._name = name
        self._checks = checks
        self._target: Check | None = None

    @property
    def taken(self) -> frozenset[JsonType]:  # noqa: D102
        return self.meant().taken

    def faults(self, value: JsonValue, tag: str | None, declared: Check) -> Faults:  # noqa: ARG002, D102
        target = self._target or self.meant()
        return target.faults(value, None, declared)

    def members(self, *, items: bool = True) -> Iterator[Member]:  # noqa: D102
        return self.meant().members(items=items)

    def meant(self) -> Check:  # noqa: D102
        if self._target is None:
            self._target = self._checks.of(self._name).meant()
        return self._target


def _row(value: object) -> Row:
    if not isinstance(value, tuple):
        raise TypeError(f"a row of a table of types is a tuple, not {type(value).__name__}")
    return value
