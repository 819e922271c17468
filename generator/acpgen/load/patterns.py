"""A step of loading: every regular expression is judged alike by all that acpgen generates."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen import patterns
from acpgen.findings import Finding
from acpgen.load.references import subschemas
from acpgen.load.schema_limits import SchemaLimits, advice
from acpgen.load.schema_text import Document, Documents
from acpgen.model import Pointer, append

_MOST_ADVISED = 5
"""For so many patterns of a schema a maxLength is looked for, which takes longest."""


def unusable(documents: Documents) -> Iterator[Finding]:
    """The patterns of all files that hold what acpgen lacks, or can take too long on some text.

    Examining them all together takes no more steps than the limit allows.
    """
    most = SchemaLimits.current().pattern_steps
    known: dict[tuple[str, int | None], str | None] = {}
    spent = advised = 0
    for document, pointer, pattern, length in _patterns(documents):
        place = append(pointer, "pattern")
        if (pattern, length) not in known:
            known[pattern, length], steps = _complaint(pattern, length)
            spent += steps
            if spent > most:
                message = f"is where examining the patterns takes more than {most} steps; "
                yield document.finding("schema-size", place, message + advice("pattern_steps"))
                return
        if (reason := known[pattern, length]) is not None:
            advised += 1
            helps = _length_advice(pattern, length) if advised <= _MOST_ADVISED else ""
            message = f"{reason}; {helps}" if helps else reason
            yield document.finding("unusable-pattern", place, message)


def _patterns(documents: Documents) -> Iterator[tuple[Document, Pointer, str, int | None]]:
    """Each pattern with its file, the place of its schema, and the maxLength there."""
    for document in documents.files:
        for name, definition in document.definitions.items():
            for pointer, schema in subschemas(definition, append(Pointer("/$defs"), name)):
                if isinstance(pattern := schema.get("pattern"), str):
                    yield document, pointer, pattern, schema.get("maxLength")


def _complaint(pattern: str, length: int | None) -> tuple[str | None, int]:
    """Why a pattern is refused, if it is, and the steps that it took to tell."""
    try:
        examination = patterns.examined(pattern, length)
    except patterns.PatternError as error:
        return str(error), 1
    return examination.complaint, examination.steps


def _length_advice(pattern: str, length: int | None) -> str:
    try:
        return patterns.length_advice(pattern, length)
    except patterns.PatternError:
        return ""
