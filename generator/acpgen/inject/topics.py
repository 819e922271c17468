"""What `acpgen docs inject --check` finds, explained like a rule."""

from __future__ import annotations

from acpgen.findings import Severity
from acpgen.topic import Topic

STALE_REGION = Topic(
    "stale-region",
    Severity.ERROR,
    """
A region between acpgen's markers holds what the schema says.

Why: the page around it is read as documentation of the protocol. A table that was right for an
older schema, or was edited by hand, misleads its readers.

Mistake: a method that got another retry class, on a page whose table still shows the old one

Mend: run `acpgen docs inject FILE` and commit the page. Write your own text outside the markers.
""".strip(),
)
"""One for each region that is not as generated."""
