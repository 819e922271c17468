"""Rules about enumerations: closed ones take their values only, open ones any other besides."""

from __future__ import annotations

from acpgen.diff.difference import Difference
from acpgen.diff.rule import rule
from acpgen.types.wording import shortened


@rule
def value_added(difference: Difference) -> str:
    """A closed enumeration gets no new values.

    Why: receivers that don't know the value refuse the message.

    Mistake: `"enum": ["low", "high"]` becomes `["low", "high", "critical"]`

    Mend: make enumerations that may grow open ones from the start.
    """
    return f"takes `{shortened(difference.name)}` now, in a closed enumeration"


@rule
def value_removed(difference: Difference) -> str:
    """A value stays in a closed enumeration.

    Why: who sends it is refused.

    Mistake: `"enum": ["low", "high"]` becomes `["low"]`

    Mend: keep the value and say in its description what to send instead.
    """
    return f"no longer takes `{shortened(difference.name)}`"


@rule
def known_value_added(difference: Difference) -> str:
    """An open enumeration has a new value.

    Why: receivers that don't know it treat it as any other unknown value.

    Mistake: (none) a value is added beside those that are described

    Mend: nothing to mend.
    """
    return f"the value `{shortened(difference.name)}` has a meaning now"


@rule
def known_value_removed(difference: Difference) -> str:
    """A value keeps its meaning in an open enumeration.

    Why: it is still accepted, but newer receivers don't understand it, and programs that name it
    don't compile against the newer types.

    Mistake: a value is removed from those that are described

    Mend: keep it and say in its description what to send instead.
    """
    return f"the value `{shortened(difference.name)}` is no longer known, and taken as any other"


@rule
def enum_opened(difference: Difference) -> str:
    """A closed enumeration stays closed.

    Why: receivers that know no other values refuse them.

    Mistake: `oneOf` of constants becomes `anyOf` of the same and `{"type": "string"}`

    Mend: keep it closed in this version of the protocol.
    """
    return f"was {difference.old} and takes other values now"


@rule
def enum_closed(difference: Difference) -> str:
    """An open enumeration stays open, and a free text free.

    Why: who sends one of the other values is refused.

    Mistake: `{"type": "string"}` becomes `{"enum": ["low", "high"]}`

    Mend: keep it open, and describe the values that have a meaning.
    """
    return f"was {difference.old} and takes only listed values now"
