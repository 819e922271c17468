"""Verdicts on messages: how a conforming receiver handles them, derived from the schema.

Needs the standard library and `acp_wire` only, and nothing that acpgen generates. The names of the
package are imported when they are first used: reading a stream of clean messages needs none.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acpgen.judge.single import validate
    from acpgen.judge.transcript import Transcript
    from acpgen.judge.verdict import (
        ErrorCode,
        MessageFault,
        MessageKind,
        MessageRule,
        MessageVerdict,
    )

__all__ = [
    "ErrorCode",
    "MessageFault",
    "MessageKind",
    "MessageRule",
    "MessageVerdict",
    "Transcript",
    "validate",
]

_HOMES = {"Transcript": "transcript", "validate": "single"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = import_module(f"{__name__}.{_HOMES.get(name, 'verdict')}")
    return getattr(home, name)
