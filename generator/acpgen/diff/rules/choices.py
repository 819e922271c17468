"""Rules about unions: closed ones take their variants only, open ones have a fallback."""

from __future__ import annotations

from acpgen.diff.difference import Difference
from acpgen.diff.rule import rule


@rule
def variant_added(difference: Difference) -> str:
    """A union without a fallback gets no new variants.

    Why: receivers that don't know the variant refuse the message. Where older receivers have a
    fallback that takes it, they don't, and this is not found.

    Mistake: a branch is added to `oneOf`

    Mend: give unions that may grow a branch with `x-fallback` from the start.
    """
    return f"the variant `{difference.name}` is new, and nothing took it before"


@rule
def variant_removed(difference: Difference) -> str:
    """A variant stays in a union without a fallback.

    Why: who sends it is refused.

    Mistake: a branch is removed from `oneOf`

    Mend: keep the variant and say in its description what to send instead.
    """
    return f"the variant `{difference.name}` is gone, and nothing takes it now"


@rule
def known_variant_added(difference: Difference) -> str:
    """A union with a fallback has a new variant.

    Why: receivers that don't know it take it by their fallback.

    Mistake: (none) a branch with a tag value of its own is added

    Mend: nothing to mend.
    """
    return f"the variant `{difference.name}` is new"


@rule
def known_variant_removed(difference: Difference) -> str:
    """A variant keeps its meaning in a union with a fallback.

    Why: the fallback takes it, so no message is refused. But newer receivers don't understand it:
    what they had to show or to carry out is passed over. And programs that name it don't compile
    against the newer types.

    Mistake: a branch with a tag value of its own is removed, or gets another tag value

    Mend: keep it and say in its description what to send instead.
    """
    return f"the variant `{difference.name}` is no longer known, and taken as any other"


@rule
def variant_renamed(difference: Difference) -> str:
    """A variant that no tag selects keeps its title.

    Why: its class is called after it, so programs that name it don't compile against the newer
    types. No message changes.

    Mistake: `"title": "Number"` becomes `"title": "Integer"`

    Mend: keep the title.
    """
    return f"the variant was called `{difference.old}` and is called `{difference.new}`"


@rule
def union_opened(_: Difference) -> str:
    """A union without a fallback gets none.

    Why: receivers that know no other variants refuse them.

    Mistake: a branch with `x-fallback` is added

    Mend: keep it closed in this version of the protocol.
    """
    return "takes unknown variants now"


@rule
def union_closed(_: Difference) -> str:
    """A union with a fallback keeps it.

    Why: who sends a variant of its own is refused.

    Mistake: the branch with `x-fallback` is removed

    Mend: keep the fallback.
    """
    return "no longer takes unknown variants"


@rule
def choice_added(difference: Difference) -> str:
    """An object need not be one of several variants if it need not before.

    Why: who sends none of them is refused.

    Mistake: `anyOf` is added beside `properties`

    Mend: add the members of the variants as optional ones.
    """
    return f"must be one of the variants of {difference.new} too"


@rule
def choice_removed(difference: Difference) -> str:
    """An object that is one of several variants stays so.

    Why: receivers that expect one of them refuse others.

    Mistake: `anyOf` is removed beside `properties`

    Mend: keep the variants.
    """
    return f"need not be one of the variants of {difference.old} any more"


@rule
def choice_exclusive(_: Difference) -> str:
    """Values that fit two variants of a union still do.

    Why: `oneOf` refuses what `anyOf` takes: a value that more than one branch describes.

    Mistake: `anyOf` becomes `oneOf` in a union without a tag

    Mend: keep `anyOf`.
    """
    return "a value that fits several variants is refused now"


@rule
def choice_inclusive(_: Difference) -> str:
    """Values fit one variant of a union, if that was demanded.

    Why: receivers refuse a value that more than one branch describes.

    Mistake: `oneOf` becomes `anyOf` in a union without a tag

    Mend: keep `oneOf`.
    """
    return "a value that fits several variants is taken now"
