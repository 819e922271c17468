"""Python names for the types and variants of a protocol."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from acpgen.emit.casing import snake

_FOREIGN = re.compile(r"\W", re.ASCII)


def class_name(name: str) -> str:
    """The name of a class for a name: the name itself where that is possible."""
    spelled = _FOREIGN.sub("_", name)
    return spelled[0].upper() + spelled[1:] if spelled[:1].isalpha() else f"Type{spelled}"


def member_name(name: str) -> str:
    """A name as that of a member, which is never one that a class may have."""
    spelled = name if name.isidentifier() and name[0].islower() else snake(name).strip("_")
    spelled = _FOREIGN.sub("_", spelled)
    return spelled if spelled[:1].isalpha() and not keyword.iskeyword(spelled) else f"m_{spelled}"


class Names:
    """Gives each thing a name of its own: a later one gets a `_` more."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def claim(self, wanted: str) -> str:
        """The name wanted, or the next one that is free."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted
