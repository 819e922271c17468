"""Rules about names, structure and texts: what changes types or pages, and no message."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, change
from acpgen.types.wording import shortened


@change(Effect.BINDS)
def type_renamed(delta: Delta) -> str:
    """A type has another name.

    Why: classes are named after it, so programs that name it don't compile against the newer
    types. No message changes.

    Example: `Foo` under `$defs` becomes `Bar`

    Fix: keep the name.
    """
    return f"was called `{delta.old}`"


@change(Effect.BINDS)
def type_switched(delta: Delta) -> str:
    """A place refers to another type.

    Why: programs that put a value of the one type there don't compile against the newer types.
    Where the two types accept different values, that is reported as well.

    Example: `{"$ref": "#/$defs/Foo"}` becomes `{"$ref": "#/$defs/Bar"}`

    Fix: refer to the same type.
    """
    return f"refers to `{delta.new}` instead of `{delta.old}`"


@change(Effect.BINDS)
def type_named(delta: Delta) -> str:
    """A type that was written out where it is used has a name.

    Why: it gets a class of its own, so programs that used the plain type may not compile. No
    message changes.

    Example: `{"type": "string"}` becomes `{"$ref": "#/$defs/Path"}`

    Fix: nothing, if that was meant.
    """
    return f"is {delta.new}, which has a name, instead of {delta.old}"


@change(Effect.BINDS)
def type_inlined(delta: Delta) -> str:
    """A place that referred to a type by its name has the type written out.

    Why: the class that programs used there is gone, or is not used there any more. No message
    changes.

    Example: `{"$ref": "#/$defs/Path"}` becomes `{"type": "string"}`

    Fix: keep the reference.
    """
    return f"is {delta.new}, spelled out, instead of {delta.old}"


@change(Effect.BINDS)
def type_restructured(delta: Delta) -> str:
    """A type has another structure.

    Why: the same values in another structure, with other bases or as an enumeration, have other
    classes. Where values differ too, that is reported as well.

    Example: `allOf` with `Foo` becomes the members of `Foo`

    Fix: nothing, if that was meant.
    """
    return f"is made as {delta.new}, where it was {delta.old}"


@change(Effect.DOCS)
def docs_changed(delta: Delta) -> str:
    """A description has changed, and nothing else.

    Why: a description may tell peers to behave differently without a word of the schema changing,
    so it is worth reading.

    Example: (none) a `description` is reworded

    Fix: nothing to fix.
    """
    return f"{shortened(delta.name) or 'description'} changed"
