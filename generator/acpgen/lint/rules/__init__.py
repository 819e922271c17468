"""All rules, by id."""

from __future__ import annotations

from acpgen.lint.rule import Rule
from acpgen.lint.rules import (
    classes,
    errors,
    examples,
    graph,
    keys,
    methods,
    names,
    outputs,
    prose,
    shapes,
    stability,
)

_MODULES = (
    classes,
    errors,
    examples,
    graph,
    keys,
    methods,
    names,
    outputs,
    prose,
    shapes,
    stability,
)

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
