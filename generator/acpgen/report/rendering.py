"""The interface of every format of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from acpgen.findings import Finding
from acpgen.report.tally import Tally


class Renderer(Protocol):
    """Writes one report: `begin`, `message` for each message that has findings, `end`."""

    def begin(self) -> None:
        """Write what comes before the first finding."""

    def message(self, findings: Sequence[Finding]) -> None:
        """Write the findings of one message, at least one."""

    def end(self, tally: Tally) -> None:
        """Write what comes after the last finding, with all that was counted."""
