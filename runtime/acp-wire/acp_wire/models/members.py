"""What a model class knows about its members: wire names, constants and marks."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Literal, get_origin

from pydantic import MISSING, BaseModel

from acp_wire.models.marks import VARIANTS

__all__ = [
    "constants_of",
    "is_private",
    "mark_of",
    "marked_base",
    "members_of",
    "package_of",
    "variants_of",
    "wire_names",
]


@cache
def wire_names(model: type[BaseModel]) -> dict[str, str]:
    """The wire name of each attribute."""
    return {name: field.alias or name for name, field in model.__pydantic_fields__.items()}


@cache
def constants_of(model: type[BaseModel]) -> dict[str, Any]:
    """The members that can have one value only, by wire names."""
    return {
        field.alias or name: field.default
        for name, field in model.__pydantic_fields__.items()
        if get_origin(field.annotation) is Literal and not field.is_required()
    }


def members_of(model: BaseModel) -> dict[str, Any]:
    """The members of a model, by wire names and without those that are missing."""
    present = {wire: getattr(model, name) for name, wire in wire_names(type(model)).items()}
    members = {name: value for name, value in present.items() if value is not MISSING}
    return {**(model.__pydantic_extra__ or {}), **members}


def mark_of(model: type[BaseModel], mark: str) -> Any:
    """The value of a mark on a model or the nearest of its bases; None without one."""
    for class_ in model.__mro__:
        if mark in _marks(class_):
            return _marks(class_)[mark]
    return None


def marked_base(model: type[BaseModel], mark: str) -> type[BaseModel]:
    """The class that brought a mark to a model. A class inherits the marks of its bases.

    Raises:
        LookupError: the model has no such mark.
    """
    for class_ in reversed(model.__mro__):
        if mark in _marks(class_):
            return class_
    raise LookupError(f"{model.__name__} has no mark {mark}")


@cache
def variants_of(model: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    """The classes that a union's own class is a union of; none for any other class."""
    marks = _marks(model)
    # A class without marks of its own has the marks of a base, in the same dictionary.
    if VARIANTS not in marks or any(_marks(base) is marks for base in model.__mro__[1:]):
        return ()
    package = import_module(package_of(model))
    return tuple(getattr(package, name) for name in marks[VARIANTS])


@cache
def is_private(model: type[BaseModel]) -> bool:
    """True if a model has members that must not reach a log: a key, or params that may have one."""
    return not all(field.repr for field in model.__pydantic_fields__.values())


def package_of(model: type[BaseModel]) -> str:
    """The package that exports a generated class."""
    return model.__module__.rpartition(".")[0]


def _marks(class_: type) -> dict[str, Any]:
    extra = getattr(class_, "model_config", {}).get("json_schema_extra")
    return extra if isinstance(extra, dict) else {}
