"""All rules about recordings, by id."""

from __future__ import annotations

from acpgen.rulebook import declared_in
from acpgen.trace.rule import TraceRule

RULES = declared_in(__name__, TraceRule)
