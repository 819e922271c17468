"""A step of loading: every regular expression is judged alike by all that acpgen generates."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen import patterns
from acpgen.findings import Finding
from acpgen.load.references import subschemas
from acpgen.load.schema_text import Documents, RawSchema
from acpgen.model import Pointer, append


def unusable(documents: Documents) -> Iterator[Finding]:
    """The patterns of all files that hold what acpgen lacks, or can take too long on some text."""
    for document in documents.files:
        for name, definition in document.definitions.items():
            for pointer, schema in subschemas(definition, append(Pointer("/$defs"), name)):
                for place, reason in _faults(schema, pointer):
                    yield document.finding("unusable-pattern", place, reason)


def _faults(schema: RawSchema, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    if isinstance(pattern := schema.get("pattern"), str):
        try:
            patterns.require_usable(pattern, schema.get("maxLength"))
        except patterns.PatternError as error:
            yield append(pointer, "pattern"), str(error)
