"""Upstream's releases: their differences from this schema, and what this schema adds to them."""

from __future__ import annotations

from acpgen.upstream.comparing import Comparison, compare
from acpgen.upstream.declared import Declared, DeclaredError, Status, read_declared
from acpgen.upstream.differences_found import overwriting, stale, undeclared
from acpgen.upstream.overlaying import Replacement, annotate, apply, moved, replacements, shared
from acpgen.upstream.printing import printed

__all__ = [
    "Comparison",
    "Declared",
    "DeclaredError",
    "Replacement",
    "Status",
    "annotate",
    "apply",
    "compare",
    "moved",
    "overwriting",
    "printed",
    "read_declared",
    "replacements",
    "shared",
    "stale",
    "undeclared",
]
