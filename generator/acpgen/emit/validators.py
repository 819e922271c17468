"""Validators of named types, which share one set of definitions."""

from __future__ import annotations

from urllib.parse import quote

import jsonschema_rs

from acpgen.emit.jsonschema import DIALECT, JsonSchema
from acpgen.model import Pointer, append

_HOME = "urn:acpgen:definitions"


class Validators:
    """Validates instances of the types in the `$defs` of one schema.

    The definitions are taken in once, however many types are asked for. Messages call an instance
    by `mask` instead of showing it. `formats` says whether formats are asserted.
    """

    def __init__(
        self, definitions: JsonSchema, *, mask: str | None = None, formats: bool = False
    ) -> None:
        home: JsonSchema = {"$schema": DIALECT, "$defs": definitions}
        self._registry = jsonschema_rs.Registry([(_HOME, home)])
        self._mask = mask
        self._formats = formats
        self._known: dict[str, jsonschema_rs.Validator] = {}

    def of(self, name: str) -> jsonschema_rs.Validator:
        """The validator of the type of that name.

        Raises:
            jsonschema_rs.ValidationError: there is no such type, or one that it refers to.
        """
        if name not in self._known:
            fragment = quote(append(Pointer(""), "$defs", name))
            self._known[name] = jsonschema_rs.Draft202012Validator(
                {"$schema": DIALECT, "$ref": f"{_HOME}#{fragment}"},
                registry=self._registry,
                validate_formats=self._formats,
                mask=self._mask,
            )
        return self._known[name]
