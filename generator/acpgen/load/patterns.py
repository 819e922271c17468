"""A step of loading: every regular expression is judged alike by all that acpgen generates."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen import patterns
from acpgen.findings import Finding
from acpgen.load.references import subschemas
from acpgen.load.schema_text import Documents, RawSchema
from acpgen.model import Pointer, append

_MOST_ADVISED = 20
"""For so many patterns of a schema a maxLength is looked for, which takes longest."""


def unusable(documents: Documents) -> Iterator[Finding]:
    """The patterns of all files that hold what acpgen lacks, or can take too long on some text."""
    advised = 0
    for document in documents.files:
        for name, definition in document.definitions.items():
            for pointer, schema in subschemas(definition, append(Pointer("/$defs"), name)):
                reason = _complaint(schema)
                if reason is None:
                    continue
                advised += 1
                advice = _length_advice(schema) if advised <= _MOST_ADVISED else ""
                message = f"{reason}; {advice}" if advice else reason
                yield document.finding("unusable-pattern", append(pointer, "pattern"), message)


def _complaint(schema: RawSchema) -> str | None:
    if isinstance(pattern := schema.get("pattern"), str):
        try:
            patterns.require_usable(pattern, schema.get("maxLength"))
        except patterns.PatternError as error:
            return str(error)
    return None


def _length_advice(schema: RawSchema) -> str:
    try:
        return patterns.length_advice(schema["pattern"], schema.get("maxLength"))
    except patterns.PatternError:
        return ""
