"""The counts of a report."""

from __future__ import annotations

from acpgen.findings import Severity
from acpgen.report.problem import Problem
from acpgen.startup.judged_counts import counts


class Tally:
    """Everything counted so far.

    `inputs` has the number of messages by file. `refused` counts messages and is None where a
    command refuses none; `unjudged` counts results of which only the envelope was judged. `found`
    counts findings by severity and rule. `others` counts messages of versions that are not judged.
    """

    def __init__(self, command: str, *, judges: bool = True) -> None:
        self.command = command
        self.inputs: dict[str, int] = {}
        self.refused: int | None = 0 if judges else None
        self.unjudged = 0
        self.others = 0
        self.found: dict[tuple[Severity, str], int] = {}
        self.problems: list[Problem] = []

    @property
    def messages(self) -> int:
        """How many messages there were in all inputs."""
        return sum(self.inputs.values())

    @property
    def judged(self) -> int:
        """How many messages were of a version that is judged."""
        return self.messages - self.others

    @property
    def accepted(self) -> int | None:
        """How many messages were judged and not refused."""
        return None if self.refused is None else self.judged - self.refused

    @property
    def complete(self) -> bool:
        """True if all inputs were judged to their end."""
        return not self.problems

    def add(self, other: Tally) -> None:
        """Add what another report counted."""
        for file, messages in other.inputs.items():
            self.inputs[file] = self.inputs.get(file, 0) + messages
        if self.refused is not None:
            self.refused += other.refused or 0
        self.unjudged += other.unjudged
        self.others += other.others
        for kind, number in other.found.items():
            self.found[kind] = self.found.get(kind, 0) + number
        self.problems += other.problems

    def of(self, severity: str) -> int:
        """How many findings are of a severity."""
        return sum(n for (each, _), n in self.found.items() if each == severity)

    def has(self, severity: str) -> bool:
        """True if there are findings of a severity, or of a worse one."""
        if not self.found:
            return False

        mildest = Severity(severity)
        return any(each.rank <= mildest.rank for each, _ in self.found)

    def ranking(self) -> list[tuple[Severity, str, int]]:
        """Severity, rule and number of findings, the worst and most frequent first."""
        rows = [(severity, rule, n) for (severity, rule), n in self.found.items()]
        return sorted(rows, key=lambda row: (row[0].rank, -row[2], row[1]))

    def summary(self) -> str:
        """One line about the messages."""
        return counts(
            self.messages,
            self.accepted,
            self.refused,
            recovered=self.of("recovered"),
            warnings=self.of("warning"),
            others=self.others,
            unjudged=self.unjudged,
        )
