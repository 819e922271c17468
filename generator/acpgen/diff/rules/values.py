"""Rules about scalars, limits and types as such."""

from __future__ import annotations

from acpgen.diff.effect import Effect
from acpgen.diff.rule import Delta, change


@change(Effect.NARROWS)
def limit_tightened(delta: Delta) -> str:
    """What was short, long, small or large enough still is.

    Why: who goes to the old limit is refused.

    Example: `"maxLength": 255` becomes `"maxLength": 36`

    Fix: keep the limit, and recommend the tighter one in the description.
    """
    return f"`{delta.name}` was {delta.old} and is {delta.new}"


@change(Effect.WIDENS)
def limit_loosened(delta: Delta) -> str:
    """Nothing gets larger, smaller, shorter or longer than receivers expect.

    Why: receivers that go by the old limit refuse it.

    Example: `"maxLength": 36` becomes `"maxLength": 255`

    Fix: keep the limit.
    """
    return f"`{delta.name}` was {delta.old} and is {delta.new}"


@change(Effect.NARROWS)
def pattern_added(delta: Delta) -> str:
    """A text of any form stays one.

    Why: who sends another form is refused.

    Example: `"pattern": "^[A-Z]{3}$"` is added

    Fix: recommend the form in the description.
    """
    return f"must match `{delta.new}` now"


@change(Effect.WIDENS)
def pattern_removed(delta: Delta) -> str:
    """A text of one form keeps it.

    Why: receivers that expect the form refuse others.

    Example: `"pattern": "^[A-Z]{3}$"` is removed

    Fix: keep the pattern.
    """
    return f"need not match `{delta.old}` any more"


@change(Effect.REPLACES)
def pattern_changed(delta: Delta) -> str:
    """A text keeps its form.

    Why: which of two patterns takes more can't be told in general, so both sides are taken to
    break.

    Example: `"pattern": "^[A-Z]{3}$"` becomes `"^[a-z]{3}$"`

    Fix: keep the pattern. If one of the two takes all that the other does, accept the finding in
    schema/accepted.toml and say so there.
    """
    return f"must match `{delta.new}`, where it was `{delta.old}`"


@change(Effect.BINDS)
def format_changed(delta: Delta) -> str:
    """The format of a value stays.

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
    """A type goes on taking all the values that it took.

    Why: who sends one of the others is refused.

    Example: `"type": "number"` becomes `"type": "integer"`

    Fix: keep the type.
    """
    return _said(delta)


@change(Effect.WIDENS)
def type_widened(delta: Delta) -> str:
    """A type takes no values that it didn't take.

    Why: receivers that go by the old type refuse the others.

    Example: `"type": "integer"` becomes `"type": "number"`

    Fix: keep the type, and add a member for the other values.
    """
    return _said(delta)


@change(Effect.REPLACES)
def type_replaced(delta: Delta) -> str:
    """A value keeps its type.

    Why: what is valid by one of them is refused by the other, in both directions.

    Example: `"type": "string"` becomes `"type": "integer"`

    Fix: keep the type, and add a member for the other one.
    """
    return _said(delta)


def _said(delta: Delta) -> str:
    what = f"the {delta.name} " if delta.name else ""
    return f"{what}was {delta.old} and is {delta.new}"
