"""Attributes messages that no response names to the prompts pending at that time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from acp_wire.redaction import Key
from acpgen.trace.digest import Digest
from acpgen.trace.exchanges import Attempt
from acpgen.trace.shown_messages import MessageName, MessageShown

Content = tuple[str, tuple[Digest, ...]]
"""A session and the blocks of a user message in it."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """A message that no response names, and the pending prompts with just its content.

    `key` is the key that all of them have. It is None if no prompt was pending when the message
    appeared. `alone` is the pending prompt, if there was just one.
    """

    message: MessageShown
    key: Key | None
    alone: Attempt | None

    @property
    def claimable(self) -> bool:
        """True if a prompt with a key may have led to it, because all pending ones had a key."""
        return self.key is not None or self.alone is None


def attributed(
    shown: Mapping[Content, Sequence[MessageShown]],
    attempts: Mapping[Content, Sequence[Attempt]],
    answered: Mapping[MessageName, Sequence[Attempt]],
) -> Iterator[tuple[Content, Attribution]]:
    """The messages that no response names, in the order of lines.

    Those that several submissions may have led to are left out. `shown` and `attempts` are in the
    order of lines. `answered` has the messages that responses name.
    """
    for content, messages in shown.items():
        waiting = _Waiting(attempts.get(content, ()))
        for message in messages:
            if message.name not in answered:
                waiting.advance(message.line)
                if len(waiting.owners) <= 1:
                    yield content, waiting.attribution(message)


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

    def attribution(self, message: MessageShown) -> Attribution:
        """A message that appears now, with its owner."""
        keys = [owner for owner in self.owners if isinstance(owner, Key)]
        alone = list(self._waiting.values()) if len(self._waiting) == 1 else []
        return Attribution(message, next(iter(keys), None), next(iter(alone), None))


def _owner(attempt: Attempt) -> Key | int:
    return attempt.line if attempt.prompt.key is None else attempt.prompt.key
