"""The rules that the loader holds a schema to. A schema that breaks one is not loaded."""

from __future__ import annotations

from acpgen.rulebook import Group, rule


@rule(Group.LOAD)
def circular_ref() -> None:
    """A chain of references ends at a type.

    Why: a definition that is itself, through references and unions alone, admits no value that one
    could write down. A circle through a member or an array is fine: it ends where data ends.

    Example: `"A": {"$ref": "#/$defs/B"}, "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}`

    Fix: give one of them a body of its own.
    """


@rule(Group.LOAD)
def dialect() -> None:
    """A schema file has only keywords of `schema/dialect.schema.json`.

    Why: JSON Schema ignores keywords that it doesn't know, so a misspelt one would have no
    effect. The dialect lists the keywords and annotations that acpgen understands, and where each
    is allowed.

    Example: `{"type": "string", "minLenght": 1}`, or x-resend without x-retry-class

    Fix: correct the keyword, or use those of the dialect. Add what a keyword
    needs beside it. `acpgen explain missing-retry-class` has more about x-retry-class.
    """


@rule(Group.LOAD)
def duplicate_member() -> None:
    """No JSON object names a member twice.

    Why: parsers silently keep the first or the last, so two readers see two schemas.

    Example: `{"type": "string", "type": "integer"}`

    Fix: keep one.
    """


@rule(Group.LOAD)
def empty_schema() -> None:
    """The folder holds schema files.

    Why: `acpgen` was given a folder without a single `*.json` file, most likely the wrong one.

    Example: `acpgen lint schema`, where the files are in `schema/v2`

    Fix: name the folder that holds the domain files, or a single-file release.
    """


@rule(Group.LOAD)
def meta_schema() -> None:
    """A schema file is a valid JSON Schema of draft 2020-12.

    Why: the bundles are handed to every JSON Schema validator there is.

    Example: `{"type": "strnig"}`

    Fix: correct the keyword's value.
    """


@rule(Group.LOAD)
def not_json() -> None:
    """A schema file is one JSON object (RFC 8259) in UTF-8.

    Why: parsers differ in what else they let pass: NaN, trailing commas, other encodings.

    Example: `{"minimum": NaN}`

    Fix: correct the text at the line named.
    """


@rule(Group.LOAD)
def protocol_version() -> None:
    """A schema states the version of the protocol once.

    Why: generated packages and files are named after it, as `acp_v2` is. Linting and judging do
    without a version, generating doesn't; and with two, a reader of the other file or the
    folder's name is misled.

    Example: `acpgen generate --schema ~/Downloads/schema.json`, or `"x-protocol-version": 2` in one
    file and `3` in another, or in the folder `v3`

    Fix: write `"x-protocol-version": 2` beside `$defs` in one file, or let the folder be called
    `v2`.
    """


@rule(Group.LOAD)
def repeated_definition() -> None:
    """A type is defined in one file only.

    Why: bundles put all definitions side by side, where a name is unique.

    Example: `Foo` under `$defs` in both `a.json` and `b.json`

    Fix: keep one definition and refer to it, or rename the other. Where a folder holds several
    schemas of one file each, name the file.
    """


@rule(Group.LOAD)
def schema_size() -> None:
    """A schema has no more files, bytes, definitions, values and levels than can be worked with.

    Why: the work of acpgen grows with each of them, and a schema may come from anyone. The limits
    are far above what a protocol needs: a schema of 16 MiB in 1,000 files, with 2,000 definitions,
    100,000 JSON values and types on 1,000 levels inside each other. Too many files or bytes are an
    error of status 2, since they are not read.

    Example: a chain of 500 definitions, each with a member of the type of the next

    Fix: split the schema, or set the environment variable that the message names to a higher limit,
    as `ACPGEN_SCHEMA_VALUES=500000`.
    """


@rule(Group.LOAD)
def unresolved_ref() -> None:
    """Every `$ref` leads to a definition of this schema.

    Why: what it refers to would be missing from all that is generated.

    Example: `{"$ref": "#/$defs/SesionId"}`

    Fix: correct the name or the file; domain files refer to each other as `file.json#/$defs/Name`.
    Name the folder instead of one of its files: only a release is a schema in one file.
    """


@rule(Group.LOAD)
def unsupported_schema() -> None:
    """Keywords are combined in ways that a type can be made of.

    Why: acpgen turns every schema into one of a few kinds of type. What fits none of them would
    lose a part of its meaning on the way, so it is refused.

    Example: `{"$ref": "#/$defs/Name", "minLength": 3}`

    Fix: write a definition of its own; the message names the keywords.
    """


@rule(Group.LOAD)
def unusable_pattern() -> None:
    r"""A regular expression means the same in every engine, and always comes to an end.

    Why: a pattern is one of ECMA-262 with the flag `u`, as JSON Schema demands. Python, Rust and
    every engine that reads a bundle have to agree on it. So acpgen writes out what `\d`, `\w`,
    `\s`, `\b`, `.` and `$` mean. It refuses what other engines don't have: `\p{...}`, `\B`,
    backreferences, and a lookbehind of variable length. An engine that backtracks can hang on one
    line if there are many ways to read a text. A pattern is refused unless their number is bounded.

    Example: `"pattern": "^(a+)+$"`, `"^[^@]+@[^@]+\\.[^@]+$"` or `"^\\p{L}+$"`

    Fix: write `^a+$`, or a class of ranges instead of `\p{...}`. Two parts that can follow each
    other must not begin with the same character, as in `^[^@]+@[^@.]+(\.[^@.]+)+$`. Or begin the
    pattern with `^`, or add a maxLength, which is checked before the pattern. The message names one
    that suffices, if there is one.
    """
