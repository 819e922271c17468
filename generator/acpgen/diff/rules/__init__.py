"""All kinds of change, by id."""

from __future__ import annotations

from acpgen.diff.rule import ChangeRule
from acpgen.rulebook import declared_in

RULES = declared_in(__name__, ChangeRule)
