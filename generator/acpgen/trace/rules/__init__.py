"""All rules, by id."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.trace.rule import Rule
from acpgen.trace.rules import answers, insertions, keys, lifecycle, outcomes, pairing, resends

_MODULES = (answers, insertions, keys, lifecycle, outcomes, pairing, resends)

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            value
            for module in _MODULES
            for value in vars(module).values()
            if isinstance(value, Rule)
        ),
        key=lambda rule: rule.id,
    )
)

TOPICS: Mapping[str, Rule] = {rule.id: rule for rule in RULES}
"""By id, for whoever explains findings."""
