"""From a checked schema to the type that represents it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, NoReturn

from acpgen.load.references import target
from acpgen.load.schema_text import Document, RawSchema, SchemaError
from acpgen.load.support import ANNOTATIONS, SHAPE, complaint
from acpgen.model import (
    META,
    Array,
    ClosedEnum,
    EnumValue,
    JsonValue,
    Location,
    Map,
    MethodName,
    Nullable,
    Object,
    OpenEnum,
    Pointer,
    Property,
    Ref,
    Scalar,
    ScalarType,
    Side,
    Stability,
    Tolerance,
    Type,
    TypeDef,
    TypeName,
    Union,
    Variant,
)

_VARIANT_MARKS = frozenset({"x-stability", "x-fallback", "not"})

_SIDES = {"both": Side.PROTOCOL}
"""How upstream's releases call a side otherwise."""


class TypeParser:
    """Parses the definitions of one file."""

    def __init__(self, document: Document, inlined: Mapping[str, RawSchema]) -> None:
        self._document = document
        self._inlined = inlined

    def definition(self, name: TypeName, raw: RawSchema, *, release: bool) -> TypeDef:
        """Parse one definition.

        Raises:
            SchemaError: a part of it has no counterpart in the model; holds the first.
        """
        location = Location(self._document.file, Pointer(f"/$defs/{name}"))
        method, side = raw.get("x-method"), raw.get("x-side")
        marked = "x-stability" in raw
        return TypeDef(
            name=name,
            body=self.type(raw, name, location),
            docs=raw.get("description", ""),
            domain="protocol" if release else self._document.name.removesuffix(".json"),
            location=location,
            title=raw.get("title"),
            stability=Stability.UNSTABLE if marked else Stability.STABLE,
            patch=raw.get("x-patch", False),
            examples=tuple(raw.get("examples", ())),
            method=None if method is None else MethodName(method),
            side=None if side is None else _SIDES.get(side) or Side(side),
            marked_unstable=marked,
        )

    def type(self, raw: RawSchema, name: str, location: Location) -> Type:
        """Parse one schema. `name` is what a class for it would be called."""
        self._require_counterpart(raw, location)
        if isinstance(raw.get("type"), list):
            return Nullable(self.type({**raw, "type": raw["type"][0]}, name, location))
        shape = raw.keys() & SHAPE
        if "$ref" in raw and not shape:
            return self._ref(raw["$ref"], location)
        choice = next((k for k in ("anyOf", "oneOf") if k in raw), None)
        if choice is not None and shape == {choice} and not raw.keys() & {"$ref", "type"}:
            return self._choice(raw, choice, name, location)
        if "enum" in raw or "const" in raw:
            return self._listed(raw, location)
        if raw.get("type") == "array":
            items = raw.get("items", {})
            inner = self.type(items, f"{name}Item", location.at("items"))
            return Array(inner, raw.get("minItems"), raw.get("maxItems"))
        if raw.get("type") == "object" or shape or "$ref" in raw:
            return self._object(raw, name, location)
        return self._scalar(raw)

    def _ref(self, reference: str, location: Location) -> Ref:
        _, name = target(reference)
        if name in self._inlined:
            self._refuse(location, f"refers to {name}, which is x-inline: only a member may")
        return Ref(TypeName(name))

    def _scalar(self, raw: RawSchema) -> Scalar:
        return Scalar(
            ScalarType(raw.get("type", "any")),
            format=raw.get("format"),
            pattern=raw.get("pattern"),
            min_length=raw.get("minLength"),
            max_length=raw.get("maxLength"),
            minimum=raw.get("minimum"),
            maximum=raw.get("maximum"),
            content_encoding=raw.get("contentEncoding"),
        )

    def _object(self, raw: RawSchema, name: str, location: Location) -> Type:
        bases = [self._ref(base["$ref"], location) for base in raw.get("allOf", ())]
        if "$ref" in raw:
            bases.insert(0, self._ref(raw["$ref"], location))
        additional = raw.get("additionalProperties")
        values: Type | None = None
        if additional is not None:
            schema = {} if additional is True else additional
            values = self.type(schema, f"{name}Value", location.at("additionalProperties"))
        if len(bases) == 1 and not raw.keys() & (SHAPE - {"allOf"}):
            return bases[0]
        if values is not None and not raw.keys() & (SHAPE - {"additionalProperties"}) and not bases:
            return Map(values)
        unions = tuple(
            self._union(raw, keyword, name, location)
            for keyword in ("anyOf", "oneOf")
            if keyword in raw
        )
        return Object(self._properties(raw, name, location), tuple(bases), unions, values)

    def _properties(self, raw: RawSchema, name: str, location: Location) -> tuple[Property, ...]:
        required: list[str] = raw.get("required", [])
        members: dict[str, RawSchema] = raw.get("properties", {})

        def rank(member: str) -> tuple[int, int, str]:
            if member in required:
                return (0, required.index(member), member)
            return (2 if member == META else 1, 0, member)

        return tuple(
            self._property(member, members[member], name, location, member in required)
            for member in sorted(members, key=rank)
        )

    def _property(
        self, member: str, raw: RawSchema, owner: str, location: Location, required: bool
    ) -> Property:
        place = location.at("properties", member)
        inlined = self._inlined.get(target(raw["$ref"])[1]) if "$ref" in raw else None
        if inlined is not None:
            raw = inlined | {keyword: raw[keyword] for keyword in raw if keyword != "$ref"}
        default: JsonValue = raw.get("default")
        return Property(
            name=member,
            type=self.type(raw, owner + pascal(member), place),
            required=required,
            docs=raw.get("description", ""),
            location=place,
            stability=_stability(raw),
            tolerance=Tolerance(
                default_on_error=raw.get("x-deserialize-default-on-error", False),
                default_on_null=raw.get("x-deserialize-default-on-null", False),
                skip_invalid_items=raw.get("x-deserialize-skip-invalid-items", False),
            ),
            default=default,
        )

    def _choice(self, raw: RawSchema, keyword: str, name: str, location: Location) -> Type:
        branches: list[RawSchema] = raw[keyword]
        others = [b for b in branches if b != {"type": "null"}]
        if len(others) == 1 and len(branches) == 2:
            index = branches.index(others[0])
            if marks := sorted(others[0].keys() & _VARIANT_MARKS):
                self._refuse(
                    location.at(keyword, index), f"is not a variant: can't have {marks[0]}"
                )
            return Nullable(self.type(others[0], name, location.at(keyword, index)))
        if _is_enum(branches, keyword):
            return self._enum(branches, location.at(keyword))
        return self._union(raw, keyword, name, location)

    def _listed(self, raw: RawSchema, location: Location) -> ClosedEnum:
        values: list[Any] = raw["enum"] if "enum" in raw else [raw["const"]]
        return ClosedEnum(
            _enum_type(values[0]), tuple(EnumValue(value, "", location) for value in values)
        )

    def _enum(self, branches: list[RawSchema], location: Location) -> OpenEnum | ClosedEnum:
        known = [
            EnumValue(
                branch["const"],
                branch.get("description", ""),
                location.at(index),
                branch.get("title"),
                _stability(branch),
            )
            for index, branch in enumerate(branches)
            if "const" in branch
        ]
        type_ = _enum_type(known[0].value)
        rest = [branch for branch in branches if "const" not in branch]
        if not rest:
            return ClosedEnum(type_, tuple(known))
        (other,) = rest
        return OpenEnum(
            type_,
            tuple(known),
            other.get("title"),
            other.get("description", ""),
            other.get("format"),
        )

    def _union(self, raw: RawSchema, keyword: str, name: str, location: Location) -> Union:
        branches: list[RawSchema] = raw[keyword]
        tags = {tag for branch in branches for tag in _tags(branch)}
        tag = tags.pop() if len(tags) == 1 else None
        variants = tuple(
            self._variant(branch, tag, name, location.at(keyword, index))
            for index, branch in enumerate(branches)
        )
        union = Union(variants, tag, exclusive=keyword == "oneOf")
        self._require_guards(branches, union, location.at(keyword))
        return union

    def _variant(self, raw: RawSchema, tag: str | None, union: str, location: Location) -> Variant:
        self._require_counterpart(raw, location)
        value = _tags(raw).get(tag) if tag is not None else None
        title = raw.get("title")
        label = value or title or _base_name(raw)
        if label is None:
            self._refuse(location, "needs a title: its class could not be named")
        name = union + pascal(label)
        return Variant(
            name=TypeName(name),
            body=self.type(_without_tag(raw, tag if value is not None else None), name, location),
            docs=raw.get("description", ""),
            location=location,
            title=title,
            value=value,
            fallback="x-fallback" in raw or "not" in raw,
            stability=_stability(raw),
        )

    def _require_guards(self, branches: list[RawSchema], union: Union, location: Location) -> None:
        """A guard that is written out must name exactly the tag values of the siblings."""
        for index, branch in enumerate(branches):
            if union.variants[index].fallback and union.tag is None:
                self._refuse(location.at(index), "is a fallback, but no other branch has a tag")
            guard = branch.get("not")
            if guard is None:
                continue
            alternatives = guard.get("anyOf", [guard])
            named = [_constants(alternative).get(union.tag or "") for alternative in alternatives]
            if set(named) != set(union.known):
                self._refuse(
                    location.at(index, "not"),
                    "must exclude exactly the tag values of the other branches",
                )

    def _require_counterpart(self, raw: RawSchema, location: Location) -> None:
        if (reason := complaint(raw)) is not None:
            self._refuse(location, reason)

    def _refuse(self, location: Location, message: str) -> NoReturn:
        raise SchemaError([self._document.finding("unsupported-schema", location.pointer, message)])


