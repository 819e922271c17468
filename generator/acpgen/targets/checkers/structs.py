"""msgspec structs for the types of a protocol, as Python source.

A struct accepts less than its type: no member that isn't listed, no variant without a tag. So a
value that it accepts is valid, and all others are left to the checkers. Values that msgspec can't
distinguish are read as any JSON, and then a check decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from acpgen.emit.python import literal
from acpgen.model import (
    ANY,
    META,
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
    TypeName,
    Union,
)
from acpgen.patterns import python_pattern
from acpgen.targets.checkers.names import Names, class_name, member_name
from acpgen.targets.checkers.shapes import NoShapeError, Shape, Shapes

_ANY_OBJECT = (Map(ANY), Object(), Object(additional=ANY))
_RESERVED = ("bool", "check", "dict", "field", "float", "int", "levels", "list", "str")
"""Names that a member can't have, because its class uses them."""
_ESCAPED = re.compile(r'[\\"\x00-\x1f]')
_FAR = 2**63
"""The distance from 0 from which msgspec accepts no bound of a number."""
_SCALARS: Mapping[ScalarType, str] = {
    ScalarType.STRING: "str",
    ScalarType.INTEGER: "int",
    ScalarType.NUMBER: "int | float",
    ScalarType.BOOLEAN: "bool",
    ScalarType.NULL: "None",
    ScalarType.ANY: "Anything",
}


@dataclass(frozen=True, slots=True)
class StructType:
    """A type as msgspec reads it.

    `depth` is the number of nested arrays and objects in it. `opaque` means that an object of the
    type may have members, or metadata, of any name.
    """

    text: str
    depth: int = 0
    opaque: bool = False


class UntypedError(Exception):
    """A type has no struct and no name, so that no check can replace the struct."""


class Structs:
    """Writes the structs of some types, each after the structs that it uses."""

    def __init__(self, protocol: Protocol, taken: Iterable[str]) -> None:
        self._protocol = protocol
        self._shapes = Shapes(protocol)
        self.names = Names(taken)
        self._known: dict[TypeName, StructType] = {}
        self._open: set[TypeName] = set()
        self.text: list[str] = []

    def typed(self, type_: Type) -> StructType:
        """The msgspec type of a type.

        Raises:
            UntypedError: it has no name, and msgspec has no such type.
        """
        match type_:
            case Scalar():
                return StructType(_scalar(type_))
            case OpenEnum():
                return StructType(_SCALARS[type_.type])
            case ClosedEnum():
                return StructType(_literal(type_))
            case Nullable(of=inner):
                typed = self.typed(inner)
                return replace(typed, text=f"{typed.text} | None")
            case Map() | Object() if type_ in _ANY_OBJECT:
                return StructType("AnyObject", 1)
            case Array(items=parts) | Map(values=parts):
                typed = self.typed(parts)
                return StructType(_container(type_, typed.text), typed.depth + 1)
            case Ref(name=name):
                return self._named(name)
            case Union(variants=variants) if _is_plain(type_):
                return StructType(" | ".join(self.typed(v.body).text for v in variants))
            case _:
                raise UntypedError

    def _named(self, name: TypeName) -> StructType:
        if name not in self._known:
            self._known[name] = self._define(name)
        return self._known[name]

    def _define(self, name: TypeName) -> StructType:
        if name in self._open:
            raise UntypedError
        self._open.add(name)
        try:
            return self.typed(self._protocol.types[name].body)
        except UntypedError:
            pass
        try:
            return self._choice(name, self._shapes.of(name))
        except (NoShapeError, UntypedError):
            return StructType(self._check(name), opaque=True)
        finally:
            self._open.remove(name)

    def _check(self, name: TypeName) -> str:
        """A class for values that are read as any JSON and then checked."""
        class_ = self.names.claim(f"Checked{class_name(name)}")
        self.text.append(f"class {class_}(Checked):\n    {_check_of(name)}")
        return class_

    def _choice(self, name: TypeName, shapes: tuple[Shape, ...]) -> StructType:
        """A struct, or several with different tags."""
        if len(shapes) < 2 and not all(shape.tag is None for shape in shapes):
            # msgspec treats an object without a tag as the only possible one.
            raise UntypedError
        structs = []
        for shape in shapes:
            try:
                structs.append(self._struct(shape))
            except UntypedError:
                if shape.tag is None:
                    raise
        if len(shapes) == 1 and shapes[0].tag is None:
            return structs[0]
        if len(structs) < 2:
            raise UntypedError
        alias = self.names.claim(class_name(name))
        union = "\n    | ".join(struct.text for struct in structs)
        self.text.append(f"{alias} = (\n    {union}\n)")
        return StructType(
            alias, max(struct.depth for struct in structs), any(struct.opaque for struct in structs)
        )

    def _struct(self, shape: Shape) -> StructType:
        _require_writable(shape.tag or "")
        members, depths, opaque = [], [0], False
        names = Names(_RESERVED)
        for member in sorted(shape.members, key=lambda member: not member.required):
            try:
                _require_writable(member.name)
                loose = shape.check is not None and member.type == ANY
                typed = StructType("Any") if loose else self.typed(member.type)
                opaque = opaque or (loose and member.name == META)
            except UntypedError:
                if member.required:
                    raise
                continue
            members.append(f"    {_member(member, typed.text, names)}")
            depths.append(typed.depth)
        name = self.names.claim(class_name(shape.name))
        tag = f", tag_field={literal(shape.tag)}, tag={literal(shape.value)}" if shape.tag else ""
        base = "ListedObject"
        if shape.check is not None:
            base = "Loose"
            members.append(f"    {_check_of(shape.check)}")
        self.text.append("\n".join([f"class {name}({base}{tag}):", *(members or ["    pass"])]))
        return StructType(name, max(depths) + 1, opaque)


