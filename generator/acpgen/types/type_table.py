"""A protocol as a table of rows: what the judge needs of it, and nothing else.

The table of acpgen's own schema is generated as `acp_v2.type_table`, because it is read in a
fraction of the time that loading the schema takes. A row is a tuple: its first part names the kind
of type, and `acpgen.judge.type_checks` reads the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acp_wire.type_rows import Row, TypeTable
from acpgen.model import (
    Array,
    ClosedEnum,
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
    Tolerance,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.patterns import python_pattern
from acpgen.types.structure import is_key


def type_table(protocol: Protocol) -> TypeTable:
    """Return the table of a protocol.

    Raises:
        PatternError: a pattern can't be used; a schema that was loaded has none.
    """
    return TypeTable(
        protocol.version,
        tuple(map(method_row, protocol.methods)),
        _Rows(protocol),
    )


class _Rows(Mapping[str, Row]):
    """The rows of the types of a protocol, each made when it is needed."""

    def __init__(self, protocol: Protocol) -> None:
        self._types = protocol.types

    def __getitem__(self, name: str) -> Row:
        return row(self._types[TypeName(name)].body)

    def __contains__(self, name: object) -> bool:
        return name in self._types

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)


def row(type_: Type) -> Row:
    """Return the row of one type."""
    match type_:
        case Ref(name=name):
            return ("ref", str(name))
        case Nullable(of=inner):
            return ("nullable", row(inner))
        case Scalar():
            return _scalar(type_)
        case OpenEnum():
            return ("scalar", str(type_.type))
        case ClosedEnum():
            return ("listed", str(type_.type), tuple(each.value for each in type_.values))
        case Array():
            return ("array", row(type_.items), type_.min_items, type_.max_items)
        case Map():
            return ("map", row(type_.values))
        case Object():
            parts: tuple[Type, ...] = (*type_.bases, *type_.unions)
            rest = None if type_.additional is None else row(type_.additional)
            members = tuple(map(_member, type_.properties))
            return ("object", members, tuple(map(row, parts)), rest)
        case Union():
            variants = tuple(map(_variant, type_.variants))
            return ("union", type_.tag, type_.exclusive, variants)


def _scalar(scalar: Scalar) -> Row:
    lengths, bounds = (scalar.min_length, scalar.max_length), (scalar.minimum, scalar.maximum)
    if scalar.pattern is None and {*lengths, *bounds} == {None}:
        return ("any",) if scalar.type is ScalarType.ANY else ("scalar", str(scalar.type))
    pattern = scalar.pattern
    searched = None if pattern is None else python_pattern(pattern)
    return ("scalar", str(scalar.type), lengths, bounds, pattern, searched)


def _member(member: Property) -> Row:
    """Name, type, whether it is required, and how receivers accept malformed values."""
    tolerance = Tolerance() if is_key(member.type) else member.tolerance
    ways = (tolerance.default_on_error, tolerance.default_on_null, tolerance.skip_invalid_items)
    return (member.name, row(member.type), member.required, *(ways if tolerance else ()))


def _variant(variant: Variant) -> Row:
    """Its name for people, its type, the value of the tag that selects it, and if it takes all."""
    label = variant.title or variant.value or str(variant.name)
    return (label, row(variant.body), variant.value, variant.fallback)


def method_row(method: Method) -> Row:
    """Return the row of one method."""
    result = None if method.result is None else str(method.result)
    return (
        str(method.name),
        method.kind.value,
        method.side.value,
        str(method.params),
        result,
        method.key,
    )
