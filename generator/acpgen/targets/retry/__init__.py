"""The retry-class table: `acp_v2.retry` for Python, and the same rows as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum

from acpgen.emit.header import HEADER
from acpgen.emit.python import literal
from acpgen.emit.templates import Templates
from acpgen.model import JsonValue, Protocol
from acpgen.targets.retry.decision import MAX_CARRIED, RULINGS
from acpgen.targets.retry.table import MissingClassError, Row, key_limits, rows

__all__ = ["MissingClassError", "Row", "key_limits", "retry", "rows"]


def retry(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The table of a protocol in which every method has a class.

    Raises:
        MissingClassError: a method has none.
    """
    least, most = key_limits(protocol)
    table = rows(protocol)
    return {
        f"python/acp_v{protocol.version or 0}/retry.py": templates.render(
            "retry/retry.py.jinja",
            header=HEADER,
            rows=[_python_row(row) for row in table],
            rulings=[
                {
                    "name": ruling.reason.name,
                    "value": literal(ruling.reason.value),
                    "meaning": ruling.meaning,
                    "answer": ruling.answer.name,
                    "why": literal(ruling.why),
                }
                for ruling in RULINGS
            ],
            key_min=least,
            key_max=most,
            max_carried=MAX_CARRIED,
        ),
        "json/methods.json": _json(protocol.version, table, least, most),
    }


def _python_row(row: Row) -> dict[str, str]:
    """The fields of a row as Python source."""
    fields = {**asdict(row), "resend": row.note}
    del fields["note"]
    return {name: _python(value) for name, value in fields.items()}


def _python(value: str | None) -> str:
    if isinstance(value, StrEnum):
        return f"{type(value).__name__}.{value.name}"
    return literal(value)


def _json(version: int | None, table: tuple[Row, ...], least: int, most: int | None) -> str:
    document: JsonValue = {
        "$comment": HEADER,
        "protocolVersion": version,
        "idempotencyKey": {"minLength": least, "maxLength": most, "unit": "Unicode code point"},
        "methods": [_json_row(row) for row in table],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_row(row: Row) -> JsonValue:
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
        "page": row.page,
        "summary": row.summary,
    }
