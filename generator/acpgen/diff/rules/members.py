"""Rules about the members of objects."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, change
from acpgen.types.wording import shortened


@change(Effect.NARROWS)
def required_member_added(_: Delta) -> str:
    """A member that is new is optional.

    Why: who doesn't know it doesn't send it, and is refused.

    Example: `"required": ["id"]` becomes `"required": ["id", "size"]`, with `size` new

    Fix: make the member optional and say what its absence means.
    """
    return "is new, and required"


@change(Effect.WIDENS)
def required_member_removed(_: Delta) -> str:
    """A required member stays.

    Why: who doesn't know that it went refuses messages without it.

    Example: `size` is removed from `properties` and `required`

    Fix: keep the member; who has nothing to say there sends a value that says so.
    """
    return "is gone, and was required"


@change(Effect.ADDS)
def optional_member_added(_: Delta) -> str:
    """An optional member is new.

    Why: objects are open, so who doesn't know it ignores it.

    Example: (none) `size` is added to `properties`

    Fix: nothing to fix. Say what its absence means.
    """
    return "is new, and optional"


@change(Effect.FORGETS)
def optional_member_removed(_: Delta) -> str:
    """An optional member stays.

    Why: no message is refused for it, since unknown members are ignored. But what it says is not
    heard any more, and programs that use it don't compile against the newer types.

    Example: `size` is removed from `properties`

    Fix: keep the member and say in its description that nobody reads it.
    """
    return "is gone, and ignored from now on"


@change(Effect.NARROWS)
def member_now_required(_: Delta) -> str:
    """A member that could be left out still can.

    Why: who leaves it out is refused.

    Example: `"required": []` becomes `"required": ["size"]`

    Fix: leave it optional, and say what its absence means.
    """
    return "was optional and is required"


@change(Effect.WIDENS)
def member_now_optional(_: Delta) -> str:
    """A member that was always there stays required.

    Why: receivers that rely on it refuse a message without it.

    Example: `"required": ["size"]` becomes `"required": []`

    Fix: leave it required.
    """
    return "was required and is optional"


@change(Effect.NARROWS)
def null_refused(_: Delta) -> str:
    """Where null was taken it still is.

    Why: who sends null, for "nothing" or to clear a value, is refused.

    Example: `"type": ["string", "null"]` becomes `"type": "string"`

    Fix: keep null.
    """
    return "null is no longer allowed"


@change(Effect.WIDENS)
def null_allowed(_: Delta) -> str:
    """Where null was refused it stays so.

    Why: receivers that expect a value refuse null.

    Example: `"type": "string"` becomes `"type": ["string", "null"]`

    Fix: let the member be left out instead, if it may be.
    """
    return "null is allowed now"


@change(Effect.MISREADS)
def default_changed(delta: Delta) -> str:
    """What an omitted member stands for stays the same.

    Why: sender and receiver fill in different values for the same message, and none of them
    notices.

    Example: `"default": 10` becomes `"default": 100`

    Fix: keep the default, and let those who want another value send it.
    """
    old, new = shortened(delta.old), shortened(delta.new)
    return f"omitted, it stood for `{old}` and stands for `{new}`"


@change(Effect.NOTES)
def default_stated(delta: Delta) -> str:
    """It is said now what an omitted member stands for.

    Why: whoever took its absence for something else should know.

    Example: (none) `"default": []` is added

    Fix: nothing to fix, if receivers did so before.
    """
    return f"omitted, it now stands for `{shortened(delta.new)}`"


@change(Effect.NOTES)
def default_dropped(delta: Delta) -> str:
    """It is no longer said what an omitted member stands for.

    Why: who relied on it has to guess from now on.

    Example: `"default": []` is removed

    Fix: keep the default.
    """
    return f"it is no longer said that it stands for `{shortened(delta.old)}` when omitted"


@change(Effect.NOTES)
def tolerance_added(delta: Delta) -> str:
    """Receivers recover from what they used to refuse.

    Why: what a sender may send is the same, so nobody breaks.

    Example: (none) `"x-deserialize-default-on-error": true` is added

    Fix: nothing to fix. Never put it on an idempotency key.
    """
    return f"has `{delta.name}` now: receivers recover from what is malformed"


@change(Effect.HARDENS)
def tolerance_removed(delta: Delta) -> str:
    """What receivers recover from they go on recovering from.

    Why: who keeps to the schema isn't concerned. A sender that doesn't is refused now, and so is a
    newer peer that relied on older ones to skip what they don't know.

    Example: `"x-deserialize-skip-invalid-items": true` is removed

    Fix: keep the mark.
    """
    return f"has lost `{delta.name}`: receivers refuse what they used to recover from"


@change(Effect.MISREADS)
def patch_added(_: Delta) -> str:
    """An object that isn't a patch doesn't become one.

    Why: null used to mean the same as leaving a member out. In a patch it clears the value.

    Example: `"x-patch": true` is added

    Fix: add a type for the patch.
    """
    return "is a patch now: null clears a member, where it meant nothing before"


@change(Effect.MISREADS)
def patch_removed(_: Delta) -> str:
    """A patch stays one.

    Why: null used to clear a value. Elsewhere it means the same as leaving the member out, so what
    was to be cleared stays.

    Example: `"x-patch": true` is removed

    Fix: keep the mark.
    """
    return "is no patch any more: null means nothing, where it cleared a member before"
