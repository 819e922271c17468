"""The rule about `accepted.toml`, which `acpgen.lint.accepted` and `acpgen diff` apply."""

from __future__ import annotations

from acpgen.findings import Severity
from acpgen.rulebook import Group, rule


@rule(Group.LINT, Severity.WARNING)
def stale_acceptance() -> None:
    """Every entry of accepted.toml has a reason and accepts an existing finding.

    Why: an entry that has outlived its finding would hide the next one at the same place.

    Example: an entry for a definition that was renamed, or without `reason`, or for a released
    change

    Fix: remove the entry, or correct its rule and pointer, and for a change its what, from and to.
    What stops the loader can't be accepted.
    """
