"""Single-file schemas for code generators: every shape has a name, and no keyword says "not".

The strict bundles say all with few words, and generators drop what they can't express: `not`, `if`,
`allOf` around a union, members around a `oneOf`. Here unions are multiplied out, inherited members
are listed in each object, tags are constants, and the tag of a fallback has a pattern that refuses
the known values. Annotations that change what generators make (`title`, `format`, `default`, `x-`
words) are left out. A value of a type is valid by both bundles or by none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from acpgen.emit.header import HEADER
from acpgen.emit.jsonschema import DIALECT, JsonSchema, limits, nullable
from acpgen.load.schema_text import SchemaError
from acpgen.model import (
    META,
    Array,
    ClosedEnum,
    JsonValue,
    Location,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Stability,
    Type,
    TypeName,
    Union,
)
from acpgen.patterns import portable, python_pattern
from acpgen.report.document import encoded
from acpgen.rulebook import Fault
from acpgen.targets.bundles import HOME, file_name
from acpgen.targets.models.conjunction import conjunction
from acpgen.targets.models.faults import shape_finding
from acpgen.targets.models.normalization import multiply_out
from acpgen.targets.models.python_shapes import Alias, Normal, Record, Shape, UnionShape
from acpgen.types.stability import stable

_LOOKAHEAD = "(?!"


def normalized(protocol: Protocol) -> dict[str, str]:
    """The stable and the unstable bundle for generators, each as one JSON file.

    Raises:
        SchemaError: a type can't be multiplied out; lint reports the same places.
    """
    stem = f"acp-v{protocol.version}" if protocol.version is not None else "acp"
    return {
        f"normalized/{stem}.schema.json": _text(
            normalized_bundle(stable(protocol), Stability.STABLE)
        ),
        f"normalized/{stem}.unstable.schema.json": _text(
            normalized_bundle(protocol, Stability.UNSTABLE)
        ),
    }


def normalized_bundle(protocol: Protocol, stability: Stability) -> JsonSchema:
    """One schema for the types of a protocol, whole as it is given. Its root has a member a type.

    Raises:
        SchemaError: a type can't be multiplied out; lint reports the same places.
    """
    normalization = multiply_out(protocol)
    _require_none(normalization.faults)
    writer = _Writer(normalization.shapes)
    names = sorted(normalization.shapes)
    definitions: JsonSchema = {name: writer.definition(name) for name in names}
    _require_none(writer.faults)
    version = protocol.version or 0
    return {
        "$comment": HEADER,
        "$schema": DIALECT,
        "$id": f"{HOME}normalized/{file_name(protocol, stability)}",
        "title": f"{protocol.title} v{version}",
        "description": "The types of the protocol, written for code generators: one member a type.",
        "type": "object",
        "properties": {name: _ref(name) for name in names},
        "$defs": definitions,
    }


def _require_none(faults: Sequence[Fault[Location]]) -> None:
    if faults:
        raise SchemaError([shape_finding(fault) for fault in faults])


def _text(schema: JsonSchema) -> str:
    return encoded(schema, indent=2) + "\n"


class _Writer:
    """Writes shapes as definitions, and collects the members that contradict inherited ones."""

    def __init__(self, shapes: Normal) -> None:
        self._shapes: Mapping[TypeName, Shape] = {n: shape for n, (_, shape) in shapes.items()}
        self.faults: list[Fault[Location]] = []

    def definition(self, name: TypeName) -> JsonSchema:
        """The schema of a name; references lead to the other definitions."""
        shape = self._shapes[name]
        match shape:
            case Record():
                return _described(shape.docs) | self._record(shape)
            case UnionShape():
                return _described(shape.docs) | self._choice(shape)
            case Alias(type=ClosedEnum() | OpenEnum() as enum):
                return _described(_with_values(shape.docs, enum)) | _type(enum)
            case Alias():
                return _described(shape.docs) | _type(shape.type)

    def _record(self, record: Record) -> JsonSchema:
        schema: JsonSchema = {"type": "object"}
        members = sorted(self._members(record), key=lambda p: (p.name == META, not p.required))
        if members:
            schema["properties"] = {p.name: _member(p) for p in members}
        if required := [p.name for p in members if p.required]:
            schema["required"] = list(required)
        additional = self._additional(record)
        if additional is not None:
            is_any = additional == Scalar(ScalarType.ANY)
            schema["additionalProperties"] = True if is_any else _type(additional)
        return schema

    def _choice(self, choice: UnionShape) -> JsonSchema:
        branches = [branch.type.name for branch in choice.branches]
        keyword = "oneOf" if any(map(self._is_exclusive, branches)) else "anyOf"
        return {keyword: [_ref(name) for name in branches]}

    def _is_exclusive(self, name: TypeName) -> bool:
        """True if an instance of a branch must not be one of its siblings."""
        return any(record.excludes for record in self._family(self._shapes[name]))

    def _members(self, record: Record) -> tuple[Property, ...]:
        members: tuple[Property, ...] = ()
        for relative in reversed(self._family(record)):
            members = conjunction(relative.members, members, self._refuse)
        return members

    def _additional(self, record: Record) -> Type | None:
        given = [r.additional for r in self._family(record) if r.additional is not None]
        typed = (type_ for type_ in given if type_ != Scalar(ScalarType.ANY))
        return next(typed, given[0] if given else None)

    def _family(self, shape: Shape) -> tuple[Record, ...]:
        """A record and all that it extends; of any other shape, nothing."""
        if not isinstance(shape, Record):
            return ()
        return (shape, *(one for base in shape.bases for one in self._family(self._shapes[base])))

    def _refuse(self, location: Location, message: str) -> None:
        self.faults.append(Fault(location, message))


def _described(docs: str) -> JsonSchema:
    return {"description": docs} if docs else {}


def _with_values(docs: str, enum: ClosedEnum | OpenEnum) -> str:
    """A description that lists the values, which are bare in the schema."""
    listed = [f"- `{value.value}`: {value.docs}" for value in enum.values if value.docs]
    return "\n\n".join(part for part in (docs, "\n".join(listed)) if part)


def _member(member: Property) -> JsonSchema:
    # A default would be written to the wire by what generators make, although it was not sent.
    return _described(member.docs) | _type(member.type)


def _ref(name: TypeName) -> JsonSchema:
    return {"$ref": f"#/$defs/{name}"}


def _type(type_: Type) -> JsonSchema:
    match type_:
        case Ref(name=name):
            return _ref(name)
        case Nullable(of=inner):
            return nullable(_type(inner))
        case Array(items=items):
            return {"type": "array", "items": _type(items), **limits(type_, _pattern)}
        case Map(values=values):
            is_any = values == Scalar(ScalarType.ANY)
            return {"type": "object", "additionalProperties": True if is_any else _type(values)}
        case ClosedEnum():
            return _listed(type_)
        case OpenEnum():
            return {"anyOf": [_listed(type_), {"type": type_.type.value}]}
        case Union():
            keyword = "oneOf" if type_.exclusive else "anyOf"
            return {keyword: [_type(variant.body) for variant in type_.variants]}
        case Scalar():
            return _scalar(type_)
        case Object():
            raise AssertionError("each object has a name once the types are multiplied out")


def _listed(enum: ClosedEnum | OpenEnum) -> JsonSchema:
    values: list[JsonValue] = [value.value for value in enum.values]
    if len(values) == 1:
        return {"type": enum.type.value, "const": values[0]}
    return {"type": enum.type.value, "enum": values}


def _scalar(scalar: Scalar) -> JsonSchema:
    if scalar.type is ScalarType.ANY:
        return {}
    return {"type": scalar.type.value, **limits(scalar, _pattern)}


def _pattern(pattern: str) -> str:
    """The spelling that all engines read alike, or the plainest one where they can't all read it.

    Python's `$` is also before a last line feed. What replaces it is a lookahead, which RE2 and
    Rust's `regex` refuse, so it is used only in patterns that have one anyway.
    """
    spelled: Callable[[str], str] = python_pattern if _LOOKAHEAD in pattern else portable
    return spelled(pattern)
