"""Rules about the members of objects."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, change
from acpgen.types.wording import shortened


@change(Effect.NARROWS)
def required_member_added(_: Delta) -> str:
    """A required member is new.

    Why: senders that don't know it don't send it, so they are refused.

    Example: `"required": ["id"]` becomes `"required": ["id", "size"]`, with `size` new

    Fix: make the member optional and say what its absence means.
    """
    return "is new, and required"


@change(Effect.WIDENS)
def required_member_removed(_: Delta) -> str:
    """A required member is gone.

    Why: receivers that don't know of the change refuse messages without it.

    Example: `size` is removed from `properties` and `required`

    Fix: keep the member, and define a value that means nothing is there.
    """
    return "is gone, and was required"


@change(Effect.ADDS)
def optional_member_added(_: Delta) -> str:
    """An optional member is new.

    Why: objects are open, so receivers that don't know it ignore it.

    Example: (none) `size` is added to `properties`

    Fix: nothing to fix. Say what its absence means.
    """
    return "is new, and optional"


@change(Effect.FORGETS)
def optional_member_removed(_: Delta) -> str:
    """An optional member is gone.

    Why: no message is refused for it, since unknown members are ignored. But newer receivers don't
    read it, and programs that use it don't compile against the newer types.

    Example: `size` is removed from `properties`

    Fix: keep the member and say in its description that receivers ignore it.
    """
    return "is gone, and ignored from now on"


@change(Effect.NARROWS)
def member_now_required(_: Delta) -> str:
    """An optional member is required.

    Why: senders that leave it out are refused.

    Example: `"required": []` becomes `"required": ["size"]`

    Fix: leave it optional, and say what its absence means.
    """
    return "was optional and is required"


@change(Effect.WIDENS)
def member_now_optional(_: Delta) -> str:
    """A required member is optional.

    Why: receivers that rely on it refuse a message without it.

    Example: `"required": ["size"]` becomes `"required": []`

    Fix: leave it required.
    """
    return "was required and is optional"


@change(Effect.NARROWS)
def null_refused(_: Delta) -> str:
    """Null is refused where it was allowed.

    Why: senders of null, which means "nothing" or clears a value, are refused.

    Example: `"type": ["string", "null"]` becomes `"type": "string"`

    Fix: keep null.
    """
    return "null is no longer allowed"


@change(Effect.WIDENS)
def null_allowed(_: Delta) -> str:
    """Null is allowed where it was refused.

    Why: receivers that expect a value refuse null.

    Example: `"type": "string"` becomes `"type": ["string", "null"]`

    Fix: let the member be left out instead, if it may be.
    """
    return "null is allowed now"


@change(Effect.MISREADS)
def default_changed(delta: Delta) -> str:
    """A member has another default.

    Why: sender and receiver fill in different values for the same message, and neither notices.

    Example: `"default": 10` becomes `"default": 100`

    Fix: keep the default, and let senders that want another value send it.
    """
    old, new = shortened(delta.old), shortened(delta.new)
    return f"its default was `{old}` and is `{new}`"


@change(Effect.NOTES)
def default_stated(delta: Delta) -> str:
    """The schema states a default that it did not state before.

    Why: programs that treated its absence as something else should know.

    Example: (none) `"default": []` is added

    Fix: nothing to fix, if receivers did so before.
    """
    return f"its default is stated now: `{shortened(delta.new)}`"


@change(Effect.NOTES)
def default_dropped(delta: Delta) -> str:
    """The schema no longer states the default of a member.

    Why: programs that relied on it have to guess from now on.

    Example: `"default": []` is removed

    Fix: keep the default.
    """
    return f"its default is no longer stated; it was `{shortened(delta.old)}`"


@change(Effect.NOTES)
def tolerance_added(delta: Delta) -> str:
    """Receivers recover from what they used to refuse.

    Why: what a sender may send is the same, so no peer breaks.

    Example: (none) `"x-deserialize-default-on-error": true` is added

    Fix: nothing to fix. Never put it on an idempotency key.
    """
    return f"has `{delta.name}` now: receivers recover from what is malformed"


@change(Effect.HARDENS)
def tolerance_removed(delta: Delta) -> str:
    """Receivers refuse what they used to recover from.

    Why: senders that keep to the schema aren't concerned. A sender that doesn't is refused now, and
    so is a newer peer that relied on older ones to skip what they don't know.

    Example: `"x-deserialize-skip-invalid-items": true` is removed

    Fix: keep the mark.
    """
    return f"has lost `{delta.name}`: receivers refuse what they used to recover from"


@change(Effect.MISREADS)
def patch_added(_: Delta) -> str:
    """An object is a patch, which it was not.

    Why: null used to mean the same as leaving a member out. In a patch it clears the value.

    Example: `"x-patch": true` is added

    Fix: add a type for the patch.
    """
    return "is a patch now: null clears a member, where it meant nothing before"


@change(Effect.MISREADS)
def patch_removed(_: Delta) -> str:
    """An object is no longer a patch.

    Why: null used to clear a value. Elsewhere it means the same as leaving the member out, so the
    value that a sender wanted to clear stays.

    Example: `"x-patch": true` is removed

    Fix: keep the mark.
    """
    return "is not a patch any more: null means nothing, where it cleared a member before"
