"""The decision about resending for any protocol: the generated Python table, run without a file."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple, Protocol, cast

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.model import JsonValue, Kind, RetryClass
from acpgen.model import Protocol as Schema
from acpgen.targets.languages import PYTHON
from acpgen.targets.languages.language_table import table
from acpgen.targets.retry.decision import Answer, Reason


class Decided(NamedTuple):
    """The part of a row that decided."""

    name: str
    retry_class: RetryClass


class Resend(Protocol):
    """The answer with its reason."""

    answer: Answer
    reason: Reason
    method: Decided | None


class RetryTable(Protocol):
    """The module `acp_v2.retry`, or that of another protocol."""

    def resend(
        self,
        method: str,
        params: JsonValue = None,
        kind: Kind | None = None,
        version: int | None = None,
    ) -> Resend:
        """Return whether a message may be sent again."""
        ...


def compile_table(protocol: Schema) -> RetryTable:
    """Return the table of a protocol, as `acp_v2.retry` is that of the protocol of this repository.

    Raises:
        MissingClassError: there are methods, but no method has a class.
        OSError: the templates can't be read.
    """
    (source,) = table(PYTHON, protocol, Templates(resources.TEMPLATES)).values()
    module = ModuleType("acpgen_compiled_retry")
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)  # noqa: S102 - our own
    return cast("RetryTable", module)
