"""The retry-class table: `acp_v2.retry` for Python, and the same rows as JSON."""

from __future__ import annotations

import json

from acpgen.emit.header import HEADER
from acpgen.emit.python import literal
from acpgen.emit.templates import Templates
from acpgen.model import KEY_TYPE, JsonValue, Method, Protocol, Scalar


class MissingClassError(ValueError):
    """A method says nothing about being sent again, so no table can be made."""


def retry(protocol: Protocol, templates: Templates) -> dict[str, str]:
    """The table of a protocol in which every method has a class.

    Raises:
        MissingClassError: a method has none.
    """
    if unclassed := [m.name for m in protocol.methods if m.retry is None]:
        raise MissingClassError(
            f"no x-retry-class on {', '.join(unclassed)}; `acpgen lint` says where each belongs"
        )
    least, most = key_limits(protocol)
    return {
        f"python/acp_v{protocol.version or 0}/retry.py": templates.render(
            "retry/retry.py.jinja",
            header=HEADER,
            rows=[_python_row(method) for method in protocol.methods],
            key_min=least,
            key_max=most,
        ),
        "json/methods.json": _json(protocol, least, most),
    }


def key_limits(protocol: Protocol) -> tuple[int, int | None]:
    """The least and the greatest length of an idempotency key, in Unicode code points."""
    key = protocol.types.get(KEY_TYPE)
    if key is None or not isinstance(key.body, Scalar):
        return 0, None
    return key.body.min_length or 0, key.body.max_length


def _python_row(method: Method) -> dict[str, str]:
    """The fields of a row as Python source."""
    return {
        "name": literal(method.name),
        "kind": f"Kind.{method.kind.name}",
        "side": f"Side.{method.side.name}",
        "stability": f"Stability.{method.stability.name}",
        "retry_class": f"RetryClass.{method.retry.name}" if method.retry else "None",
        "resend": literal(method.resend),
        "params": literal(method.params),
        "result": literal(method.result),
        "key": literal(method.key),
        "carries": literal(method.carries),
        "page": literal(method.page),
    }


def _json(protocol: Protocol, least: int, most: int | None) -> str:
    document: JsonValue = {
        "$comment": HEADER,
        "protocolVersion": protocol.version,
        "idempotencyKey": {"minLength": least, "maxLength": most, "unit": "Unicode code point"},
        "methods": [_json_row(method) for method in protocol.methods],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_row(method: Method) -> JsonValue:
    return {
        "method": method.name,
        "kind": method.kind.value,
        "side": method.side.value,
        "stability": method.stability.value,
        "retryClass": None if method.retry is None else method.retry.value,
        "resend": method.resend,
        "params": method.params,
        "result": method.result,
        "key": method.key,
        "carries": method.carries,
        "page": method.page,
    }