def _member(member: Property, text: str, names: Names) -> str:
    name = names.claim(member_name(member.name))
    renamed = [] if name == member.name else [f"name={literal(member.name)}"]
    if not member.required:
        text = f"{text} | UnsetType"
        default = f"field({', '.join(['default=UNSET', *renamed])})" if renamed else "UNSET"
        return f"{name}: {text} = {default}"
    return f"{name}: {text} = field({', '.join(renamed)})" if renamed else f"{name}: {text}"


def _check_of(name: TypeName) -> str:
    return f"check = staticmethod(_TYPES[{literal(name)}])"


def _require_writable(name: str) -> None:
    """Refuse a name that msgspec does not accept for a member."""
    if _ESCAPED.search(name):
        raise UntypedError


def _is_plain(union: Union) -> bool:
    """True if a union is of scalar types that msgspec can distinguish."""
    texts = [_scalar(v.body) for v in union.variants if isinstance(v.body, Scalar)]
    return len(texts) == len(union.variants) and {*texts} <= {"int", "str", "bool", "None"}


def _container(type_: Array | Map, parts: str) -> str:
    if isinstance(type_, Map):
        return f"dict[str, {parts}]"
    limits = _meta(min_length=type_.min_items, max_length=type_.max_items)
    return _annotated(f"list[{parts}]", limits)


def _literal(enum: ClosedEnum) -> str:
    values = (v.value for v in enum.values)
    listed = (literal(value) if isinstance(value, str) else str(value) for value in values)
    return f"Literal[{', '.join(listed)}]"


def _scalar(scalar: Scalar) -> str:
    bounds = [bound for bound in (scalar.minimum, scalar.maximum) if bound is not None]
    if not all(isinstance(bound, int) and -_FAR < bound < _FAR for bound in bounds):
        raise UntypedError
    limits = _meta(
        ge=scalar.minimum,
        le=scalar.maximum,
        min_length=scalar.min_length,
        max_length=scalar.max_length,
        pattern=None if scalar.pattern is None else python_pattern(scalar.pattern),
    )
    if scalar.type is ScalarType.NUMBER and limits:
        return f"{_annotated('int', limits)} | {_annotated('float', limits)}"
    return _annotated(_SCALARS[scalar.type], limits)


def _annotated(text: str, limits: str) -> str:
    return f"Annotated[{text}, Meta({limits})]" if limits else text


def _meta(**limits: float | str | None) -> str:
    return ", ".join(
        f"{name}={literal(limit) if isinstance(limit, str) else limit}"
        for name, limit in limits.items()
        if limit is not None
    )
