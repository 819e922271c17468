"""Readers of models and aliases, made from pydantic's core schemas.

A class with members that must not reach a log is `protected`: in its own core schema, errors lose
the input. That costs a copy of the data, and `codec.read` rewrites all errors anyway, so the
readers here are without it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import CoreConfig, CoreSchema, SchemaValidator, core_schema

from acp_wire.models.members import is_private

__all__ = ["core_of", "protected", "reader_of", "validator_of"]

PROTECTED = "acp-protected"
"""The mark, in its metadata, of a core schema whose errors hold nothing of the input."""


def validator_of(model: type[BaseModel]) -> Any:
    """The validator of a model, without protection."""
    return _plain_reader(model) if is_private(model) else model.__pydantic_validator__


@cache
def _plain_reader(model: type[BaseModel]) -> SchemaValidator:
    return reader_of(model, core_of(model))


def protected(
    core: CoreSchema, explain: Callable[[object, ValidationError], Exception]
) -> CoreSchema:
    """A core schema whose errors hold nothing of the input, wherever it is part of another.

    Args:
        core: the core schema of a model.
        explain: makes the error to raise from the data and the error that pydantic raised.
    """

    def read(value: object, handler: Callable[[object], object]) -> object:
        try:
            return handler(value)
        except ValidationError as error:
            refused = error
        raise explain(value, refused)

    return core_schema.no_info_wrap_validator_function(read, core, metadata={PROTECTED: True})


def core_of(type_: Any) -> Any:
    """The core schema of a model or an alias, which must not be changed in place."""
    adapter = TypeAdapter(type_)
    adapter.rebuild()
    core: Any = adapter.core_schema
    if core["type"] == "definitions":
        return {**core, "schema": _unprotected(core["schema"])}
    return _unprotected(core)


def _unprotected(core: Any) -> Any:
    return core["schema"] if PROTECTED in (core.get("metadata") or {}) else core


def reader_of(type_: Any, core: Any) -> SchemaValidator:
    """A strict reader for a changed core schema of a type."""
    config = CoreConfig(
        title=type_.__name__,
        strict=True,
        hide_input_in_errors=True,
        regex_engine="python-re",
    )
    # With prebuilt validators, a class would read with its own one, without the changes.
    return SchemaValidator(core, config, _use_prebuilt=False)
