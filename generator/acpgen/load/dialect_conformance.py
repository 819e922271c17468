"""Steps two and three of loading: JSON Schema's own meta-schema, then the dialect's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import jsonschema_rs

from acpgen import resources
from acpgen.findings import Finding
from acpgen.load.complaints import MASK, complaints
from acpgen.load.schema_text import Document, Documents, RawSchema, SchemaError
from acpgen.model import Pointer, append
from acpgen.patterns import is_pattern

_META_SCHEMA = {"$ref": "https://json-schema.org/draft/2020-12/schema"}


def require_meta_schema(documents: Documents) -> None:
    """Hold every file to the JSON Schema 2020-12 meta-schema.

    Raises:
        SchemaError: a file breaks it.
    """
    _require(documents, "meta-schema", _validator(_META_SCHEMA))


def require_dialect(documents: Documents) -> None:
    """Hold every file to schema/dialect.schema.json.

    Raises:
        SchemaError: a file has a keyword that the dialect lacks.
    """
    _require(documents, "dialect", _dialect())


@cache
def _dialect() -> jsonschema_rs.Draft202012Validator:
    return _validator(_schema())


@cache
def _schema() -> RawSchema:
    schema: RawSchema = json.loads(resources.DIALECT.read_text("utf-8"))
    return schema


def _validator(schema: RawSchema) -> jsonschema_rs.Draft202012Validator:
    """A validator that asserts formats: a pattern must be a regular expression."""
    return jsonschema_rs.Draft202012Validator(
        schema, validate_formats=True, formats={"regex": is_pattern}, mask=MASK
    )


def _require(
    documents: Documents, rule: str, validator: jsonschema_rs.Draft202012Validator
) -> None:
    findings = [
        finding
        for document in documents.files
        if not validator.is_valid(document.root)
        for finding in _findings(document, rule, validator)
    ]
    if findings:
        raise SchemaError(findings)


def _findings(
    document: Document, rule: str, validator: jsonschema_rs.Draft202012Validator
) -> Iterator[Finding]:
    for error in validator.iter_errors(document.root):
        for path, message in complaints(error, _schema()):
            yield document.finding(rule, append(Pointer(""), *path), message)
