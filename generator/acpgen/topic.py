"""What findings are about, with its documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from acpgen.findings import Severity


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that findings are about. The first line of its documentation sums it up."""

    id: str
    severity: Severity
    docs: str

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.docs.partition("\n")[0]


def name_of(check: Callable[..., object]) -> str:
    """The id of the rule that a function is."""
    return check.__name__.replace("_", "-")


def docs_of(check: Callable[..., object]) -> str:
    """The documentation of the rule that a function is.

    Raises:
        ValueError: the function has no docstring.
    """
    docs = inspect.getdoc(check)
    if docs is None:
        raise ValueError(f"{check.__name__} needs a docstring: it is the documentation")
    return docs
