"""The types and methods of a schema as a table of plain tuples, which is quick to import.

The generated `type_table` of a schema has one. acpgen judges and explains messages by it.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["Row", "TypeTable"]

Row = tuple[object, ...]
"""A type or a method. The first part of the row of a type names its kind."""


class TypeTable:
    """The version of a protocol, the rows of its methods, and those of its types by their names."""

    __slots__ = ("methods", "types", "version")

    def __init__(
        self, version: int | None, methods: tuple[Row, ...], types: Mapping[str, Row]
    ) -> None:
        self.version = version
        self.methods = methods
        self.types = types
