"""Rules about scalars, limits and types as such."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, change


@change(Effect.NARROWS)
def limit_tightened(delta: Delta) -> str:
    """A limit is tighter.

    Why: senders that use the old limit to the full are refused.

    Example: `"maxLength": 255` becomes `"maxLength": 36`

    Fix: keep the limit, and recommend the tighter one in the description.
    """
    return f"`{delta.name}` was {delta.old} and is {delta.new}"


@change(Effect.WIDENS)
def limit_loosened(delta: Delta) -> str:
    """A limit is looser.

    Why: receivers that check the old limit refuse values beyond it.

    Example: `"maxLength": 36` becomes `"maxLength": 255`

    Fix: keep the limit.
    """
    return f"`{delta.name}` was {delta.old} and is {delta.new}"


@change(Effect.NARROWS)
def pattern_added(delta: Delta) -> str:
    """A string has a pattern that it did not have.

    Why: senders of other strings are refused.

    Example: `"pattern": "^[A-Z]{3}$"` is added

    Fix: recommend the form in the description.
    """
    return f"must match `{delta.new}` now"


@change(Effect.WIDENS)
def pattern_removed(delta: Delta) -> str:
    """A string has lost its pattern.

    Why: receivers that check the pattern refuse other strings.

    Example: `"pattern": "^[A-Z]{3}$"` is removed

    Fix: keep the pattern.
    """
    return f"need not match `{delta.old}` any more"


@change(Effect.NARROWS)
def pattern_tightened(delta: Delta) -> str:
    """A pattern matches fewer texts.

    Why: senders of one of the other texts are refused.

    Example: `"pattern": "^[a-z]{3,4}$"` becomes `"^[a-z]{3}$"`

    Fix: keep the pattern.
    """
    return _pattern(delta)


@change(Effect.WIDENS)
def pattern_loosened(delta: Delta) -> str:
    """A pattern matches more texts.

    Why: receivers that check the old pattern refuse the new texts.

    Example: `"pattern": "^[a-z]{3}$"` becomes `"^[a-z]{3,4}$"`

    Fix: keep the pattern.
    """
    return _pattern(delta)


@change(Effect.REPLACES)
def pattern_changed(delta: Delta) -> str:
    r"""A string has another pattern.

    Why: each of the two patterns refuses texts that the other matches, so both sides are broken. A
    pattern with a lookahead, a lookbehind or `\b` counts as such, too, and so do two patterns that
    take too long to compare.

    Example: `"pattern": "^[A-Z]{3}$"` becomes `"^[a-z]{3}$"`

    Fix: keep the pattern. If one of the two has a lookahead and accepts all that the other does,
    accept the finding in schema/accepted.toml and give that as the reason.
    """
    return _pattern(delta)


def _pattern(delta: Delta) -> str:
    return f"must match `{delta.new}`, where it was `{delta.old}`"


@change(Effect.BINDS)
def format_changed(delta: Delta) -> str:
    """A value has another format.

    Why: validators don't look at formats, so no message is refused. But code generators do: the
    value has another type in Rust, Go or Kotlin.

    Example: `"format": "int32"` becomes `"format": "int64"`

    Fix: keep the format.
    """
    return (
        f"its {delta.name.replace('_', ' ')} was {delta.old or 'not stated'} and is "
        f"{delta.new or 'not stated'}"
    )


@change(Effect.NARROWS)
def type_narrowed(delta: Delta) -> str:
    """A type refuses values that it accepted.

    Why: senders of one of the other values are refused.

    Example: `"type": "number"` becomes `"type": "integer"`

    Fix: keep the type.
    """
    return _from_to(delta, "refuses values that it accepted")


@change(Effect.WIDENS)
def type_widened(delta: Delta) -> str:
    """A type accepts values that it refused.

    Why: receivers that check the old type refuse the new values.

    Example: `"type": "integer"` becomes `"type": "number"`

    Fix: keep the type, and add a member for the other values.
    """
    return _from_to(delta, "accepts values that it refused")


@change(Effect.REPLACES)
def type_replaced(delta: Delta) -> str:
    """A value has another type.

    Why: a value of one of the two types is refused by the other, in both directions.

    Example: `"type": "string"` becomes `"type": "integer"`

    Fix: keep the type, and add a member for the other one.
    """
    return _from_to(delta)


def _from_to(delta: Delta, moved: str = "") -> str:
    """From one type to the other. `moved` is what happens if both are called the same."""
    what = f"the {delta.name} " if delta.name else ""
    if moved and delta.old == delta.new:
        return f"{what}is {delta.new} as before, and {moved}"
    return f"{what}was {delta.old} and is {delta.new}"
