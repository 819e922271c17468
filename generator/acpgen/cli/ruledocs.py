"""The documentation of rules, for reports that carry it along."""

from __future__ import annotations

from collections.abc import Callable


def docs_of(command: str) -> Callable[[str], str | None]:
    """What looks up the documentation of a rule by its id: that of a command where it has one."""

    def look_up(rule: str) -> str | None:
        # Documentation is all over acpgen, and most reports do without.
        from acpgen.cli.rules import everything

        found = [each for each in everything() if each.topic.id == rule]
        found.sort(key=lambda each: each.command != command)
        return found[0].topic.docs if found else None

    return look_up
