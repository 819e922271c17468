"""The rules of `acpgen upstream`."""

from __future__ import annotations

from acpgen.findings import Severity
from acpgen.rulebook import Group, rule


@rule(Group.UPSTREAM)
def upstream_ours_only() -> None:
    """A definition that only this schema has is declared.

    Why: a maintainer must see the difference between an addition here and a removal upstream.

    Example: a type that upstream renamed, and that still has its old name here

    Fix: follow upstream, or add an entry with a reason to `schema/upstream.toml`.
    """


@rule(Group.UPSTREAM)
def upstream_theirs_only() -> None:
    """A definition that only upstream has is declared.

    Why: a new release brought it, and it is unknown here. In a stable release it may also be
    unstable here: upstream has made it stable.

    Example: a release with a new method, compared with a schema of the day before

    Fix: add the definition to a domain file of the schema, or take its `x-stability` away, or add
    an entry with a reason to `schema/upstream.toml`.
    """


@rule(Group.UPSTREAM)
def upstream_different() -> None:
    """A definition that both schemas have is the same in both, or the difference is declared.

    Why: peers that follow the two would disagree about messages.

    Example: a member that upstream made optional, and that is still required here

    Fix: follow upstream, or add an entry with the pointer, both values and a reason to
    `schema/upstream.toml`.
    """


@rule(Group.UPSTREAM, Severity.WARNING)
def stale_declaration() -> None:
    """Every entry of upstream.toml declares a difference that is there, with its values.

    Why: an entry that has outlived its difference would hide the next one at the same place.

    Example: the entry for a type that upstream has adopted since

    Fix: remove the entry, or correct its values.
    """


@rule(Group.UPSTREAM)
def overwritten_value() -> None:
    """An overlay replaces no value of a release by another one.

    Why: a class, a list of errors or a key that upstream states is upstream's decision. If ours
    replaced it, nothing would show that the two disagree.

    Example: `"x-retry-class": "not_retried"` in the release, where this schema says `duplicating`

    Fix: follow upstream. Or take ours: `acpgen upstream overlay --overwrite` replaces the listed
    values.
    """
