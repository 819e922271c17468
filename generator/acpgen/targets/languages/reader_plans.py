"""What a tolerant reader of any language walks: each type as a small JSON value.

A type is a text or an array. Texts are `"@Name"` for a named type, and `"string"`, `"integer"` and
so on for a scalar without limits. Arrays begin with their kind:

- `["s", type, minLength, maxLength, minimum, maximum, pattern]`: a scalar with limits
- `["a", items, minItems, maxItems]`, `["m", values]`, `["n", type]`: an array, a map, or null
- `["e", values]`: a closed enumeration
- `["o", members, parts, additional]`: an object; a member is `[name, type, flags]`
- `["u", tag, exclusive, variants]`: a union; a variant is `[value, isFallback, type]`

What is missing is null. Flags are the sum of 1 for a required member, and of 2, 4 and 8 for one
that recovers from errors, from null and from malformed items. An idempotency key recovers from
nothing.
"""

from __future__ import annotations

from collections import Counter

from acpgen.model import (
    KEY_TYPE,
    Array,
    ClosedEnum,
    JsonValue,
    Map,
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
    TypeDef,
    TypeName,
    Union,
    Variant,
)
from acpgen.types.structure import is_key, references, walk

Tag = tuple[str, str]
"""The member that selects a variant, and its value."""


def absorbed_tags(protocol: Protocol) -> dict[TypeName, Tag]:
    """Return the tags of the types that are nothing but the body of a variant of the same name.

    Such a type is read with its tag, since only its union refers to it.
    """
    bodies = [each.body for each in protocol.types.values()]
    users = Counter(name for body in bodies for name in references(body))
    return {
        variant.name: (part.tag, variant.value)
        for body in bodies
        for part in walk(body)
        if isinstance(part, Union) and part.tag is not None
        for variant in part.variants
        if variant.value is not None
        and variant.body == Ref(variant.name)
        and users[variant.name] == 1
        and _is_plain(protocol.types[variant.name].body, part.tag)
    }


def has_key_type(protocol: Protocol) -> bool:
    """True if a protocol has the type of idempotency keys, as a text."""
    match protocol.types.get(KEY_TYPE):
        case TypeDef(body=Scalar(type=ScalarType.STRING)):
            return True
        case _:
            return False


def _is_plain(body: Type, tag: str) -> bool:
    """True if a tag can be one more member of a body."""
    return (
        isinstance(body, Object)
        and body.additional is None
        and all(member.name != tag for member in body.properties)
    )


def plans(protocol: Protocol) -> dict[TypeName, JsonValue]:
    """Return the plan of every type of a protocol."""
    planner = _Planner(protocol, absorbed_tags(protocol))
    return {name: planner.definition(name) for name in sorted(protocol.types)}


class _Planner:
    def __init__(self, protocol: Protocol, tags: dict[TypeName, Tag]) -> None:
        self._protocol = protocol
        self._tags = tags

    def definition(self, name: TypeName) -> JsonValue:
        body = self._protocol.types[name].body
        if name not in self._tags or not isinstance(body, Object):
            return self.plan(body)
        tag, value = self._tags[name]
        return self._object(body, [[tag, ["e", [value]], 1]])

    def plan(self, type_: Type) -> JsonValue:
        match type_:
            case Scalar():
                return _scalar(type_)
            case OpenEnum(type=scalar):
                return scalar.value
            case ClosedEnum(values=values):
                return ["e", [each.value for each in values]]
            case Ref(name=name):
                return f"@{name}"
            case Nullable(of=inner):
                return ["n", self.plan(inner)]
            case Array(items=items, min_items=least, max_items=most):
                return ["a", self.plan(items), least, most]
            case Map(values=each):
                return ["m", self.plan(each)]
            case Object():
                return self._object(type_, [])
            case Union(tag=tag, exclusive=exclusive, variants=variants):
                return ["u", tag, exclusive, [self._variant(each) for each in variants]]

    def _object(self, type_: Object, first: list[JsonValue]) -> JsonValue:
        members = [*first, *map(self._member, type_.properties)]
        parts: list[JsonValue] = [self.plan(base) for base in type_.bases]
        parts += [self.plan(union) for union in type_.unions]
        additional = None if type_.additional is None else self.plan(type_.additional)
        return ["o", members, parts, additional]

    def _member(self, member: Property) -> JsonValue:
        tolerance = Tolerance() if is_key(member.type) else member.tolerance
        flags = (
            int(member.required)
            + 2 * tolerance.default_on_error
            + 4 * tolerance.default_on_null
            + 8 * tolerance.skip_invalid_items
        )
        return [member.name, self.plan(member.type), flags]

    def _variant(self, variant: Variant) -> JsonValue:
        body = variant.body
        if variant.name in self._tags and body == Ref(variant.name):
            body = self._protocol.types[variant.name].body
        return [variant.value, variant.fallback, self.plan(body)]


def _scalar(type_: Scalar) -> JsonValue:
    limits: list[JsonValue] = [type_.min_length, type_.max_length, type_.minimum, type_.maximum]
    limits.append(type_.pattern)
    if limits == [None] * 5:
        return type_.type.value
    return ["s", type_.type.value, *limits]
