"""What `acpgen generate --check` finds, explained like rules."""

from __future__ import annotations

from acpgen.emit.tree import Change
from acpgen.findings import Severity
from acpgen.topic import Topic

_DOCS = {
    Change.CHANGED: """
A generated file is what the schema, the templates and acpgen make of it.

Why: who edits it by hand loses the edit with the next `acpgen generate`, and until then it says
something else than the schema.

Mistake: a schema that was edited and not generated from, or an edit below `generated/`; or a
checkout in which git made CRLF of all line ends

Mend: make the change in the schema or in a template, then run the command that is printed. Against
CRLF, put `generated/** eol=lf` into .gitattributes.
""",
    Change.MISSING: """
Every file that follows from the schema is there.

Why: what is missing was added to the schema and not generated, or removed by hand.

Mistake: a new domain file without its page and its models

Mend: run the command that is printed.
""",
    Change.SURPLUS: """
No generated file is left that follows from nothing.

Why: a page or a module of a type that is gone misleads whoever finds it.

Mistake: a domain file that was renamed, with the models of the old name still there

Mend: run the command that is printed; it removes what acpgen wrote and needs no more.
""",
    Change.FOREIGN: """
What acpgen would write has its place free.

Why: a file without acpgen's header, a folder or a link there may be somebody's work, so acpgen
neither replaces nor removes it. A generated file whose header was edited away is one of these.

Mistake: an edit of the first lines of a generated file

Mend: move it away, or put the header back, then run the command that is printed.
""",
}

TOPICS = {
    change: Topic(f"drift-{change.value}", Severity.ERROR, docs.strip())
    for change, docs in _DOCS.items()
}
"""One for each way in which a file may differ from the generated one."""
