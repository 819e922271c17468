"""Reading and writing types that have no methods of their own.

`data` is JSON text or a decoded value. A `str` is text, always.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, overload

from pydantic import BaseModel, ConfigDict, TypeAdapter
from typing_extensions import TypeAliasType

from acp_wire.models.codec import read, read_tolerantly, write
from acp_wire.models.readers import validator_of

__all__ = ["dump", "parse", "parse_as", "parse_tolerant"]

_T = TypeVar("_T", bound=BaseModel)

_CONFIG = ConfigDict(
    strict=True,
    hide_input_in_errors=True,
    ser_json_inf_nan="constants",
    regex_engine="python-re",
)


@overload
def parse(type_: type[_T], data: object) -> _T: ...
@overload
def parse(type_: TypeAliasType, data: object) -> Any: ...
def parse(type_: Any, data: object) -> Any:
    """Read a model or an alias, such as `SessionUpdate`, strictly and by wire names.

    Raises:
        pydantic.ValidationError: the data is not JSON, or not of the type.
    """
    return read(type_, _validator(type_), data)


@overload
def parse_tolerant(type_: type[_T], data: object) -> _T: ...
@overload
def parse_tolerant(type_: TypeAliasType, data: object) -> Any: ...
def parse_tolerant(type_: Any, data: object) -> Any:
    """Read as `parse` does, and recover as `AcpModel.from_wire_tolerant` does.

    Raises:
        pydantic.ValidationError: the data is not JSON, or of the type in neither reading.
    """
    return read_tolerantly(type_, _validator(type_), data)


def parse_as(type_: Any, data: object, *, tolerant: bool) -> Any:
    """Read as `parse_tolerant` does if `tolerant`, and as `parse` does otherwise."""
    return parse_tolerant(type_, data) if tolerant else parse(type_, data)


def dump(type_: Any, value: object) -> bytes:
    """Write a value of a type as JSON in UTF-8, by wire names.

    Raises:
        pydantic_core.PydanticSerializationError: the value is not of the type.
    """
    return write(type_, _serializer(type_), value)


def _validator(type_: Any) -> Any:
    return validator_of(type_) if _is_model(type_) else _adapter(type_).validator


def _serializer(type_: Any) -> Any:
    return type_.__pydantic_serializer__ if _is_model(type_) else _adapter(type_).serializer


def _is_model(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, BaseModel)


@cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_, config=_CONFIG)
