"""What `acpgen upstream compare` finds, explained like rules."""

from __future__ import annotations

from acpgen.findings import Severity
from acpgen.topic import Topic
from acpgen.upstream.declared import Status

_DOCS = {
    Status.OURS_ONLY: """
What only this schema defines is declared.

Why: whoever follows upstream has to tell what was added on purpose from what upstream removed.

Mistake: a type that upstream renamed, and that still goes by its old name here

Mend: follow upstream, or add an entry with a reason to `schema/upstream.toml`.
""",
    Status.THEIRS_ONLY: """
What only upstream defines is declared.

Why: it is what a new release brought, and here nobody knows it yet. Of a stable release that goes
for what is unstable here, too: upstream has made it stable.

Mistake: a release with a new method, compared with a schema of the day before

Mend: add the definition to a domain file of the schema, or take its `x-stability` away, or add an
entry with a reason to `schema/upstream.toml`.
""",
    Status.DIFFERENT: """
A definition that both schemas have is the same in both, or the difference is declared.

Why: peers that follow the two would disagree about messages.

Mistake: a member that upstream made optional, and that is still required here

Mend: follow upstream, or add an entry with the pointer, both values and a reason to
`schema/upstream.toml`.
""",
}

TOPICS = {
    status: Topic(f"upstream-{status.value}", Severity.ERROR, docs.strip())
    for status, docs in _DOCS.items()
}
"""One for each way in which a definition may differ."""

STALE_DECLARATION = Topic(
    "stale-declaration",
    Severity.WARNING,
    """
Every entry of upstream.toml declares a difference that is there, in the values that it names.

Why: an entry that has outlived its difference would hide the next one at the same place.

Mistake: the entry for a type that upstream has adopted since

Mend: remove the entry, or correct its values.
""".strip(),
)
"""One for each entry that declares nothing, though both schemas could differ there."""

OVERWRITTEN_VALUE = Topic(
    "overwritten-value",
    Severity.ERROR,
    """
What an overlay would put into a release is not there yet, or is the same.

Why: a class, a list of errors or a key of upstream's own is a decision of upstream's. Replaced by
ours, it would go unnoticed that the two disagree.

Mistake: `"x-retry-class": "not_retried"` in the release, where this schema says `duplicating`

Mend: follow upstream. Or take ours: `acpgen upstream overlay --overwrite` replaces what is listed.
""".strip(),
)
"""One for each value of a release that an overlay would change."""
