"""Which prompts say again what an earlier one said whose answer was lost."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from acpgen.trace.digest import Digest
from acpgen.trace.exchanges import Attempt
from acpgen.trace.recording import Recording


def resends(recording: Recording) -> Iterator[tuple[Attempt, Attempt]]:
    """Prompts that say the same as the one before them, while nobody can know what became of that.

    Not those with a key that went out earlier: they are proper retries.
    """
    latest: dict[tuple[str, Digest], Attempt] = {}
    answers: dict[int, float] = {}
    for again in recording.prompts.attempts:
        name = (again.session, again.prompt.content)
        first, latest[name] = latest.get(name), again
        if first is None or not first.prompt.well_formed:
            continue
        submission = recording.prompts.submission(first)
        begun = submission[0].line
        if begun not in answers:
            answered = (a.answer_line for a in submission if a.response is not None)
            answers[begun] = min(answered, default=inf)
        is_retry = recording.prompts.submission(again)[0] is not again
        is_known = answers[begun] < again.line
        if not is_retry and not is_known and _is_lost(recording, first, again):
            yield first, again


def _is_lost(recording: Recording, first: Attempt, again: Attempt) -> bool:
    """Whether the answer to a prompt will not come any more when it is sent again.

    On the same connection that shows when the later one is answered and the earlier never.
    """
    if first.connection == again.connection:
        return first.response is None and again.response is not None
    return first.response is None and recording.traffic.is_silent(first.connection, again.line)
