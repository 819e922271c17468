"""Rules about names, structure and texts: what changes types or pages, and no message."""

from __future__ import annotations

from acpgen.diff.difference import Difference
from acpgen.diff.rule import rule
from acpgen.types.wording import shortened


@rule
def type_renamed(difference: Difference) -> str:
    """A type keeps its name.

    Why: classes are called after it, so programs that name it don't compile against the newer
    types. No message changes.

    Mistake: `Foo` under `$defs` becomes `Bar`

    Mend: keep the name.
    """
    return f"was called `{difference.old}`"


@rule
def type_switched(difference: Difference) -> str:
    """A place goes on referring to the same type.

    Why: programs that put a value of the one type there don't compile against the newer types.
    Where the two types take different values, that is found besides.

    Mistake: `{"$ref": "#/$defs/Foo"}` becomes `{"$ref": "#/$defs/Bar"}`

    Mend: refer to the same type.
    """
    return f"refers to `{difference.new}` instead of `{difference.old}`"


@rule
def type_named(difference: Difference) -> str:
    """A type that is spelled out where it is used stays so.

    Why: it gets a class of its own, so programs that used the plain type may not compile. No
    message changes.

    Mistake: `{"type": "string"}` becomes `{"$ref": "#/$defs/Path"}`

    Mend: nothing, if that was meant.
    """
    return f"is {difference.new}, which has a name, instead of {difference.old}"


@rule
def type_inlined(difference: Difference) -> str:
    """A place goes on referring to a type by its name.

    Why: the class that programs used there is gone, or stands there no more. No message changes.

    Mistake: `{"$ref": "#/$defs/Path"}` becomes `{"type": "string"}`

    Mend: keep the reference.
    """
    return f"is {difference.new}, spelled out, instead of {difference.old}"


@rule
def type_restructured(difference: Difference) -> str:
    """A type goes on being made in the same way.

    Why: the same values in another structure, with other bases or as an enumeration, have other
    classes. Where values differ too, that is found besides.

    Mistake: `allOf` with `Foo` becomes the members of `Foo`

    Mend: nothing, if that was meant.
    """
    return f"is made as {difference.new}, where it was {difference.old}"


@rule
def docs_changed(difference: Difference) -> str:
    """Only what is said about the protocol changed.

    Why: a description may tell peers to behave differently without a word of the schema changing,
    so it is worth reading.

    Mistake: (none) a `description` is reworded

    Mend: nothing to mend.
    """
    return f"{shortened(difference.name) or 'description'} changed"
