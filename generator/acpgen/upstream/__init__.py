"""Following upstream: how its releases compare with this schema, and what this one adds to them."""

from __future__ import annotations

from acpgen.upstream.applying import annotate, apply, shared
from acpgen.upstream.compare import Comparison, compare
from acpgen.upstream.declared import Declared, DeclaredError, Status, read_declared
from acpgen.upstream.findings import stale, undeclared, with_lines
from acpgen.upstream.printing import printed
from acpgen.upstream.topics import STALE_DECLARATION, TOPICS

__all__ = [
    "STALE_DECLARATION",
    "TOPICS",
    "Comparison",
    "Declared",
    "DeclaredError",
    "Status",
    "annotate",
    "apply",
    "compare",
    "printed",
    "read_declared",
    "shared",
    "stale",
    "undeclared",
    "with_lines",
]
