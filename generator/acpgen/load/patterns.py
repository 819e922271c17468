"""A step of loading: every regular expression is judged alike by all that acpgen generates."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen import patterns
from acpgen.load.references import subschemas
from acpgen.load.schema_text import Documents, RawSchema, SchemaError
from acpgen.model import Pointer, append


def require_usable(documents: Documents) -> None:
    """Check the patterns of all files.

    Raises:
        SchemaError: one holds what acpgen has not, or can take too long on some text.
    """
    findings = [
        document.finding("unusable-pattern", pointer, reason)
        for document in documents.files
        for name, definition in document.definitions.items()
        for pointer, schema in subschemas(definition, append(Pointer("/$defs"), name))
        for pointer, reason in _faults(schema, pointer)
    ]
    if findings:
        raise SchemaError(findings)


def _faults(schema: RawSchema, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    if isinstance(pattern := schema.get("pattern"), str):
        try:
            patterns.require_usable(pattern, schema.get("maxLength"))
        except patterns.PatternError as error:
            yield append(pointer, "pattern"), str(error)
