"""Finds the checkers, the decoders and the types of a schema, each when it is needed."""

from __future__ import annotations

import os
from functools import cached_property

from acpgen.startup import shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_wire.checking import Checkers
    from acp_wire.decoding import Decoders
    from acp_wire.type_rows import TypeTable
    from acpgen.findings import Finding
    from acpgen.model import Protocol

LONG = 1_000_000
"""From how many bytes on decoders save more time than their import takes."""
SHIPPED_VERSION = 2
"""The version of the schema that comes with acpgen, which is not loaded for this."""
VERY_LONG = 4 * LONG
"""From how many bytes on checkers and decoders save more time than making them takes."""


class UnusableSchemaError(Exception):
    """A schema that can't be read as a protocol."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__()
        self.findings = findings


class Shipped:
    """The checkers, decoders and types that come with acpgen."""

    def checkers(self, _: int) -> Checkers | None:
        """The checkers, whatever the size of the input."""
        return shipped.checkers()

    def decoders(self, size: int) -> Decoders | None:
        """The decoders, for long input."""
        return shipped.decoders() if size >= LONG else None

    def table(self) -> TypeTable:
        """The types and methods, needed for a message with findings only."""
        return shipped.table()


class Made:
    """The checkers and decoders of another schema, made where they save time."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def checkers(self, size: int) -> Checkers | None:
        """The checkers, for very long input."""
        return self._checkers if size >= VERY_LONG else None

    def decoders(self, size: int) -> Decoders | None:
        """The decoders, for very long input."""
        return self._decoders if size >= VERY_LONG else None

    def table(self) -> TypeTable:
        """The types and methods."""
        return self._table

    @cached_property
    def _table(self) -> TypeTable:
        from acpgen.types.type_table import type_table

        return type_table(self._protocol)

    @cached_property
    def _checkers(self) -> Checkers:
        from acpgen.targets.checkers.compiled_checkers import compile_checkers

        return compile_checkers(self._protocol)

    @cached_property
    def _decoders(self) -> Decoders | None:
        from acpgen.targets.checkers.compiled_checkers import compile_decoders

        try:
            return compile_decoders(self._protocol, self._checkers)
        except ImportError:
            return None


def of_schema(path: str | None) -> Shipped | Made:
    """The source for the schema at a path, or for the one that comes with acpgen.

    Raises:
        UnusableSchemaError: the schema can't be read as a protocol.
        OSError: the schema can't be read.
    """
    if path is None and shipped.fresh():
        return Shipped()
    from acpgen import resources
    from acpgen.load import SchemaError, load

    if path is not None and os.path.abspath(path) == str(resources.SCHEMA):  # noqa: PTH100
        return of_schema(None)
    from acpgen.cli import input_files

    try:
        return Made(load(input_files.relative(str(resources.SCHEMA) if path is None else path)))
    except SchemaError as error:
        raise UnusableSchemaError(error.findings) from error
