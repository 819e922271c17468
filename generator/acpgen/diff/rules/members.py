"""Rules about the members of objects."""

from __future__ import annotations

from acpgen.diff.difference import Difference
from acpgen.diff.rule import rule
from acpgen.types.wording import shortened


@rule
def required_member_added(_: Difference) -> str:
    """A member that is new is optional.

    Why: who doesn't know it doesn't send it, and is refused.

    Mistake: `"required": ["id"]` becomes `"required": ["id", "size"]`, with `size` new

    Mend: make the member optional and say what its absence means.
    """
    return "is new, and required"


@rule
def required_member_removed(_: Difference) -> str:
    """A required member stays.

    Why: who doesn't know that it went refuses messages without it.

    Mistake: `size` is removed from `properties` and `required`

    Mend: keep the member; who has nothing to say there sends a value that says so.
    """
    return "is gone, and was required"


@rule
def optional_member_added(_: Difference) -> str:
    """An optional member is new.

    Why: objects are open, so who doesn't know it ignores it.

    Mistake: (none) `size` is added to `properties`

    Mend: nothing to mend. Say what its absence means.
    """
    return "is new, and optional"


@rule
def optional_member_removed(_: Difference) -> str:
    """An optional member stays.

    Why: no message is refused for it, since unknown members are ignored. But what it says is not
    heard any more, and programs that use it don't compile against the newer types.

    Mistake: `size` is removed from `properties`

    Mend: keep the member and say in its description that nobody reads it.
    """
    return "is gone, and ignored from now on"


@rule
def member_now_required(_: Difference) -> str:
    """A member that could be left out still can.

    Why: who leaves it out is refused.

    Mistake: `"required": []` becomes `"required": ["size"]`

    Mend: leave it optional, and say what its absence means.
    """
    return "was optional and is required"


@rule
def member_now_optional(_: Difference) -> str:
    """A member that was always there stays required.

    Why: receivers that rely on it refuse a message without it.

    Mistake: `"required": ["size"]` becomes `"required": []`

    Mend: leave it required.
    """
    return "was required and is optional"


@rule
def null_refused(_: Difference) -> str:
    """Where null was taken it still is.

    Why: who sends null, for "nothing" or to clear a value, is refused.

    Mistake: `"type": ["string", "null"]` becomes `"type": "string"`

    Mend: keep null.
    """
    return "null is no longer allowed"


@rule
def null_allowed(_: Difference) -> str:
    """Where null was refused it stays so.

    Why: receivers that expect a value refuse null.

    Mistake: `"type": "string"` becomes `"type": ["string", "null"]`

    Mend: let the member be left out instead, if it may be.
    """
    return "null is allowed now"


@rule
def default_changed(difference: Difference) -> str:
    """What an omitted member stands for stays the same.

    Why: sender and receiver fill in different values for the same message, and none of them
    notices.

    Mistake: `"default": 10` becomes `"default": 100`

    Mend: keep the default, and let those who want another value send it.
    """
    old, new = shortened(difference.old), shortened(difference.new)
    return f"omitted, it stood for `{old}` and stands for `{new}`"


@rule
def default_stated(difference: Difference) -> str:
    """It is said now what an omitted member stands for.

    Why: whoever took its absence for something else should know.

    Mistake: (none) `"default": []` is added

    Mend: nothing to mend, if receivers did so before.
    """
    return f"omitted, it now stands for `{shortened(difference.new)}`"


@rule
def default_dropped(difference: Difference) -> str:
    """It is no longer said what an omitted member stands for.

    Why: who relied on it has to guess from now on.

    Mistake: `"default": []` is removed

    Mend: keep the default.
    """
    return f"it is no longer said that it stands for `{shortened(difference.old)}` when omitted"


@rule
def tolerance_added(difference: Difference) -> str:
    """Receivers recover from what they used to refuse.

    Why: what a sender may send is the same, so nobody breaks.

    Mistake: (none) `"x-deserialize-default-on-error": true` is added

    Mend: nothing to mend. Never put it on an idempotency key.
    """
    return f"has `{difference.name}` now: receivers recover from what is malformed"


@rule
def tolerance_removed(difference: Difference) -> str:
    """What receivers recover from they go on recovering from.

    Why: who keeps to the schema isn't concerned. A sender that doesn't is refused now, and so is a
    newer peer that relied on older ones to skip what they don't know.

    Mistake: `"x-deserialize-skip-invalid-items": true` is removed

    Mend: keep the mark.
    """
    return f"has lost `{difference.name}`: receivers refuse what they used to recover from"


@rule
def patch_added(_: Difference) -> str:
    """An object that isn't a patch doesn't become one.

    Why: null used to mean the same as leaving a member out. In a patch it clears the value.

    Mistake: `"x-patch": true` is added

    Mend: add a type for the patch.
    """
    return "is a patch now: null clears a member, where it meant nothing before"


@rule
def patch_removed(_: Difference) -> str:
    """A patch stays one.

    Why: null used to clear a value. Elsewhere it means the same as leaving the member out, so what
    was to be cleared stays.

    Mistake: `"x-patch": true` is removed

    Mend: keep the mark.
    """
    return "is no patch any more: null means nothing, where it cleared a member before"
