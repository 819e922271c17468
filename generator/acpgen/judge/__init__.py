"""Verdicts on messages: how a conforming receiver handles them, derived from the schema.

Needs the standard library and `acp_wire` only, and nothing that acpgen generates.
"""

from __future__ import annotations

from acpgen.judge.message_verdict import (
    ErrorCode,
    MessageFault,
    MessageKind,
    MessageRule,
    MessageVerdict,
)
from acpgen.judge.single import validate
from acpgen.judge.transcript import Transcript

__all__ = [
    "ErrorCode",
    "MessageFault",
    "MessageKind",
    "MessageRule",
    "MessageVerdict",
    "Transcript",
    "validate",
]
