"""All rules about schemas, by id."""

from __future__ import annotations

from acpgen.lint.rule import LintRule
from acpgen.rulebook import declared_in

RULES = declared_in(__name__, LintRule)
"""Those that `lint` runs."""
