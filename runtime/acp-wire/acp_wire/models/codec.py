"""Reading and writing with a type's own validator and serializer.

The modules that explain failures are imported on the first failure: they would double what a
program pays for its first message.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from acp_wire.models.limits import TOO_DEEP, is_too_deep
from acp_wire.reader import MAX_DEPTH

__all__ = ["Text", "attempt", "explained", "json_of", "read", "read_tolerantly", "write"]

Text = str | bytes | bytearray
"""JSON text. A `str` is always text, never a JSON value that happens to be a string."""

_REPLACEMENT = "\ufffd".encode()


def read(type_: Any, reader: Any, data: object) -> Any:
    """Read JSON text or a decoded value strictly and by wire names.

    Args:
        type_: the model or alias to read.
        reader: the validator of the type: an object with `validate_json` and `validate_python`.
        data: JSON text or a decoded value.

    Raises:
        pydantic.ValidationError: the reader refuses the data, or the text is not JSON.
    """
    try:
        return attempt(reader, data)
    except ValidationError as error:
        refused = error
    # Raised out here, so that the new error doesn't hold the old one, which holds the data.
    raise explained(type_, data, refused)


def read_tolerantly(type_: Any, reader: Any, data: object) -> Any:
    """Read strictly, and with recovery if that fails.

    Raises:
        pydantic.ValidationError: neither reading takes the data, or the text is not JSON.
    """
    try:
        return attempt(reader, data)
    except ValidationError:
        pass  # A valid message reads the same either way.
    from acp_wire.models.tolerance import tolerant_reader

    try:
        return attempt(tolerant_reader(type_), data)
    except ValidationError as error:
        refused = error
    raise explained(type_, data, refused, tolerant=True)


def attempt(reader: Any, data: object) -> Any:
    """Read as `read` does, with errors in pydantic's own words."""
    if isinstance(data, Text):
        _require_json(data)
        return reader.validate_json(data, strict=True)
    return reader.validate_python(data, strict=True)


def explained(
    type_: Any,
    data: object,
    refused: ValidationError,
    *,
    as_text: bool | None = None,
    tolerant: bool = False,
) -> ValidationError:
    """The error to raise where the reader of a type refused the data.

    Args:
        type_: the model or alias that the data was read as.
        data: JSON text or a decoded value.
        refused: the error in pydantic's own words.
        as_text: whether the data was read as JSON text; by default, whether it is text.
        tolerant: whether the reader recovered where it could.
    """
    from acp_wire.models import errors

    as_text = isinstance(data, Text) if as_text is None else as_text
    return errors.explained(type_, data, refused, as_text=as_text, tolerant=tolerant)


def write(type_: Any, writer: Any, value: object) -> bytes:
    """Write a value of a type as JSON in UTF-8, by wire names, with the type's serializer.

    Raises:
        pydantic_core.PydanticSerializationError: the value is not of the type, or JSON has no such
            value.
    """
    try:
        return json_of(writer, value)
    except ValueError:
        pass  # pydantic's own message shows the values, and one may be a key.
    from acp_wire.models.errors import unwritable

    raise unwritable(type_, writer, value)


def json_of(writer: Any, value: object, **options: Any) -> bytes:
    """Write as `write` does, with pydantic's own errors: all are of class ValueError."""
    text: bytes = writer.to_json(value, by_alias=True, warnings="error", **options)
    if is_too_deep(text):
        raise ValueError(TOO_DEEP)
    if b"NaN" in text or b"Infinity" in text:
        from_json(text, allow_inf_nan=False)
    if _REPLACEMENT in text:
        # pydantic also writes it for half a surrogate pair in a member's name.
        from json import dumps

        plain = writer.to_python(value, by_alias=True, **options)
        dumps(plain, ensure_ascii=False, default=str, skipkeys=True).encode()
    return text


def _require_json(data: Text) -> None:
    """Refuse NaN and Infinity, which pydantic reads as JSON, and JSON that nests too deep."""
    if len(data) > MAX_DEPTH and is_too_deep(data.encode() if isinstance(data, str) else data):
        raise _not_json(TOO_DEEP)
    constants = ("NaN", "Infinity") if isinstance(data, str) else (b"NaN", b"Infinity")
    if constants[0] not in data and constants[1] not in data:  # type: ignore[operator]
        return
    try:
        from_json(data, allow_inf_nan=False)
    except ValueError as error:
        message = str(error)
    else:
        return
    raise _not_json(message)


def _not_json(message: str) -> ValidationError:
    details: Any = {"type": "json_invalid", "loc": (), "input": None, "ctx": {"error": message}}
    return ValidationError.from_exception_data("JSON", [details], hide_input=True)
