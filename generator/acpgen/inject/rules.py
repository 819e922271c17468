"""The rules of `acpgen docs inject --check`."""

from __future__ import annotations

from acpgen.rulebook import Group, rule


@rule(Group.DOCS)
def stale_region() -> None:
    """A region between acpgen's markers holds what the schema says.

    Why: the page around it is read as documentation of the protocol. A table that was right for an
    older schema, or was edited by hand, misleads its readers.

    Example: a method that got another retry class, on a page whose table still shows the old one

    Fix: run `acpgen docs inject FILE` and commit the page. Write your own text outside the markers.
    """
