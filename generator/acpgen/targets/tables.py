"""The retry-class table: `acp_v2.retry` for Python, and the same rows as JSON."""

from __future__ import annotations

from acpgen.emit.header import HEADER
from acpgen.emit.templates import Templates
from acpgen.model import JsonValue, Protocol
from acpgen.report.document import encoded
from acpgen.targets.languages import PYTHON
from acpgen.targets.languages.language_table import table
from acpgen.targets.method_record import method_record
from acpgen.targets.retry import key_limits


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
        "methods": [method_record(m) for m in protocol.methods if m.retry is not None],
    }
    return encoded(document, indent=2) + "\n"
