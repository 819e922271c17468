"""Text to Protocol: read, check against the meta-schema and the dialect, resolve, parse.

`load` takes a folder of domain files or a single-file release. It raises a `SchemaError` with the
findings of as many steps as can be taken: each step passes over the definitions in which an
earlier one found something.
"""

from __future__ import annotations

from pathlib import Path

from acpgen.load import references, schema_text
from acpgen.load.parse import parse, unsupported
from acpgen.load.schema_text import SchemaError
from acpgen.model import Protocol

__all__ = ["SchemaError", "load", "reload"]


def load(path: Path | str) -> Protocol:
    """Read a protocol from a folder of domain files or from a single-file release.

    Raises:
        SchemaError: the schema can't be read as a protocol; holds the findings, each with its line
            and JSON Pointer. There may be more when these are fixed.
        OSError: the path can't be read.
    """
    # What is loaded again needs no JSON Schema engine.
    from acpgen.load import dialect_conformance, patterns

    documents, findings = schema_text.read_all(Path(path))
    whole = not findings
    for faults in (dialect_conformance.meta_schema_faults, dialect_conformance.dialect_faults):
        found = [*faults(documents)]
        documents = documents.without(found)
        whole = whole and all(map(schema_text.in_definition, found))
        findings += found
    findings += patterns.unusable(documents)
    if whole:  # otherwise a reference may lead to a definition that was not read
        findings += references.unresolved(documents)
    if findings:
        raise SchemaError([*findings, *(unsupported(documents) if whole else ())])
    return parse(documents)


def reload(path: Path | str) -> Protocol:
    """Read a schema again that has not changed since `load` accepted it, without its checks.

    Raises:
        SchemaError: the schema has changed, and can't be read as a protocol any more.
        OSError: the path can't be read.
    """
    return parse(schema_text.read(Path(path)))
