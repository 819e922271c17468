"""Rules about enumerations: closed ones accept their values only, open ones any value."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, change
from acpgen.types.wording import shortened


@change(Effect.WIDENS)
def value_added(delta: Delta) -> str:
    """A closed enumeration has a new value.

    Why: receivers that don't know the value refuse the message.

    Example: `"enum": ["low", "high"]` becomes `["low", "high", "critical"]`

    Fix: make enumerations that may grow open ones from the start.
    """
    return f"accepts `{shortened(delta.name)}` now, in a closed enumeration"


@change(Effect.NARROWS)
def value_removed(delta: Delta) -> str:
    """A closed enumeration has lost a value.

    Why: senders that use it are refused.

    Example: `"enum": ["low", "high"]` becomes `["low"]`

    Fix: keep the value and say in its description what to send instead.
    """
    return f"no longer accepts `{shortened(delta.name)}`"


@change(Effect.ADDS)
def known_value_added(delta: Delta) -> str:
    """An open enumeration has a new value.

    Why: receivers that don't know it treat it as any other unknown value.

    Example: (none) a value is added beside those that are described

    Fix: nothing to fix.
    """
    return f"the value `{shortened(delta.name)}` has a meaning now"


@change(Effect.FORGETS)
def known_value_removed(delta: Delta) -> str:
    """An open enumeration no longer describes a value.

    Why: it is still accepted, but newer receivers don't understand it, and programs that name it
    don't compile against the newer types.

    Example: a value is removed from those that are described

    Fix: keep it and say in its description what to send instead.
    """
    return f"the value `{shortened(delta.name)}` is no longer known, and treated as any other"


@change(Effect.WIDENS)
def enum_opened(delta: Delta) -> str:
    """A closed enumeration is open.

    Why: receivers that know no other values refuse them.

    Example: `oneOf` of constants becomes `anyOf` of the same and `{"type": "string"}`

    Fix: keep it closed in this version of the protocol.
    """
    return f"was {delta.old} and accepts other values now"


@change(Effect.NARROWS)
def enum_closed(delta: Delta) -> str:
    """An open enumeration, or a free string, accepts listed values only.

    Why: senders that use one of the other values are refused.

    Example: `{"type": "string"}` becomes `{"enum": ["low", "high"]}`

    Fix: keep it open, and describe the values that have a meaning.
    """
    return f"was {delta.old} and accepts only listed values now"
