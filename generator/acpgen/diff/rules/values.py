"""Rules about scalars, limits and types as such."""

from __future__ import annotations

from acpgen.diff.difference import Difference
from acpgen.diff.rule import rule


@rule
def limit_tightened(difference: Difference) -> str:
    """What was short, long, small or large enough still is.

    Why: who goes to the old limit is refused.

    Mistake: `"maxLength": 255` becomes `"maxLength": 36`

    Mend: keep the limit, and recommend the tighter one in the description.
    """
    return f"`{difference.name}` was {difference.old} and is {difference.new}"


@rule
def limit_loosened(difference: Difference) -> str:
    """Nothing gets larger, smaller, shorter or longer than receivers expect.

    Why: receivers that go by the old limit refuse it.

    Mistake: `"maxLength": 36` becomes `"maxLength": 255`

    Mend: keep the limit.
    """
    return f"`{difference.name}` was {difference.old} and is {difference.new}"


@rule
def pattern_added(difference: Difference) -> str:
    """A text of any form stays one.

    Why: who sends another form is refused.

    Mistake: `"pattern": "^[A-Z]{3}$"` is added

    Mend: recommend the form in the description.
    """
    return f"must match `{difference.new}` now"


@rule
def pattern_removed(difference: Difference) -> str:
    """A text of one form keeps it.

    Why: receivers that expect the form refuse others.

    Mistake: `"pattern": "^[A-Z]{3}$"` is removed

    Mend: keep the pattern.
    """
    return f"need not match `{difference.old}` any more"


@rule
def pattern_changed(difference: Difference) -> str:
    """A text keeps its form.

    Why: which of two patterns takes more can't be told in general, so both sides are taken to
    break.

    Mistake: `"pattern": "^[A-Z]{3}$"` becomes `"^[a-z]{3}$"`

    Mend: keep the pattern. If one of the two takes all that the other does, accept the finding in
    schema/accepted.toml and say so there.
    """
    return f"must match `{difference.new}`, where it was `{difference.old}`"


@rule
def format_changed(difference: Difference) -> str:
    """The format of a value stays.

    Why: validators don't look at formats, so no message is refused. But code generators do: the
    value has another type in Rust, Go or Kotlin.

    Mistake: `"format": "int32"` becomes `"format": "int64"`

    Mend: keep the format.
    """
    return (
        f"its {difference.name.replace('_', ' ')} was {difference.old or 'not stated'} and is "
        f"{difference.new or 'not stated'}"
    )


@rule
def type_narrowed(difference: Difference) -> str:
    """A type goes on taking all the values that it took.

    Why: who sends one of the others is refused.

    Mistake: `"type": "number"` becomes `"type": "integer"`

    Mend: keep the type.
    """
    return _said(difference)


@rule
def type_widened(difference: Difference) -> str:
    """A type takes no values that it didn't take.

    Why: receivers that go by the old type refuse the others.

    Mistake: `"type": "integer"` becomes `"type": "number"`

    Mend: keep the type, and add a member for the other values.
    """
    return _said(difference)


@rule
def type_replaced(difference: Difference) -> str:
    """A value keeps its type.

    Why: what is valid by one of them is refused by the other, in both directions.

    Mistake: `"type": "string"` becomes `"type": "integer"`

    Mend: keep the type, and add a member for the other one.
    """
    return _said(difference)


def _said(difference: Difference) -> str:
    what = f"the {difference.name} " if difference.name else ""
    return f"{what}was {difference.old} and is {difference.new}"
