"""Rules about unions: closed ones take their variants only, open ones have a fallback."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, change


@change(Effect.WIDENS)
def variant_added(delta: Delta) -> str:
    """A union without a fallback has a new variant.

    Why: receivers that don't know the variant refuse the message. If older receivers have a
    fallback that accepts it, they don't, and this is not reported.

    Example: a branch is added to `oneOf`

    Fix: give unions that may grow a branch with `x-fallback` from the start.
    """
    return f"the variant `{delta.name}` is new, and nothing accepted it before"


@change(Effect.NARROWS)
def variant_removed(delta: Delta) -> str:
    """A union without a fallback has lost a variant.

    Why: senders that use it are refused.

    Example: a branch is removed from `oneOf`

    Fix: keep the variant and say in its description what to send instead.
    """
    return f"the variant `{delta.name}` is gone, and nothing accepts it now"


@change(Effect.ADDS)
def known_variant_added(delta: Delta) -> str:
    """A union with a fallback has a new variant.

    Why: receivers that don't know it use their fallback.

    Example: (none) a branch with a tag value of its own is added

    Fix: nothing to fix.
    """
    return f"the variant `{delta.name}` is new"


@change(Effect.FORGETS)
def known_variant_removed(delta: Delta) -> str:
    """A union with a fallback has lost a variant.

    Why: the fallback accepts it, so no message is refused. But newer receivers don't understand it:
    they skip what they had to show or to carry out. And programs that name it don't compile
    against the newer types.

    Example: a branch with a tag value of its own is removed, or gets another tag value

    Fix: keep it and say in its description what to send instead.
    """
    return f"the variant `{delta.name}` is no longer known, and treated as any other"


@change(Effect.BINDS)
def variant_renamed(delta: Delta) -> str:
    """A variant that no tag selects has another title.

    Why: its class is named after it, so programs that name it don't compile against the newer
    types. No message changes.

    Example: `"title": "Number"` becomes `"title": "Integer"`

    Fix: keep the title.
    """
    return f"the variant was called `{delta.old}` and is called `{delta.new}`"


@change(Effect.WIDENS)
def union_opened(_: Delta) -> str:
    """A union has a fallback that it did not have.

    Why: receivers that know no other variants refuse them.

    Example: a branch with `x-fallback` is added

    Fix: keep it closed in this version of the protocol.
    """
    return "accepts unknown variants now"


@change(Effect.NARROWS)
def union_closed(_: Delta) -> str:
    """A union has lost its fallback.

    Why: senders that use variants of their own are refused.

    Example: the branch with `x-fallback` is removed

    Fix: keep the fallback.
    """
    return "no longer accepts unknown variants"


@change(Effect.NARROWS)
def choice_added(delta: Delta) -> str:
    """An object has to be one of several variants, which it did not have to be.

    Why: senders of an object that is none of them are refused.

    Example: `anyOf` is added beside `properties`

    Fix: add the members of the variants as optional ones.
    """
    return f"must be one of the variants of {delta.new} too"


@change(Effect.WIDENS)
def choice_removed(delta: Delta) -> str:
    """An object no longer has to be one of several variants.

    Why: receivers that expect one of them refuse others.

    Example: `anyOf` is removed beside `properties`

    Fix: keep the variants.
    """
    return f"need not be one of the variants of {delta.old} any more"


@change(Effect.NARROWS)
def choice_exclusive(_: Delta) -> str:
    """A union no longer accepts values that fit two of its variants.

    Why: `oneOf` refuses what `anyOf` accepts: a value that more than one branch describes.

    Example: `anyOf` becomes `oneOf` in a union without a tag

    Fix: keep `anyOf`.
    """
    return "a value that fits several variants is refused now"


@change(Effect.WIDENS)
def choice_inclusive(_: Delta) -> str:
    """A union accepts values that fit two of its variants, which it did not.

    Why: receivers refuse a value that more than one branch describes.

    Example: `oneOf` becomes `anyOf` in a union without a tag

    Fix: keep `oneOf`.
    """
    return "a value that fits several variants is accepted now"
