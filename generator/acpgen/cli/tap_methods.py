"""The methods that a disruption of `acpgen tap` may name."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.cli.report import suggestion
from acpgen.judge.v1_words import METHODS
from acpgen.startup import method_list

_UNSTABLE_V1 = frozenset({"session/set_model"})


def complaint(methods: Sequence[str]) -> str | None:
    """Why the first unknown method is refused: no message would have it.

    Methods of v1 are known too, since the tap passes on any version. Nothing is refused where the
    table of methods is out of date.
    """
    current = method_list.names()
    if current is None:
        return None
    known = sorted(current | METHODS | _UNSTABLE_V1)
    unknown = next((method for method in methods if method not in known), None)
    if unknown is None:
        return None
    hint = suggestion(unknown, known, "`acpgen methods` lists all")
    return f"{unknown!r} is not a method of ACP; {hint}"
