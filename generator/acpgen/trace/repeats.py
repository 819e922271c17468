"""Prompts that repeat an earlier one whose outcome is unknown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf

from acpgen.trace.digest import Digest
from acpgen.trace.exchanges import Attempt, Exchange
from acpgen.trace.recording import Recording


def resends(recording: Recording) -> Iterator[tuple[Attempt, Attempt]]:
    """Attempts whose response was lost, each with a prompt that repeats its content.

    Not those with a key that went out earlier: they are proper retries.
    """
    latest: dict[tuple[str, Digest], Attempt] = {}
    outcomes: dict[int, _Outcome] = {}
    for again in recording.prompts.attempts:
        name = (again.session, again.prompt.content)
        first, latest[name] = latest.get(name), again
        if first is None or not first.prompt.well_formed:
            continue
        submission = recording.prompts.submission(first)
        begun = submission[0].line
        if begun not in outcomes:
            outcomes[begun] = _Outcome.of(recording, submission)
        is_retry = recording.prompts.submission(again)[0] is not again
        lost = outcomes[begun].unknown_before(again.line)
        if not is_retry and lost is not None and _is_lost(recording, lost, again):
            yield lost, again


@dataclass(frozen=True, slots=True)
class _Outcome:
    """When the outcome of a submission is known.

    It is known by a result. An error means that nothing was inserted only if every earlier attempt
    shares it: to a retry of a lost attempt it proves nothing. `settled` has for each attempt the
    line by which it and all before it were answered, `unanswered` the latest attempt up to it
    without an answer.
    """

    attempts: Sequence[Attempt]
    inserted: float
    settled: Sequence[float]
    unanswered: Sequence[Attempt | None]

    @classmethod
    def of(cls, recording: Recording, attempts: Sequence[Attempt]) -> _Outcome:
        """The outcome of the attempts of one submission."""
        lines = sorted(a.answer_line for a in attempts if a.response is not None)
        answers = [
            _shared(recording, a, lines) if a.response is None else a.answer_line for a in attempts
        ]
        results = (a.answer_line for a in attempts if a.response is not None and not a.failed)
        unanswered: list[Attempt | None] = []
        for attempt, answer in zip(attempts, answers, strict=True):
            before = unanswered[-1] if unanswered else None
            unanswered.append(attempt if answer == inf else before)
        return cls(attempts, min(results, default=inf), [*accumulate(answers, max)], unanswered)

    def unknown_before(self, line: int) -> Attempt | None:
        """The latest attempt before a line without a response, if the outcome is unknown there."""
        count = bisect_left(self.attempts, line, key=lambda attempt: attempt.line)
        known = self.inserted < line or count == 0 or self.settled[count - 1] < line
        return None if known else self.unanswered[count - 1]


def _shared(recording: Recording, attempt: Attempt, answers: Sequence[int]) -> float:
    """The line of the answer that an attempt without a response shares; infinity if none."""
    line = shared_answer(recording, attempt, answers)
    return inf if line is None else line


def shared_answer(recording: Recording, lost: Exchange, answers: Sequence[int]) -> int | None:
    """The first answer to a retry that came while a request was pending on its connection.

    Requests with one key that are pending together share one outcome.
    """
    after = bisect_right(answers, lost.line)
    pending = after < len(answers) and not recording.traffic.is_silent(
        lost.connection, answers[after]
    )
    return answers[after] if pending else None


def _is_lost(recording: Recording, first: Attempt, again: Attempt) -> bool:
    """True if the response to a prompt will not come any more when it is sent again.

    On the same connection that shows when the later one is answered and the earlier never.
    """
    if first.connection == again.connection:
        return first.response is None and again.response is not None
    return first.response is None and recording.traffic.is_silent(first.connection, again.line)
