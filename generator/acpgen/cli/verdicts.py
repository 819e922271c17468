"""From verdicts to findings, which tell idempotency keys apart and don't tell them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from acpgen.findings import Finding, Severity
from acpgen.judge.inputs import Entry
from acpgen.judge.spelling import KEY_SKELETON, SEPARATORS, names_key
from acpgen.judge.verdict import Fault, Verdict
from acpgen.model import JsonValue, Pointer, append
from acpgen.redaction import Key

_NAME = KEY_SKELETON.encode("ascii")
_SEPARATORS = SEPARATORS.encode("ascii")
_SHORTEST = 8
"""From how many characters on a key is hidden where it is a part of something, too."""


def findings_of(
    file: str, entry: Entry, verdict: Verdict, *, transcript: bool = False, show_keys: bool = False
) -> list[Finding]:
    """The findings of one message, or one line of a transcript.

    What is said about a key has its length and a short hash, or with `show_keys` the key. Hidden is
    whatever else equals one of the keys in the text, each token of a pointer by itself, and what
    contains a long one.
    """
    keys: list[str] = []
    value = _value(entry.text, keys) if _tells_more(entry.text) else None
    if show_keys:
        keys.clear()
    connection: JsonValue = None
    if transcript and isinstance(value, dict):
        connection, value = value.get("connection"), value.get("message")
    label = _label(connection, keys)
    return [
        Finding(
            rule=fault.rule.value,
            severity=fault.severity,
            file=file,
            pointer=_place_without(fault.pointer, keys),
            message=fault.message + _about_key(value, fault, show_keys),
            line=entry.line + fault.line - 1,
            subject=_without(verdict.method or "", keys),
            code=verdict.code if fault.severity is Severity.ERROR else None,
            connection=label,
        )
        for fault in verdict.findings
    ]


def _tells_more(text: bytes) -> bool:
    """Whether a text may hold a key or the name of a connection: most don't, which is quick to see.

    Escapes and other letters than those of ASCII may spell what isn't seen in the bytes.
    """
    bones = text.translate(None, _SEPARATORS).lower()
    return b"\\u" in text or not text.isascii() or _NAME in bones or b'"connection"' in bones


def _label(connection: JsonValue, keys: Sequence[str]) -> int | str | None:
    if isinstance(connection, str):
        return _without(connection, keys)
    return connection if type(connection) is int else None


def _value(text: bytes, keys: list[str]) -> JsonValue:
    """What a text holds; None where it is no JSON, of which findings repeat nothing.

    Adds to `keys` the strings under the name of a key, however that is spelled and often it occurs.
    """

    def members(pairs: list[tuple[str, JsonValue]]) -> JsonValue:
        keys.extend(
            member
            for name, member in pairs
            if isinstance(member, str) and member and names_key(name)
        )
        return dict(pairs)

    try:
        value: JsonValue = json.loads(text, object_pairs_hook=members)
    except (ValueError, RecursionError):
        return None
    return value


def _about_key(message: JsonValue, fault: Fault, show_keys: bool) -> str:
    """Which key a fault is about, if it is about one."""
    if not fault.path or not names_key(str(fault.path[-1])):
        return ""
    value = message
    for token in fault.path:
        if isinstance(value, dict) and isinstance(token, str):
            value = value.get(token)
        elif isinstance(value, list) and isinstance(token, int) and token < len(value):
            value = value[token]
        else:
            return ""
    return f" ({Key.of(value, shown=show_keys)})" if isinstance(value, str) and value else ""


def _place_without(pointer: str, keys: Sequence[str]) -> str:
    if not keys:
        return pointer
    return "/".join(_without(token, keys) for token in _without(pointer, keys).split("/"))


def _without(text: str, keys: Sequence[str]) -> str:
    for key in keys:
        for spelling in (key, append(Pointer(""), key)[1:]):
            if text == spelling or (len(key) >= _SHORTEST and spelling in text):
                text = text.replace(spelling, f"[{Key.of(key)}]")
    return text
