"""The base class of all models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

from acp_wire.extras import missing

try:
    import pydantic
    import typing_extensions  # noqa: F401  so that its absence is explained, too
except ModuleNotFoundError as error:
    raise missing("acp_wire.models", "models", error) from None

from pydantic import (
    MISSING,
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
)
from pydantic_core import CoreSchema, core_schema
from typing_extensions import dataclass_transform

from acp_wire.models.codec import Text, explained, read, read_tolerantly, write
from acp_wire.models.limits import require_sendable
from acp_wire.models.marks import EXCLUDES, INTEGER, META, OPEN, TAG, VARIANTS
from acp_wire.models.members import (
    constants_of,
    is_private,
    mark_of,
    marked_base,
    members_of,
    variants_of,
    wire_names,
)
from acp_wire.models.readers import protected, validator_of
from acp_wire.models.unions import Tag, none_of, union_of

__all__ = ["MISSING", "AcpModel", "Field"]

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass

    @dataclass_transform(
        kw_only_default=True,
        frozen_default=True,
        field_specifiers=(pydantic.Field, pydantic.PrivateAttr),
    )
    class _Frozen(ModelMetaclass):
        """Shows type checkers that models are frozen, as `model_config` does to pydantic."""

        def __hash__(self) -> int: ...  # pyright treats the classes as unhashable otherwise

else:
    _Frozen = type(BaseModel)


class AcpModel(BaseModel, metaclass=_Frozen):
    """The base of every model.

    Attributes are in snake_case. The constructor takes those and wire names; every method that
    reads data, pydantic's own included, takes wire names only. A member that was omitted is
    `MISSING`, which is neither null nor false: compare with `is`, since `if model.member` holds for
    it. The constructor fills in a member that can have one value only, such as the `type` that
    selects a union's variant; on the wire it must be there. Unknown members are kept and written
    back. Models are frozen; `model_copy(update=...)` makes a changed and validated copy. Nothing is
    coerced: 7 is not a string, true is not a number, 5.0 is not an integer.

    To type checkers a list of one class is not a list of a union that the class belongs to. Name
    the union where the list is made: `blocks: list[ContentBlock] = [ContentBlockText(text="x")]`.

    Errors name members by wire paths and hold nothing of the input, not even in `errors()`. A class
    with a key, or with params that may hold one, keeps this up in a `TypeAdapter` and in a model of
    your own. pydantic has no way to do so for your model's own errors: where JSON is malformed, or
    a member of your model is missing, `errors()` holds all that your model was given. A repr shows
    unknown members, `_meta`, keys and carried params by name only.

    Limits: JSON nested deeper than 127 levels is refused in reading and in writing, and so is a
    number beyond the range of a double, such as 1e400. A message adds levels of its own.
    """

    model_config = ConfigDict(
        strict=True,
        extra="allow",
        serialize_by_alias=True,
        frozen=True,
        allow_inf_nan=False,
        # With null, the default, the value would be lost silently; a constant is found.
        ser_json_inf_nan="constants",
        hide_input_in_errors=True,
        # Generated patterns are spelled for it; Rust's engine has no lookahead.
        regex_engine="python-re",
        defer_build=True,
    )

    def __init__(self, /, **members: Any) -> None:
        if variants := variants_of(type(self)):
            names = " or ".join(variant.__name__ for variant in variants)
            raise TypeError(f"{type(self).__name__} is a union; use {names}")
        given = {**constants_of(type(self)), **_by_wire_name(type(self), members)}
        try:
            super().__init__(**given)
        except ValidationError as error:
            refused = error
        else:
            return
        raise explained(type(self), given, refused)

    # To pydantic this means that validation need not go through this method.
    setattr(__init__, "__pydantic_base_init__", True)  # noqa: B010 a function has no such attribute

    @classmethod
    def from_wire(cls, data: Text | Mapping[str, object]) -> Self:
        """Read JSON text, or an object decoded from it, by wire names only.

        Raises:
            pydantic.ValidationError: the data is not JSON, or not of this type.
        """
        model: Self = read(cls, validator_of(cls), data)
        return model

    @classmethod
    def from_wire_tolerant(cls, data: Text | Mapping[str, object]) -> Self:
        """Read as `from_wire` does, and recover where the schema lets receivers recover.

        A malformed value of a tolerant member counts as omitted, a malformed item of a tolerant
        list is left out. A malformed idempotency key is refused, as is an object without a required
        member.

        Raises:
            pydantic.ValidationError: the data is not JSON, or of this type in neither reading.
        """
        model: Self = read_tolerantly(cls, validator_of(cls), data)
        return model

    def to_wire(self) -> bytes:
        """Write JSON in UTF-8, by wire names and without members that are `MISSING`.

        Raises:
            pydantic_core.PydanticSerializationError: a member holds a value that JSON doesn't have,
                such as NaN or half a surrogate pair, a list or map was changed into something that
                its type doesn't allow, or the model was made without validation.
        """
        return write(type(self), self.__pydantic_serializer__, self)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy the model. Unlike pydantic's own, this validates the members in `update`.

        Raises:
            TypeError: `update` names a member that the model doesn't have.
            pydantic.ValidationError: `update` sets a value that the model doesn't take.
        """
        copy = super().model_copy(deep=deep)
        if not update:
            return copy
        changed = {**members_of(copy), **_by_wire_name(type(self), update)}
        model: Self = read(type(self), validator_of(type(self)), changed)
        return model

    if not TYPE_CHECKING:
        # Type checkers would allow any attribute to be set if they saw a `__setattr__`.
        def __setattr__(self, name: str, value: Any) -> None:
            # pydantic's own refusal shows the value, which may be a key.
            error = {"type": "frozen_instance", "loc": (name,), "input": None}
            raise ValidationError.from_exception_data(type(self).__name__, [error], hide_input=True)

        # Type checkers know pydantic's own, which take the same arguments.
        @classmethod
        def model_validate(cls, obj: Any, **options: Any) -> Self:
            """Validate a decoded value as pydantic does, with errors that hold nothing of it."""
            return _without_input(cls, super().model_validate, obj, options)

        @classmethod
        def model_validate_json(cls, json_data: Text, **options: Any) -> Self:
            """Validate JSON text as pydantic does, with errors that hold nothing of it."""
            return _without_input(cls, super().model_validate_json, json_data, options)

        @classmethod
        def model_validate_strings(cls, obj: Any, **options: Any) -> Self:
            """Validate strings as pydantic does, with errors that hold nothing of them."""
            return _without_input(cls, super().model_validate_strings, obj, options)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, field in type(self).__pydantic_fields__.items():
            value = self.__dict__.get(name, MISSING)
            if value is not MISSING:
                shown = value is None or (field.repr and field.alias != META)
                yield name, value if shown else _HIDDEN
        for name in self.__pydantic_extra__ or ():
            yield name, _HIDDEN

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        union = union_of(cls)
        if union is not None:
            # By reference, as pydantic calls it: so it stays one variant of an outer union.
            reference = f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"
            return cast("CoreSchema", {**handler.generate_schema(union), "ref": reference})
        schema = handler(source)
        if isinstance(cls.__dict__.get("__pydantic_core_schema__"), dict):
            return schema  # It was built before, with all that follows.
        fields: Any = handler.resolve_ref_schema(schema)
        while fields["type"] != "model-fields":
            fields = fields["schema"]
        _require_constants(cls, fields["fields"])
        fields["fields"] = _limited(fields["fields"])
        fields["extras_schema"] = _limited(fields.get("extras_schema", core_schema.any_schema()))
        # References to the class must lead to what is put around it, too.
        around: Any = {name: value for name, value in schema.items() if name != "ref"}
        if excluded := mark_of(cls, EXCLUDES):
            check = none_of(marked_base(cls, EXCLUDES), excluded)
            around = core_schema.no_info_after_validator_function(check, around)
        if is_private(cls):
            around = protected(around, partial(explained, cls, as_text=False))
        return cast("CoreSchema", {**around, **({"ref": schema["ref"]} if "ref" in schema else {})})

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> dict[str, Any]:
        schema = handler(core_schema)
        _described(cls, handler.resolve_ref_schema(schema))
        return schema


