"""A method as a JSON object, for `generated/json/methods.json` and `acpgen methods`."""

from __future__ import annotations

from acpgen.emit.markdown import first_sentence
from acpgen.model import JsonValue, Method


def method_record(method: Method) -> dict[str, JsonValue]:
    """Return what the retry tables hold of a method; the class is null where it has none."""
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
        "undoes": [*method.undoes],
        "about": [*method.about],
        "page": method.page,
        "summary": first_sentence(method.docs),
    }
