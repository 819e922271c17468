"""Errors that name the place, by wire paths, and the reason, but hold nothing of the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from acp_wire.models.alternatives import details_of
from acp_wire.models.branches import marked_reader
from acp_wire.models.codec import json_of
from acp_wire.models.members import wire_names

__all__ = ["explained", "require_known", "unwritable"]

_Part = tuple[int | str, int | str, Any]
"""A part of a value: its key in Python, its name on the wire, and itself."""

_DEEPEST = 32
"""The longest path, in steps, to a value that can't be written."""


def explained(
    type_: Any, data: object, refused: ValidationError, *, as_text: bool, tolerant: bool = False
) -> ValidationError:
    """The error to raise where the reader of a type refused JSON text or a decoded value."""
    reason = refused
    if refused.errors(include_input=False)[0]["type"] != "json_invalid":
        reader: Any = marked_reader(type_, tolerant)
        try:
            (reader.validate_json if as_text else reader.validate_python)(data, strict=True)
        except ValidationError as error:
            reason = error
    details = details_of(reason)
    return ValidationError.from_exception_data(
        type_.__name__, details, "json" if as_text else "python", hide_input=True
    )


def require_known(model: type[BaseModel], given: Mapping[str, object], *, any_name: bool) -> None:
    """Refuse two keyword arguments for one member, and arguments without a member.

    Raises:
        TypeError: for the first such argument; it names the member of the most similar name.
    """
    fields = wire_names(model)
    names = {wire: name for name, wire in fields.items()}
    for name in given:
        if name in fields:
            continue
        if name in names:
            if names[name] in given:
                raise TypeError(f"{model.__name__} got both {name!r} and {names[name]!r}")
        elif not any_name:
            close = get_close_matches(name, [*fields, *names], 1)
            hint = f"; did you mean {names.get(close[0], close[0])!r}?" if close else "."
            raise TypeError(
                f"{model.__name__} has no member {name!r}{hint} Data of your own belongs in 'meta';"
                " members of a newer protocol are kept by from_wire"
            )


def unwritable(type_: Any, writer: Any, value: object) -> PydanticSerializationError:
    """The error to raise where the serializer of a type can't write a value."""
    place = ".".join((type_.__name__, *map(str, _unwritable_path(writer, value))))
    place = place.encode("utf-8", "backslashreplace").decode()
    return PydanticSerializationError(
        f"{place} can't be written: its value is not of its type, or JSON has no such value"
    )


def _unwritable_path(writer: Any, value: object) -> tuple[int | str, ...]:
    """The wire path to the part of a value that can't be written, as far as it is found."""
    keys: tuple[int | str, ...] = ()
    path: tuple[int | str, ...] = ()
    part = value
    while len(keys) < _DEEPEST:
        parts = list(_parts(part))
        if not _fails(writer, value, keys, parts) or _fails(writer, value, keys, []):
            break
        while len(parts) > 1:
            half = parts[: len(parts) // 2]
            parts = half if _fails(writer, value, keys, half) else parts[len(half) :]
        ((key, name, part),) = parts
        keys, path = (*keys, key), (*path, name)
    return path


def _parts(value: object) -> Iterator[_Part]:
    match value:
        case BaseModel():
            for name, wire in wire_names(type(value)).items():
                if name in value.__dict__:
                    yield name, wire, value.__dict__[name]
            for name, extra in (value.__pydantic_extra__ or {}).items():
                yield name, name, extra
        case dict():
            yield from ((key, key, item) for key, item in value.items() if isinstance(key, str))
        case list():
            yield from ((index, index, item) for index, item in enumerate(value))
        case _:
            return


def _fails(writer: Any, value: object, keys: tuple[int | str, ...], parts: list[_Part]) -> bool:
    """True if writing fails with some parts only of the value at the end of the keys."""
    include: Any = {key for key, _, _ in parts}
    for key in reversed(keys):
        include = {key: include}
    try:
        json_of(writer, value, include=include)
    except ValueError:
        return True
    return False
