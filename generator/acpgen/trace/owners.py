"""Whose the messages are that no answer names: of the prompts that waited when they appeared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from acp_wire.redaction import Key
from acpgen.trace.recording import Attempt, Content, Sighting


@dataclass(frozen=True, slots=True)
class Owned:
    """A message that no answer names, among prompts with just its content.

    `key` is the one that all of those have which waited when it appeared, None where none waited.
    `alone` is the prompt that waited, if there was just one.
    """

    sighting: Sighting
    key: Key | None
    alone: Attempt | None

    @property
    def claimable(self) -> bool:
        """Whether a prompt with a key can have led to it: no one without a key waited."""
        return self.key is not None or self.alone is None


def owned(
    shown: Mapping[Content, Sequence[Sighting]],
    attempts: Mapping[Content, Sequence[Attempt]],
    answered: Mapping[tuple[str, str], Sequence[Attempt]],
) -> Iterator[tuple[Content, Owned]]:
    """The messages that no answer names, but those that several could claim. In order of lines.

    `shown` and `attempts` are in the order of lines; `answered` has a session and the ID of a
    message for each that an answer names.
    """
    for content, sightings in shown.items():
        waiting = _Waiting(attempts.get(content, ()))
        for sighting in sightings:
            if (sighting.session, sighting.message_id) not in answered:
                waiting.advance(sighting.line)
                if len(waiting.owners) <= 1:
                    yield content, waiting.owned(sighting)


@dataclass(slots=True)
class _Waiting:
    """The prompts that wait for their answers at a line, which only advances.

    `owners` counts them by key; one without a key is an owner of its own, named by its line.
    """

    attempts: Sequence[Attempt]
    owners: Counter[Key | int] = field(default_factory=Counter)
    _waiting: dict[int, Attempt] = field(default_factory=dict)
    _begun: int = 0
    _ended: int = 0
    _answered: Sequence[Attempt] = ()

    def __post_init__(self) -> None:
        answered = [a for a in self.attempts if a.response is not None]
        self._answered = sorted(answered, key=lambda attempt: attempt.answer_line)

    def advance(self, line: int) -> None:
        """Go on to a line."""
        while self._begun < len(self.attempts) and self.attempts[self._begun].line < line:
            attempt = self.attempts[self._begun]
            self._waiting[attempt.line] = attempt
            self.owners[_owner(attempt)] += 1
            self._begun += 1
        while self._ended < len(self._answered) and self._answered[self._ended].answer_line < line:
            attempt = self._answered[self._ended]
            del self._waiting[attempt.line]
            self.owners[_owner(attempt)] -= 1
            if not self.owners[_owner(attempt)]:
                del self.owners[_owner(attempt)]
            self._ended += 1

    def owned(self, sighting: Sighting) -> Owned:
        """A message that appears now, with its owner."""
        keys = [owner for owner in self.owners if isinstance(owner, Key)]
        alone = list(self._waiting.values()) if len(self._waiting) == 1 else []
        return Owned(sighting, next(iter(keys), None), next(iter(alone), None))


def _owner(attempt: Attempt) -> Key | int:
    return attempt.line if attempt.prompt.key is None else attempt.prompt.key