def _stability(raw: RawSchema) -> Stability:
    return Stability.UNSTABLE if "x-stability" in raw else Stability.STABLE


def _tags(branch: RawSchema) -> dict[str, str]:
    """The members that may select a branch, with their values. Null has no members."""
    return _constants(branch) if branch.get("type") == "object" else {}


def _constants(branch: RawSchema) -> dict[str, str]:
    """The required members of a branch that take one string only."""
    members: dict[str, RawSchema] = branch.get("properties", {})
    return {
        name: schema["const"]
        for name, schema in members.items()
        if isinstance(schema.get("const"), str) and name in branch.get("required", ())
    }


def _base_name(raw: RawSchema) -> str | None:
    """The definition that a branch refers to, None for a branch of its own."""
    references: list[str] = [raw["$ref"]] if "$ref" in raw else []
    references.extend(base["$ref"] for base in raw.get("allOf", ()))
    return target(references[0])[1] if references else None


def _without_tag(raw: RawSchema, tag: str | None) -> RawSchema:
    """A branch as the body of its variant: without what belongs to the variant itself."""
    body = {
        keyword: value
        for keyword, value in raw.items()
        if keyword not in {"not", "x-fallback", "unevaluatedProperties"} | ANNOTATIONS
    }
    if tag is not None:
        body["properties"] = {k: v for k, v in raw["properties"].items() if k != tag}
        body["required"] = [k for k in raw["required"] if k != tag]
        if not body["properties"]:
            del body["properties"], body["required"]
            body.setdefault("type", "object")
    if {"$ref", "allOf"} & body.keys() and not body.keys() & (SHAPE - {"allOf"}):
        body.pop("type", None)
    return body


def _is_enum(branches: list[RawSchema], keyword: str) -> bool:
    """True if the branches are constants of one type, with at most the type itself beside them."""
    allowed = {"const", "type", "format", "title", "description", "x-stability"}
    if any(branch.keys() - allowed for branch in branches):
        return False
    types = {str(branch.get("type")) for branch in branches}
    if types not in ({"string"}, {"integer"}):
        return False
    open_ends = sum("const" not in branch for branch in branches)
    return open_ends <= (keyword == "anyOf") and open_ends < len(branches)


def _enum_type(value: object) -> Literal[ScalarType.STRING, ScalarType.INTEGER]:
    return ScalarType.STRING if isinstance(value, str) else ScalarType.INTEGER


def pascal(text: str) -> str:
    """`user_message_chunk` to `UserMessageChunk`; letters and digits only."""
    words = re.split(r"[^0-9A-Za-z]+", text)
    return "".join(word[:1].upper() + word[1:] for word in words)
