"""All rules, by id: one for each kind of change."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.diff.kinds import Kind
from acpgen.diff.rule import Rule
from acpgen.diff.rules import choices, enums, members, methods, names, promises, values

_MODULES = (choices, enums, members, methods, names, promises, values)

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

TOPICS: Mapping[Kind, Rule] = {rule.id: rule for rule in RULES}
"""By id, for whoever explains findings."""
