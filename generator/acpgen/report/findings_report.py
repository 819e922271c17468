"""Counts what is found, and hands it to a renderer one message at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from acpgen.findings import Finding, Severity
from acpgen.report.problem import Problem, ProblemKind
from acpgen.report.rendering import Renderer
from acpgen.report.tally import Tally
from acpgen.report.text import TextLines
from acpgen.startup.output import of_output
from acpgen.words import counted

_NOTHING = "no messages, so there is nothing to judge"
_ERROR = Severity.ERROR
_OTHER_VERSION = "all messages are of another version, so there is no verdict"


class Report:
    """One report, from `begin` to `end`.

    `strict` turns what receivers recover from into errors. After `max_errors` errors the report is
    full: it accepts no more, and its caller should stop. `counts_only` counts findings and
    renders none. `fail_on` is the mildest severity that makes the status 1. `flush` is called after
    every message with findings, where readers wait for them.
    """

    def __init__(  # noqa: PLR0913 - settings by name, each with a default
        self,
        tally: Tally,
        renderer: Renderer,
        *,
        strict: bool = False,
        max_errors: int | None = None,
        fail_on: str = "error",
        counts_only: bool = False,
        flush: Callable[[], object] | None = None,
    ) -> None:
        self.tally = tally
        self.full = False
        self._file = ""
        self._renderer = renderer
        self._strict = strict
        self._limit = max_errors
        self._fail_on = fail_on
        self._errors = 0
        self._counts_only = counts_only
        self._flush = flush

    def begin(self, files: Sequence[str] = ()) -> None:
        """Begin, with the names of all inputs that there will be."""
        self.tally.inputs.update(dict.fromkeys(files, 0))
        self._renderer.begin()
        if self._flush is not None:
            self._flush()

    def accept(self, file: str, messages: int = 1) -> None:
        """Count messages without findings."""
        self.tally.inputs[file] = self.tally.inputs.get(file, 0) + messages

    def message(self, file: str, findings: Sequence[Finding], *, judged: bool = True) -> None:
        """Count one message and render its findings, if any.

        `judged` is False for one that isn't judged whole, as a result without its request.
        """
        tally = self.tally
        tally.inputs[file] = tally.inputs.get(file, 0) + 1
        tally.unjudged += not judged
        before = self._errors
        taken = self._count(findings)
        if tally.refused is not None:
            tally.refused += self._errors > before
        self._render(taken)

    @property
    def takes_lines(self) -> bool:
        """True if findings are written as lines of text, as they are found and without a limit."""
        plain = not (self._strict or self._limit or self._counts_only or self._flush)
        return plain and isinstance(self._renderer, TextLines)

    def include_lines(self, text: str, tally: Tally) -> None:
        """Write the lines of findings, and add their counts; see `takes_lines`.

        Raises:
            TypeError: the report does not take lines.
            OSError: they can't be written.
        """
        out = self._renderer
        if not isinstance(out, TextLines):
            raise TypeError("only a report in text takes lines")
        self._errors += tally.of("error")
        self.tally.add(tally)
        try:
            out.write(text)
        except OSError as error:
            raise of_output(error) from None

    def add(self, findings: Sequence[Finding]) -> int:
        """Count and render findings about one place without counting a message; how many it took.

        That is all of them, or as many as there was room for.
        """
        taken = self._count(findings)
        self._render(taken)
        return len(taken)

    def include(self, findings: Iterable[Finding], tally: Tally) -> None:
        """Render the findings of another report, and add its counts, which have its findings."""
        for _, found in groupby(findings, key=lambda each: (each.file, each.line, each.number)):
            self._render([*found])
        self._errors += tally.of("error")
        self.tally.add(tally)

    def room_for(self, errors: int) -> bool:
        """True if the report would not be full with so many more errors."""
        return self._limit is None or self._errors + errors < self._limit

    def problem(
        self,
        file: str,
        reason: str,
        line: int | None = None,
        kind: ProblemKind = ProblemKind.UNREAD,
    ) -> None:
        """Note why a file is not judged to its end, so that the whole is not judged."""
        self.tally.problems.append(Problem(file, reason, line, kind))

    def conclude(self) -> None:
        """Note if there is nothing to judge in all inputs together, or nothing of our version."""
        tally = self.tally
        if not tally.complete or not tally.inputs:
            return
        if not tally.messages:
            for name in tally.inputs:
                self.problem(name, _NOTHING, kind=ProblemKind.EMPTY)
        elif tally.others and not tally.judged:
            for name in tally.inputs:
                self.problem(name, _OTHER_VERSION, kind=ProblemKind.OTHER_VERSION)

    def end(self) -> None:
        """Write the rest."""
        if self.full:
            errors = counted(self._errors, "error")
            reason = f"has {errors} up to here, the limit; the rest is left out"
            self.problem(self._file, reason, kind=ProblemKind.LIMIT)
        self._renderer.end(self.tally)

    @property
    def status(self) -> int:
        """The exit status: 2 if an input was not judged to its end, 1 with what to fail on, else 0.

        A report that is full has found its errors, so it is 1.
        """
        unread = any(each.kind is not ProblemKind.LIMIT for each in self.tally.problems)
        return 2 if unread else int(self.tally.has(self._fail_on))

    def _count(self, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Count as many of the findings as there is room for, in their final severity."""
        if self._strict:
            findings = _hardened(findings)
        counts = self.tally.found
        for number, finding in enumerate(findings):
            if self.full:
                return findings[:number]
            kind = finding.severity, finding.rule
            counts[kind] = counts.get(kind, 0) + 1
            if finding.severity is _ERROR:
                self._errors += 1
                self.full = self._errors == self._limit
            self._file = finding.file
        return findings

    def _render(self, findings: Sequence[Finding]) -> None:
        """Write findings that are counted already: an interruption is likeliest here."""
        if not findings or self._counts_only:
            return
        try:
            self._renderer.message(findings)
            if self._flush is not None:
                self._flush()
        except OSError as error:
            raise of_output(error) from None


def _hardened(findings: Sequence[Finding]) -> Sequence[Finding]:
    return [
        finding.replaced(severity=Severity.ERROR)
        if finding.severity is Severity.RECOVERED
        else finding
        for finding in findings
    ]
