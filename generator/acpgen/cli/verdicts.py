"""Findings from verdicts. They distinguish idempotency keys without revealing them."""

from __future__ import annotations

from collections.abc import Sequence

from acp_wire.keys import looks_like_key, may_hold_key
from acp_wire.reader import Decoded, JsonValue
from acp_wire.redaction import Key, masked
from acpgen.findings import Finding, Severity
from acpgen.judge.fault_limit import MOST
from acpgen.judge.message_text import MessageText
from acpgen.judge.message_verdict import MessageFault, MessageVerdict

FINDINGS_LIMIT = MOST
"""How many findings of one message are printed by default."""
_ERROR = Severity.ERROR
_MORE = "; there are more in this message, which --max-findings leaves out"


def findings_of(
    file: str,
    entry: MessageText,
    verdict: MessageVerdict,
    *,
    transcript: bool = False,
    show_keys: bool = False,
    limit: int = FINDINGS_LIMIT,
) -> list[Finding]:
    """Return the findings of one message, or one line of a transcript; `limit` of them at most.

    A finding about a key shows its length and a short hash, or with `show_keys` the key. All else
    that equals one of the keys in the text is masked, each token of a pointer by itself, and also
    what contains a long key.
    """
    faults = verdict.findings
    if len(faults) > limit:
        last = faults[limit - 1]
        faults = (*faults[: limit - 1], last.replaced(message=f"{last.message}{_MORE}"))
    decoded = entry.decoded
    value = None if decoded is None else decoded.value
    connection: JsonValue = None
    if transcript and isinstance(value, dict):
        connection, value = value.get("connection"), value.get("message")
    elif entry.connection not in (None, ""):
        connection = entry.connection
    findings = [
        Finding(
            fault.rule._value_,
            fault.severity,
            file,
            fault.pointer,
            fault.message,
            entry.line + fault.line - 1,
            verdict.method or "",
            verdict.code if fault.severity is _ERROR else None,
            connection if type(connection) in (int, str) else None,  # type: ignore[arg-type]
            entry.number,
        )
        for fault in faults
    ]
    if decoded is None or not may_hold_key(entry.text):
        return findings
    keys = [] if show_keys else _keys(decoded)
    return [
        _about_keys(finding, keys, f"{fault.message}{_key_at(value, fault, show_keys)}")
        for finding, fault in zip(findings, faults, strict=True)
    ]


def _about_keys(finding: Finding, keys: Sequence[str], message: str) -> Finding:
    """A finding of a message with keys, which are masked but for where it shows one."""
    label = finding.connection
    return finding.replaced(
        pointer=_masked_pointer(finding.pointer, keys),
        message=message,
        subject=masked(finding.subject, keys),
        connection=masked(label, keys) if isinstance(label, str) else label,
    )


def _keys(decoded: Decoded) -> list[str]:
    """The strings under names that look like that of a key, also if such a member is repeated."""
    return [
        member
        for name, member in decoded.members()
        if isinstance(member, str) and member and looks_like_key(name)
    ]


def _key_at(message: JsonValue, fault: MessageFault, show_keys: bool) -> str:
    """The key that a fault is about, if it is about one."""
    if not fault.path or not looks_like_key(str(fault.path[-1])):
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


def _masked_pointer(pointer: str, keys: Sequence[str]) -> str:
    return "/".join(masked(token, keys) for token in masked(pointer, keys).split("/"))
