"""Steps two and three of loading: JSON Schema's own meta-schema, then the dialect's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import jsonschema_rs

from acpgen import resources
from acpgen.findings import Finding
from acpgen.load.complaints import MASK, complaints
from acpgen.load.schema_text import Document, Documents, RawSchema
from acpgen.model import Pointer, append
from acpgen.patterns import is_pattern

_META_SCHEMA = {"$ref": "https://json-schema.org/draft/2020-12/schema"}


def meta_schema_faults(documents: Documents) -> Iterator[Finding]:
    """What breaks the JSON Schema 2020-12 meta-schema, in all files."""
    return _faults(documents, "meta-schema", _validator(_META_SCHEMA))


def dialect_faults(documents: Documents) -> Iterator[Finding]:
    """What breaks schema/dialect.schema.json, in all files."""
    return _faults(documents, "dialect", _dialect())


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


def _faults(
    documents: Documents, rule: str, validator: jsonschema_rs.Draft202012Validator
) -> Iterator[Finding]:
    for document in documents.files:
        if not validator.is_valid(document.root):
            yield from _findings(document, rule, validator)


def _findings(
    document: Document, rule: str, validator: jsonschema_rs.Draft202012Validator
) -> Iterator[Finding]:
    for error in validator.iter_errors(document.root):
        for path, message in complaints(error, _schema()):
            yield document.finding(rule, append(Pointer(""), *path), message)
