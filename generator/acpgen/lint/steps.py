"""The findings that stop the loader, explained like rules. None of them can be accepted."""

from __future__ import annotations

from acpgen.findings import Severity
from acpgen.topic import Topic

_DOCS = {
    "empty-schema": """
The folder holds schema files.

Why: `acpgen` was given a folder without a single `*.json` file, most likely the wrong one.

Mistake: `acpgen lint schema`, where the files are in `schema/v2`

Mend: name the folder that holds the domain files, or a single-file release.
""",
    "protocol-version": """
A schema tells the version of the protocol once.

Why: generated packages and files are named after it, as `acp_v2` is. Linting and judging do without
a version, generating doesn't; and with two, whoever reads the other file or the folder's name is
misled.

Mistake: `acpgen generate --schema ~/Downloads/schema.json`, or `"x-protocol-version": 2` in one
file and `3` in another, or in the folder `v3`

Mend: write `"x-protocol-version": 2` beside `$defs` in one file, or let the folder be called `v2`.
""",
    "not-json": """
A schema file is one JSON object (RFC 8259) in UTF-8.

Why: parsers differ in what else they let pass: NaN, trailing commas, other encodings.

Mistake: `{"minimum": NaN}`

Mend: correct the text at the line named.
""",
    "duplicate-member": """
No JSON object names a member twice.

Why: parsers keep the first or the last and say nothing, so two readers see two schemas.

Mistake: `{"type": "string", "type": "integer"}`

Mend: keep one.
""",
    "meta-schema": """
A schema file is a valid JSON Schema of draft 2020-12.

Why: the bundles are handed to every JSON Schema validator there is.

Mistake: `{"type": "strnig"}`

Mend: correct the keyword's value.
""",
    "dialect": """
A schema file says only what `schema/dialect.schema.json` has words for.

Why: JSON Schema passes over keywords that it doesn't know, so a misspelt one would have no effect.
The dialect lists the keywords and annotations that acpgen understands, and where each may stand.

Mistake: `{"type": "string", "minLenght": 1}`, or x-resend without x-retry-class

Mend: correct the keyword, or say it with those that the dialect has. What it misses beside another
keyword, add; of x-retry-class `acpgen explain missing-retry-class` tells more.
""",
    "unusable-pattern": r"""
A regular expression means the same everywhere, and none takes for ever.

Why: a pattern is one of ECMA-262 with the flag `u`, which is what JSON Schema says, and is judged
by Python, by Rust and by every engine that reads a bundle. So acpgen writes out what `\d`, `\w`,
`\s`, `\b`, `.` and `$` mean, and refuses what others have not: `\p{...}`, backreferences, and a
lookbehind whose length varies. An engine that backtracks may take for ever on one line if a text
can be read in many ways, so a pattern of which this is not excluded is refused, too.

Mistake: `"pattern": "^(a+)+$"`, `"^[^@]+@[^@]+\\.[^@]+$"` or `"^\\p{L}+$"`

Mend: write `^a+$`, or a class of ranges instead of `\p{...}`. Let no two parts that can follow each
other begin with the same character, as in `^[^@]+@[^@.]+(\.[^@.]+)+$`; begin the pattern with `^`;
or give the string a small maxLength, which is checked before the pattern.
""",
    "unresolved-ref": """
Every `$ref` leads to a definition of this schema.

Why: what it refers to would be missing from all that is generated.

Mistake: `{"$ref": "#/$defs/SesionId"}`

Mend: correct the name or the file; domain files refer to each other as `file.json#/$defs/Name`.
Name the folder instead of one of its files: only a release is a schema in one file.
""",
    "circular-ref": """
Following references comes to a type in the end.

Why: a definition that is itself, through references and choices alone, admits no value that one
could write down. A circle through a member or an array is fine: it ends where data ends.

Mistake: `"A": {"$ref": "#/$defs/B"}, "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}`

Mend: give one of them a body of its own.
""",
    "repeated-definition": """
A type is defined in one file only.

Why: bundles put all definitions side by side, where a name stands once.

Mistake: `Foo` under `$defs` in both `a.json` and `b.json`

Mend: keep one definition and refer to it, or rename the other. Where a folder holds several schemas
of one file each, name the file.
""",
    "unsupported-schema": """
Keywords are combined in ways that a type can be made of.

Why: acpgen turns every schema into one of a few kinds of type. What fits none of them would lose a
part of its meaning on the way, so it is refused.

Mistake: `{"$ref": "#/$defs/Name", "minLength": 3}`

Mend: say the same with a definition of its own; the message names the keywords.
""",
}

STEPS = tuple(Topic(id_, Severity.ERROR, docs.strip()) for id_, docs in sorted(_DOCS.items()))
"""One for each id that `acpgen.load.load` raises findings under."""
