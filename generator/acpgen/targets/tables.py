"""The retry-class table: `acp_v2.retry` for Python, and the same rows as JSON."""

from __future__ import annotations

from acpgen.emit.header import HEADER
from acpgen.emit.templates import Templates
from acpgen.model import JsonValue, Protocol
from acpgen.report.document import encoded
from acpgen.targets.languages import PYTHON
from acpgen.targets.languages.language_table import table
from acpgen.targets.retry import Row, key_limits, rows


def retry(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The table of the methods that have a class.

    Raises:
        MissingClassError: there are methods, but no method has a class.
        TemplateError: the template is missing, broken, or uses an unknown name.
    """
    return {**table(PYTHON, protocol, templates), "json/methods.json": _json(protocol)}


def _json(protocol: Protocol) -> str:
    least, most = key_limits(protocol)
    document: JsonValue = {
        "$comment": HEADER,
        "protocolVersion": protocol.version,
        "idempotencyKey": {"minLength": least, "maxLength": most, "unit": "Unicode code point"},
        "methods": [_row(row) for row in rows(protocol)],
    }
    return encoded(document, indent=2) + "\n"


def _row(row: Row) -> JsonValue:
    return {
        "method": row.name,
        "kind": row.kind.value,
        "side": row.side.value,
        "stability": row.stability.value,
        "retryClass": row.retry_class.value,
        "resend": row.note,
        "params": row.params,
        "result": row.result,
        "key": row.key,
        "carries": row.carries,
        "undoes": [*row.undoes],
        "about": [*row.about],
        "page": row.page,
        "summary": row.summary,
    }
