"""How pydantic reads a union: by its tag, and so that exactly one class takes an object."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from importlib import import_module
from operator import or_
from typing import Annotated, Any, Literal, get_args, get_origin

import pydantic
from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from typing_extensions import TypeAliasType

from acp_wire.models.marks import TAG
from acp_wire.models.members import mark_of, members_of, package_of, variants_of

__all__ = ["Tag", "none_of", "union_of"]


class Tag:
    """Makes a tagged union, with its variants for other tags last.

    pydantic's own discriminator would ask for the attribute's name first, and so treat an unknown
    member of that name as the tag. It has no place for other tags either.
    """

    def __init__(self, tag: str) -> None:
        self._tag = tag

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        attributes = {variant: self._attribute(variant) for variant in get_args(source)}
        known = [variant for variant, attribute in attributes.items() if attribute is not None]
        others = [variant for variant in attributes if variant not in known]
        tagged = self._tagged(known, attributes[known[0]], handler)
        if not others:
            return tagged
        return core_schema.union_schema(
            [tagged, *(handler.generate_schema(other) for other in others)],
            mode="left_to_right",
            metadata={TAG: self._tag},
        )

    def _tagged(
        self, known: list[Any], attribute: str | None, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        if len(known) == 1:
            return handler.generate_schema(known[0])
        discriminator = pydantic.Field(discriminator=attribute)
        schema: Any = handler.generate_schema(Annotated[reduce(or_, known), discriminator])
        if schema["type"] == "tagged-union":
            schema["discriminator"] = [[self._tag], [attribute]]
        return schema  # type: ignore[no-any-return]

    def _attribute(self, variant: Any) -> str | None:
        """The attribute for the tag in a variant that takes one value only, None otherwise."""
        while not isinstance(variant, type):
            # All variants of an inner union have the same value of the outer tag.
            alias = isinstance(variant, TypeAliasType)
            variant = variant.__value__ if alias else get_args(variant)[0]
        model: type[BaseModel] = variant
        while variants := variants_of(model):
            model = variants[0]
        for name, field in model.__pydantic_fields__.items():
            if (field.alias or name) == self._tag and get_origin(field.annotation) is Literal:
                return name
        return None


def union_of(model: type[BaseModel]) -> Any:
    """The type whose values are those of a union's own class; None for any other class."""
    variants = variants_of(model)
    if not variants:
        return None
    union = reduce(or_, variants)
    tag = mark_of(model, TAG)
    return union if tag is None else Annotated[union, Tag(tag)]


def none_of(owner: type[BaseModel], rivals: list[str]) -> Callable[[BaseModel], BaseModel]:
    """A validator that refuses a model if another class takes its members too.

    Args:
        owner: the class that states the rivals.
        rivals: the names of the other classes, which the owner's package exports.
    """
    package = package_of(owner)

    def check(model: BaseModel) -> BaseModel:
        members = members_of(model)
        for name in rivals:
            if _takes(getattr(import_module(package), name), members):
                text = "Input should not be a {rival} as well"
                raise PydanticCustomError("one_of", text, {"rival": name})
        return model

    return check


def _takes(model: type[BaseModel], members: dict[str, Any]) -> bool:
    try:
        model.model_validate(members)
    except ValidationError:
        return False
    return True
