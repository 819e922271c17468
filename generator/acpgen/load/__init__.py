"""Text to Protocol: read, check against the meta-schema and the dialect, resolve, parse.

`load` takes a folder of domain files or a single-file release. Every step either succeeds or
raises a `SchemaError` that holds all its findings; later steps may rely on earlier ones.
"""

from __future__ import annotations

from pathlib import Path

from acpgen.load import references, schema_text
from acpgen.load.parse import parse
from acpgen.load.schema_text import SchemaError
from acpgen.model import Protocol

__all__ = ["SchemaError", "load", "reload"]


def load(path: Path | str) -> Protocol:
    """Read a protocol from a folder of domain files or from a single-file release.

    Raises:
        SchemaError: the schema can't be read as a protocol; holds every finding of the step that
            failed, each with its line and JSON Pointer.
        OSError: the path can't be read.
    """
    # What is loaded again needs no JSON Schema engine.
    from acpgen.load import dialect_conformance, patterns

    documents = schema_text.read(Path(path))
    dialect_conformance.require_meta_schema(documents)
    dialect_conformance.require_dialect(documents)
    patterns.require_usable(documents)
    references.require_resolved(documents)
    return parse(documents)


def reload(path: Path | str) -> Protocol:
    """Read a schema again that has not changed since `load` accepted it, without its checks.

    Raises:
        SchemaError: the schema has changed, and can't be read as a protocol any more.
        OSError: the path can't be read.
    """
    return parse(schema_text.read(Path(path)))