def _without_input(
    model: type[BaseModel], validate: Callable[..., Any], data: Any, options: dict[str, Any]
) -> Any:
    try:
        return validate(data, **options)
    except ValidationError as error:
        refused = error
    from acp_wire.models.alternatives import details_of

    details = details_of(refused)
    raise ValidationError.from_exception_data(model.__name__, details, hide_input=True)


def _described(model: type[BaseModel], schema: dict[str, Any]) -> None:
    """Add the docs of a model and its members to its JSON Schema, and remove a union's marks."""
    from inspect import cleandoc

    from acp_wire.models.docs import member_docs

    for mark in (VARIANTS, TAG):
        schema.pop(mark, None)  # The variants of a union inherit its marks.
    if model.__doc__:
        schema.setdefault("description", cleandoc(model.__doc__))

    docs = member_docs(model)
    properties = schema.get("properties", {})
    for name, wire in wire_names(model).items():
        if wire in properties and name in docs:
            properties[wire].setdefault("description", docs[name])


def Field(  # noqa: N802 takes the place of pydantic's in generated modules
    *, json_schema_extra: dict[str, Any] | None = None, **options: Any
) -> Any:
    """Pydantic's `Field`, or the annotation that a mark means."""
    if json_schema_extra is not None and TAG in json_schema_extra:
        return Tag(json_schema_extra[TAG])
    if json_schema_extra is not None and INTEGER in json_schema_extra:
        return _Integer()
    return pydantic.Field(json_schema_extra=json_schema_extra, **options)


class _Integer:
    """Refuses 5.0 where one of several integers is due: to Python it equals 5."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.chain_schema([core_schema.int_schema(strict=True), handler(source)])


class _Hidden:
    """Takes the place of a value in a repr that must not reach a log."""

    def __repr__(self) -> str:
        return "..."


_HIDDEN = _Hidden()


def _by_wire_name(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments by wire names.

    Raises:
        TypeError: the model has no such member, or two arguments are for one member.
    """
    names = wire_names(model)
    if not names.keys() >= given.keys():
        from acp_wire.models.errors import require_known

        require_known(model, given, any_name=bool(mark_of(model, OPEN)))
    return {names.get(name, name): value for name, value in given.items()}


def _limited(part: Any) -> Any:
    """A part of a model's core schema with limits to values of any type."""
    if isinstance(part, list | tuple):
        return type(part)(map(_limited, part))
    if not isinstance(part, dict):
        return part
    if part.get("type") == "any":
        inner: Any = part
        return core_schema.no_info_after_validator_function(require_sendable, inner)
    return {key: _limited(value) for key, value in part.items()}


def _require_constants(model: type[BaseModel], fields: Any) -> None:
    """Require on the wire the members that code may leave to the constructor."""
    constants = constants_of(model)
    for name, wire in wire_names(model).items():
        if wire in constants:
            member = fields[name]
            if member["schema"]["type"] == "default":
                member["schema"] = member["schema"]["schema"]
